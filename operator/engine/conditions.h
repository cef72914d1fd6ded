// Sets the conditions of a status as upstream does.
//
// Thread-safety: one thread at a time may change a list; Find and IsTrue are pure functions.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "api/autoscaling/condition_types.h"
#include "api/base/time.h"
#include "api/kubernetes/meta.h"

namespace ballast::engine {

// A reason of Held: the watch of pods has been silent for too long.
inline constexpr const char* kOldView = "OldView";

// How the message of Held begins in mode DryRun if the evaluation has a problem, which follows.
inline constexpr const char* kWouldKeep = "would keep the replicas: ";

// The number of condition types that the engine sets.
inline constexpr std::size_t kTypes = 6;

class Conditions {
 public:
  // Changes `list`, which must outlive this. `now` is the transition time of the changes.
  Conditions(std::vector<api::Condition>& list, Time now) : list_(list), now_(now) {}

  // Both change the first condition of that type, or append one. The transition time changes only
  // with the status.
  void True(std::string_view type, std::string_view reason, std::string_view message) {
    Set(type, "True", reason, message);
  }
  void False(std::string_view type, std::string_view reason, std::string_view message) {
    Set(type, "False", reason, message);
  }
  void Remove(std::string_view type);

 private:
  void Set(std::string_view type, std::string_view status, std::string_view reason,
           std::string_view message);

  std::vector<api::Condition>& list_;
  Time now_;
};

// The first condition of that type; null if there is none.
const api::Condition* Find(const std::vector<api::Condition>& list, std::string_view type);
// Whether the first condition of that type is "True".
bool IsTrue(const std::vector<api::Condition>& list, std::string_view type);

}  // namespace ballast::engine
