// Looks after the webhook's certificates: every ten seconds, every second until there is one.
//
// Every replica uses them; only the leader rotates them.
//
// Thread-safety: Start and the destructor: owning thread only. Ready and identity: any thread.
// Errors: failed looks are logged and repeated.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/kubernetes/meta.h"
#include "operator/admission/certificate_metrics.h"
#include "operator/admission/certificate_secret.h"
#include "operator/kube/client.h"
#include "operator/kube/transport.h"
#include "operator/net/tls_identity.h"
#include "operator/process/clock.h"
#include "operator/process/runner.h"
#include "webhooks/certificates/certificate_keeper.h"

namespace ballast::admission {

struct CertificateOptions {
  // A directory with tls.crt and tls.key that something else renews; empty: the Secret below is
  // used.
  std::string certificate_dir;
  api::ObjectKey secret;
  std::string configuration;       // common name of both webhook configurations
  std::vector<std::string> hosts;  // DNS names and IP addresses that API servers call
  std::function<bool()> is_leader = [] { return true; };
  CertificateMetrics metrics;
};

class CertificateCare {
 public:
  // `transport` and `clock` must outlive it.
  CertificateCare(const CertificateOptions& options, kube::Transport& transport,
                  process::Clock& clock);

  void Start() { looking_after_.Start(); }
  // Whether there is a certificate that has not ended.
  bool Ready() const { return certificates_->Ready(clock_.Now()); }
  // Present it to whoever connects.
  const std::shared_ptr<net::TlsIdentity>& identity() const { return identity_; }

 private:
  process::SteadyTime Look();

  process::Clock& clock_;
  const CertificateMetrics metrics_;
  kube::Client client_;
  CertificateSecret secret_;
  const std::shared_ptr<net::TlsIdentity> identity_ = std::make_shared<net::TlsIdentity>();
  std::unique_ptr<webhooks::Certificates> certificates_;
  std::string problem_;  // as logged last
  process::Runner looking_after_;
};

}  // namespace ballast::admission
