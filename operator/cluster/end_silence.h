// Ends the silence of a watch (watch_silence.h) before it is too long.
//
// Thread-safety: any thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "operator/process/clock.h"
#include "operator/runtime/reflector.h"

namespace ballast::cluster {

// How long a watch may be silent before everything is listed again that it shows.
constexpr std::chrono::nanoseconds ListedAgainAfter(std::chrono::nanoseconds limit) {
  return limit / 4 * 3;
}

// The shortest limit of a silence that a kind keeps of which nothing changes where the API server
// sends no bookmarks. EndSilence is called by evaluations, so one of a default period, 15 s, must
// come within the last quarter of the limit; and nothing is listed more often than the reflector
// allows.
inline constexpr std::chrono::seconds kShortestLimit{80};
static_assert(ListedAgainAfter(kShortestLimit) >= runtime::Reflector::kRereadPeriod);

// Lists everything again that `watch` shows of the namespace before the API server has been silent
// about it for as long as `limit`: maybe nothing is missing but a bookmark. Returns for how long it
// is silent yet; nullopt: there is no first list.
std::optional<std::chrono::nanoseconds> EndSilence(const auto& watch, const std::string& namespace_,
                                                   process::SteadyTime now,
                                                   std::chrono::nanoseconds limit) {
  const auto heard = watch.LastHeard(namespace_);
  if (!heard) {
    return std::nullopt;
  }
  if (now - *heard > ListedAgainAfter(limit)) {
    watch.Reread(namespace_);
  }
  return now - *heard;
}

}  // namespace ballast::cluster
