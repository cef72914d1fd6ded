// What the webhook proves itself with: authorities that the API servers are told to trust, and a
// certificate that one of them signed. Made here (P-256), and looked into.
//
// Certificates are dated back by kBackdate, so that a server whose clock is behind accepts them.
// Thread-safety: pure functions but for the random numbers in keys. Messages never contain a key.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"

namespace ballast::webhooks {

inline constexpr Duration kBackdate = Duration::Seconds(600);

// All in PEM.
struct CertificateBundle {
  std::string authorities;    // the newest first; all are trusted
  std::string authority_key;  // of the newest
  std::string certificate;
  std::string key;  // of the certificate

  friend bool operator==(const CertificateBundle&, const CertificateBundle&) = default;
};

struct BundleInfo {
  Time authority_made;  // the newest
  Time authority_ends;
  std::size_t authorities = 0;
  Time made;  // the certificate
  Time ends;
  bool signed_by_newest = false;
  std::vector<std::string> names;  // DNS names and IP addresses, as given to Issue()
};

// nullopt: there is none, or it cannot be used (no PEM, a key of another certificate, an unknown
// signer).
std::optional<BundleInfo> Inspect(const std::optional<CertificateBundle>& bundle);

// When the certificate that comes first in `pem` ends.
Result<Time> EndOf(const std::string& pem);

// `material` with a new authority in front, which has signed nothing yet.
Result<CertificateBundle> AddAuthority(const CertificateBundle& bundle, Time now, Duration life);

// `material` with a new certificate for these names, signed by the newest authority.
Result<CertificateBundle> Issue(const CertificateBundle& bundle,
                                const std::vector<std::string>& names, Time now, Duration life);

// `material` without the authorities but the newest.
Result<CertificateBundle> KeepNewestAuthority(const CertificateBundle& bundle);

}  // namespace ballast::webhooks
