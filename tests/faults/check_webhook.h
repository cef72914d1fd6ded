// The webhook's certificates, which two replicas share in a Secret. The invariant "trust": from the
// first moment on in which API servers could verify the certificate that a replica serves, they
// can, by the caBundle of both webhook configurations, through each rotation, until somebody
// applies the configurations again, which then are without one; and in the end.
//
// Dates are not checked, since the clocks of this world are hours off.
//
// Thread-safety: one thread.
// Errors: none; Checks::Fail.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "api/kubernetes/meta.h"
#include "tests/faults/api_server.h"
#include "tests/faults/checks.h"
#include "tests/faults/faults.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace ballast::faults {

inline const api::ObjectKey kWebhookSecret{"ballast", "ballast-webhook"};
inline constexpr const char* kWebhookConfiguration = "ballast";
inline constexpr const char* kWebhookHost = "ballast-webhook.ballast.svc";

class WebhookChecks {
 public:
  WebhookChecks(const Swarm& swarm, ApiServer& server, Checks& checks)
      : swarm_(swarm), server_(server), checks_(checks) {}

  // Makes the configurations, and the Secret: empty, or with certificates of which the authority
  // will be replaced within the hour.
  void Begin(Dice& dice);
  // Somebody applies the configurations as they were installed.
  void ApplyAgain();
  // A replica's process serves with that; null: with nothing yet.
  void Look(const std::string& identity, const std::shared_ptr<ssl_ctx_st>& served);
  void AtTheEnd();

 private:
  // With that caBundle (PEM); empty: without one.
  void Apply(const std::string& authorities);

  const Swarm& swarm_;
  ApiServer& server_;
  Checks& checks_;
  bool trusted_ = false;  // some replica has been, by the present configurations
  // What is known to be verified: the certificate by the bundle.
  std::set<std::pair<std::string, std::string>> verified_;
};

}  // namespace ballast::faults
