// Limits on what comes in and what goes out. Without them a review takes as much memory and time as
// its author likes, and anyone who reaches the port can be that author.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "api/json/json.h"

namespace ballast::webhooks {

// In bytes: an object of 1.5 MiB, the most that etcd takes, as it was and as it will be, and 1 MiB
// besides.
inline constexpr std::size_t kMaxReview = std::size_t{4} * 1024 * 1024;
// Values and names in a review, see json::ParseAtMost. A review of 64 KiB cannot have more.
inline constexpr std::size_t kMaxValues = std::size_t{64} * 1024;
// Elements of a list in an object. A metric can be two bytes of JSON ("{}") and takes a thousand
// when decoded.
inline constexpr std::size_t kMaxEntries = 1000;
// Bytes of a uid, a name, a namespace or a kind: more than Kubernetes allows.
inline constexpr std::size_t kMaxName = 512;

inline constexpr std::size_t kMaxAnswer = std::size_t{64} * 1024;
// Bytes that API servers pass on to clients, of one warning and of all.
inline constexpr std::size_t kMaxWarning = 256;
inline constexpr std::size_t kMaxWarnings = 4096;

// Why an object is too large to be decoded: "spec.metrics has 5000 entries, more than 1000";
// nullopt if it is not.
std::optional<std::string> TooLong(const json::Cursor& object);

}  // namespace ballast::webhooks
