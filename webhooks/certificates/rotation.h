// When the webhook's certificates are made, renewed and forgotten: one small step at a time, so
// that whoever trusted before trusts after each.
//
//   none, or of no use   a new authority and a certificate of it
//   authority ages       a second one is put in front; both are trusted
//   it is trusted        (for `settle`) a certificate of it
//   certificate ages     a new one of the same authority
//   certificate is used  (for `retire`) the former authority is forgotten
//
// What ages is replaced at two thirds of its life.
//
// Errors: OpenSSL's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "webhooks/certificates/bundle.h"

namespace ballast::webhooks {

struct RotationTimes {
  Duration authority_life = Duration::Seconds(10 * 365 * 86'400LL);
  Duration certificate_life = Duration::Seconds(365 * 86'400LL);
  Duration settle = Duration::Seconds(30);  // until every API server has seen what to trust
  Duration retire = Duration::Seconds(3600);
};

struct RotationState {
  std::optional<CertificateBundle> stored;
  std::optional<BundleInfo> info;  // into what is stored
  // The last that was of use, in case that what is stored is gone or spoilt.
  std::optional<CertificateBundle> remembered;
  std::vector<std::string> names;  // that the certificate must have
  // Since when API servers are known to trust all of stored->authorities; nullopt: not known.
  std::optional<Time> trusted_since;
};

struct RotationStep {
  CertificateBundle next;
  const char* what;  // for the log
};

// nullopt: all is as it should be. Errors: OpenSSL's.
Result<std::optional<RotationStep>> NextStep(const RotationState& state, Time now,
                                             const RotationTimes& times = {});

}  // namespace ballast::webhooks
