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

const api::Condition* Find(const std::vector<api::Condition>& list, std::string_view type) {
  const auto found = std::ranges::find(list, type, &api::Condition::type);
  return found == list.end() ? nullptr : &*found;
}

bool IsTrue(const std::vector<api::Condition>& list, std::string_view type) {
  const api::Condition* found = Find(list, type);
  return found != nullptr && found->status == "True";
}

}  // namespace ballast::engine
