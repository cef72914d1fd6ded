// How large what comes in may be, and what goes out. A review takes as much memory and time as its
// author likes if nothing bounds it, and whoever reaches the port is an author.
//
// Thread-safety: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "api/json/json.h"

namespace ballast::webhooks {

// An object of 1.5 MiB, which is what etcd takes, before and after, and 1 MiB.
inline constexpr std::size_t kMaxReview = std::size_t{4} * 1024 * 1024;
// Values and names of a review, see json::ParseAtMost. A review of 64 KiB cannot have more.
inline constexpr std::size_t kMaxValues = std::size_t{64} * 1024;
// Entries of a list in an object. A metric is two bytes of JSON ("{}"), and a thousand decoded.
inline constexpr std::size_t kMaxEntries = 1000;
// Of a uid, a name, a namespace, a kind: more than Kubernetes allows.
inline constexpr std::size_t kMaxName = 512;

inline constexpr std::size_t kMaxAnswer = std::size_t{64} * 1024;
// What API servers pass on: of one warning, and of all.
inline constexpr std::size_t kMaxWarning = 256;
inline constexpr std::size_t kMaxWarnings = 4096;

// Why an object is not to be decoded: "spec.metrics has 5000 entries, more than 1000"; nullopt: it
// may be.
std::optional<std::string> TooLong(const json::Cursor& object);

}  // namespace ballast::webhooks
