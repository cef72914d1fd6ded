#include "operator/controllers/label_pairs.h"

#include <algorithm>

namespace ballast::controllers {

std::string LabelPair(std::string_view key, std::string_view value) {
  return std::string(key) + '=' + std::string(value);
}

bool NamesValues(const api::Selector::Requirement& requirement) {
  using Operator = api::Selector::Operator;
  return requirement.op == Operator::kIn || requirement.op == Operator::kEquals ||
         requirement.op == Operator::kDoubleEquals;
}

std::set<std::string> PairsAskedFor(const api::Selector& selector) {
  std::set<std::string> pairs;
  const auto asked = std::ranges::find_if(selector.requirements(), NamesValues);
  if (asked != selector.requirements().end()) {
    for (const std::string& value : asked->values) {
      pairs.insert(LabelPair(asked->key, value));
    }
  }
  return pairs;
}

std::set<std::string> PairsOf(const engine::PodList& pods) {
  std::set<std::string> pairs;
  const api::Labels* last = nullptr;  // pods of one template have the same, one behind the other
  for (const auto& pod : pods) {
    const api::Labels& labels = pod->metadata.labels;
    if (last != nullptr && *last == labels) {
      continue;
    }
    last = &labels;
    for (const auto& [key, value] : labels) {
      pairs.insert(LabelPair(key, value));
    }
  }
  return pairs;
}

}  // namespace ballast::controllers
