#include "operator/sources/namespace_metrics.h"

#include <algorithm>
#include <utility>

namespace ballast::sources {
namespace {

using Operator = api::SelectorOperator;

std::string LabelPair(const std::string& key, const std::string& value) {
  return key + "=" + value;
}

bool NamesOneValue(const api::Selector::Requirement& requirement) {
  return (requirement.op == Operator::kEquals || requirement.op == Operator::kDoubleEquals ||
          requirement.op == Operator::kIn) &&
         requirement.values.size() == 1;
}

}  // namespace

void NamespaceMetrics::Add(api::PodMetrics pod) {
  api::Labels labels = std::move(pod.labels);
  pod.labels.clear();
  const auto shared = std::make_shared<const api::PodMetrics>(std::move(pod));
  const std::size_t known = by_name_.size();
  by_name_.try_emplace(by_name_.end(), shared->name, shared);  // lists are in order
  if (by_name_.size() == known) {
    return;
  }
  if (last_ == nullptr || last_->first != labels) {
    const auto [group, is_new] = groups_.try_emplace(std::move(labels));
    last_ = &*group;
    if (is_new) {
      for (const auto& [key, value] : last_->first) {
        by_label_[LabelPair(key, value)].push_back(last_);
      }
    }
  }
  last_->second.push_back(shared);
}

std::vector<NamespaceMetrics::Pointer> NamespaceMetrics::Select(
    const api::Selector& selector) const {
  static const std::vector<const Groups::value_type*> kNone;
  const std::vector<const Groups::value_type*>* fewest = nullptr;  // null: all
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
  const auto take = [&](const Groups::value_type& group) {
    if (selector.Matches(group.first)) {
      selected.insert(selected.end(), group.second.begin(), group.second.end());
    }
  };
  if (fewest != nullptr) {
    std::ranges::for_each(*fewest, [&](const auto* group) { take(*group); });
  } else {
    std::ranges::for_each(groups_, take);
  }
  std::ranges::sort(
      selected, {}, [](const Pointer& pod) -> const auto& { return pod->name; });
  return selected;
}

}  // namespace ballast::sources
