#include "operator/sources/namespace_metrics.h"

#include <algorithm>
#include <utility>

namespace ballast::sources {
namespace {

using Operator = api::Selector::Operator;

std::string LabelPair(const std::string& key, const std::string& value) {
  return key + "=" + value;
}

bool NamesOneValue(const api::Selector::Requirement& requirement) {
  return (requirement.op == Operator::kEquals || requirement.op == Operator::kDoubleEquals ||
          requirement.op == Operator::kIn) &&
         requirement.values.size() == 1;
}

}  // namespace

void NamespaceMetrics::Add(Pointer pod) {
  if (!by_name_.try_emplace(pod->name, pod).second) {
    return;
  }
  for (const auto& [key, value] : pod->labels) {
    by_label_[LabelPair(key, value)].push_back(pod);
  }
}

std::vector<NamespaceMetrics::Pointer> NamespaceMetrics::Select(
    const api::Selector& selector) const {
  static const std::vector<Pointer> kNone;
  const std::vector<Pointer>* fewest = nullptr;  // null: all pods
  for (const api::Selector::Requirement& requirement : selector.requirements()) {
    if (NamesOneValue(requirement)) {
      const auto found = by_label_.find(LabelPair(requirement.key, requirement.values.front()));
      const auto& having = found == by_label_.end() ? kNone : found->second;
      if (fewest == nullptr || having.size() < fewest->size()) {
        fewest = &having;
      }
    }
  }
  std::vector<Pointer> selected;
  const auto take = [&](const Pointer& pod) {
    if (selector.Matches(pod->labels)) {
      selected.push_back(pod);
    }
  };
  if (fewest != nullptr) {
    std::ranges::for_each(*fewest, take);
    std::ranges::sort(
        selected, {}, [](const Pointer& pod) -> const auto& { return pod->name; });
  } else {
    std::ranges::for_each(by_name_, [&](const auto& entry) { take(entry.second); });
  }
  return selected;
}

}  // namespace ballast::sources
