// Setting the conditions of a status as upstream does.
//
// Thread-safety: pure functions on plain values.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "api/autoscaling/condition_types.h"
#include "api/base/time.h"
#include "api/kubernetes/meta.h"

namespace ballast::engine {

// Of how many types an autoscaler may have conditions by the engine.
inline constexpr std::size_t kTypes = 6;

class Conditions {
 public:
  // Works on `list`, which must outlive this; `now` becomes the transition time of what changes.
  Conditions(std::vector<api::Condition>& list, Time now) : list_(list), now_(now) {}

  // Changes the first condition of that type, or appends one. The transition time changes only with
  // the status.
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

// The first condition of that type; null: there is none.
const api::Condition* Find(const std::vector<api::Condition>& list, std::string_view type);
// Whether the first condition of that type is "True".
bool IsTrue(const std::vector<api::Condition>& list, std::string_view type);

}  // namespace ballast::engine
