#include "operator/cluster/label_pairs.h"

namespace ballast::cluster {

std::string LabelPair(std::string_view key, std::string_view value) {
  return std::string(key) + '=' + std::string(value);
}

bool NamesValues(const api::Selector::Requirement& requirement) {
  using Operator = api::SelectorOperator;
  return requirement.op == Operator::kIn || requirement.op == Operator::kEquals ||
         requirement.op == Operator::kDoubleEquals;
}

std::set<std::string> PairsOf(const api::Selector::Requirement& requirement) {
  std::set<std::string> pairs;
  for (const std::string& value : requirement.values) {
    pairs.insert(LabelPair(requirement.key, value));
  }
  return pairs;
}

std::set<std::string> PairsOf(const api::Labels& labels) {
  std::set<std::string> pairs;
  for (const auto& [key, value] : labels) {
    pairs.insert(LabelPair(key, value));
  }
  return pairs;
}

std::set<std::string> PairsOf(const engine::PodList& pods) {
  std::set<std::string> pairs;
  const Shared<api::Labels>* last = nullptr;  // adjacent pods mostly share a template's labels
  for (const auto& pod : pods) {
    const Shared<api::Labels>& labels = pod->metadata.labels;
    if (last != nullptr && *last == labels) {
      continue;
    }
    last = &labels;
    pairs.merge(PairsOf(labels));
  }
  return pairs;
}

}  // namespace ballast::cluster
