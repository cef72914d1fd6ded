// The internal state of the running program, as its parts report it and the debug page shows it
// (operator/server/debug_page.h). Unlike metrics it names objects and keeps no past.
//
// Everything is bounded: of a long list a part reports `kMostShown` entries, where possible those
// that have lasted longest, and how many it leaves out. Text from outside is printable
// (api/base/printable.h).
#pragma once

#include <chrono>
#include <cstddef>
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
struct WatchDebugState {
  std::string resource;    // "pods", "deployments.apps"
  std::string namespace_;  // empty: all namespaces
  std::string state;       // "watching", "reading everything", "backing off", "not started"
  std::optional<SteadyTime> heard_at;   // when the server was last heard; nullopt: never
  std::optional<LastError> last_error;  // the latest since the start, even if the watch works again
};

struct KeySince {
  std::string object;  // "hpa/NAMESPACE/NAME"
  SteadyTime since;
};

struct QueueDebugState {
  Shown<KeySince> waiting;  // for a free worker
  Shown<KeySince> in_work;
  std::size_t delayed = 0;  // added with a delay that has not passed
};

// The requests to one metrics API.
struct MetricsApiDebugState {
  std::string api;                   // "external.metrics.k8s.io"
  std::size_t in_work = 0;           // waited for now
  std::size_t slow = 0;              // of these, of namespaces whose requests take long
  std::size_t waiting = 0;           // for one of these to end
  std::chrono::nanoseconds open{0};  // for how long none is sent, because it did not answer
  std::size_t left_alone = 0;        // namespaces of which none is, because it did not answer them
};

}  // namespace ballast::telemetry
