// What goes on inside of the running program, as its parts tell it and the debug page shows it
// (operator/server/debug_page.h). Unlike metrics it names objects, and is gone when it is over.
//
// Everything is bounded: of a long list a part tells `kMostShown`, where it can those that have
// lasted longest, and how many more there are. Text of others is printable (api/base/printable.h).
// Thread-safety: plain values.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ballast::telemetry {

using SteadyTime = std::chrono::steady_clock::time_point;

inline constexpr std::size_t kMostShown = 100;

template <typename T>
struct Shown {
  std::vector<T> items;
  std::size_t left_out = 0;
};

struct LastError {
  SteadyTime at;
  std::string code;  // "Unavailable"
  std::string message;
};

// One watch of the API server.
struct WatchInside {
  std::string resource;    // "pods", "deployments.apps"
  std::string namespace_;  // empty: all
  std::string state;       // "watching", "reading everything", "backing off", "not started"
  std::optional<SteadyTime> heard_at;   // nullopt: nothing yet
  std::optional<LastError> last_error;  // since the start, also if it works again
};

struct KeySince {
  std::string object;  // "NAMESPACE/NAME"
  SteadyTime since;
};

struct QueueInside {
  Shown<KeySince> waiting;  // for a worker
  Shown<KeySince> in_work;
  std::size_t delayed = 0;  // due later
};

// An attempt to write a scale whose outcome is not known yet.
struct AttemptInside {
  std::string policy;         // "NAMESPACE/NAME"
  std::int64_t decision = 0;  // as the ledger counts them
  std::string decided;        // when, RFC 3339
  std::int32_t from = 0;
  std::int32_t to = 0;
  SteadyTime settled_by;  // then it has arrived, or never will
};

}  // namespace ballast::telemetry
