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
struct Material {
  std::string authorities;    // the newest first; all are trusted
  std::string authority_key;  // of the newest
  std::string certificate;
  std::string key;  // of the certificate

  friend bool operator==(const Material&, const Material&) = default;
};

struct Insight {
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
std::optional<Insight> LookInto(const std::optional<Material>& material);

// When the certificate that comes first in `pem` ends.
Result<Time> EndOf(const std::string& pem);

// `material` with a new authority in front, which has signed nothing yet.
Result<Material> AddAuthority(const Material& material, Time now, Duration life);

// `material` with a new certificate for these names, signed by the newest authority.
Result<Material> Issue(const Material& material, const std::vector<std::string>& names, Time now,
                       Duration life);

// `material` without the authorities but the newest.
Result<Material> KeepNewestAuthority(const Material& material);

}  // namespace ballast::webhooks
