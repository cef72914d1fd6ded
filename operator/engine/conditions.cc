#include "operator/engine/conditions.h"

#include <algorithm>

namespace ballast::engine {

void Conditions::Set(std::string_view type, std::string_view status, std::string_view reason,
                     std::string_view message) {
  auto found = std::find_if(list_.begin(), list_.end(), [&](const api::Condition& condition) {
    return condition.type == type;
  });
  if (found == list_.end()) {
    list_.reserve(kTypes);
    found = list_.emplace(list_.end());
    found->type = type;
  }
  if (found->status != status) {
    found->last_transition_time = now_;
  }
  found->status = status;
  found->reason = reason;
  found->message = message;
}

void Conditions::Remove(std::string_view type) {
  std::erase_if(list_, [&](const api::Condition& condition) { return condition.type == type; });
}

bool IsTrue(const std::vector<api::Condition>& list, std::string_view type) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const api::Condition& condition) {
    return condition.type == type;
  });
  return found != list.end() && found->status == "True";
}

}  // namespace ballast::engine
