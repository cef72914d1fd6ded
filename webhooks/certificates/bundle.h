// The webhook's credentials: authorities that the API servers are configured to trust, and a
// serving certificate that one of them signed. Generates (P-256) and inspects them.
//
// Certificates are backdated by kBackdate, so that a server whose clock is behind accepts them.
//
// Thread-safety: pure functions, except that OpenSSL's random numbers go into keys and serial
// numbers.
// Errors: kInvalid for text that is not PEM, kInternal if OpenSSL fails. A message never contains a
// key.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"

namespace ballast::webhooks {

inline constexpr Duration kBackdate = Duration::Seconds(600);

// All fields are PEM.
struct CertificateBundle {
  std::string authorities;    // newest first; all are trusted
  std::string authority_key;  // of the newest authority
  std::string certificate;
  std::string key;  // of the certificate

  friend bool operator==(const CertificateBundle&, const CertificateBundle&) = default;
};

struct BundleInfo {
  Time authority_made;  // of the newest authority
  Time authority_ends;
  std::size_t authorities = 0;
  Time made;  // of the certificate
  Time ends;
  bool signed_by_newest = false;
  std::vector<std::string> names;  // DNS names and IP addresses, as given to Issue()
};

// nullopt if there is no bundle or it is unusable: not PEM, a key that does not match its
// certificate, an unknown signer.
std::optional<BundleInfo> Inspect(const std::optional<CertificateBundle>& bundle);

// When the first certificate in `pem` expires.
Result<Time> EndOf(const std::string& pem);

// `bundle` with a new authority in front, which has not signed anything yet.
Result<CertificateBundle> AddAuthority(const CertificateBundle& bundle, Time now, Duration life);

// `bundle` with a new certificate for `names`, signed by the newest authority. It expires after
// `life`, or with that authority if that is earlier.
Result<CertificateBundle> Issue(const CertificateBundle& bundle,
                                const std::vector<std::string>& names, Time now, Duration life);

// `bundle` with the newest authority only.
Result<CertificateBundle> KeepNewestAuthority(const CertificateBundle& bundle);

}  // namespace ballast::webhooks
