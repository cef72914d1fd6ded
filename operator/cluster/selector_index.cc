#include "operator/cluster/selector_index.h"

#include <algorithm>
#include <utility>

#include "api/kubernetes/parse_selector.h"
#include "operator/cluster/label_pairs.h"

namespace ballast::cluster {
namespace {

bool HaveOneInCommon(const std::set<std::string>& few, const std::set<std::string>& many) {
  return std::ranges::any_of(few, [&](const std::string& pair) { return many.contains(pair); });
}

}  // namespace

void SelectorIndex::Put(const api::ObjectKey& key, const std::string& text) {
  const auto selector = api::ParseSelector(text);
  const std::lock_guard lock(mutex_);
  NamespaceSelectors& in = namespaces_[key.namespace_];
  RemoveFrom(in, key.name);
  if (selector.ok() && !selector->empty()) {
    Filed filed;
    for (const api::Selector::Requirement& requirement : selector->requirements()) {
      if (NamesValues(requirement)) {
        filed.asked.push_back(PairsOf(requirement));
      }
    }
    const auto askers = [&in](const Pairs& pairs) {
      std::size_t all = 0;
      for (const std::string& pair : pairs) {
        const auto found = in.pairs.find(pair);
        all += found == in.pairs.end() ? 0 : found->second.askers;
      }
      return all;
    };
    const auto rarest = std::ranges::min_element(filed.asked, {}, askers);
    if (rarest == filed.asked.end()) {
      in.any_labels.insert(key.name);
    } else {
      std::iter_swap(filed.asked.begin(), rarest);
      for (const std::string& pair : filed.asked.front()) {
        in.pairs[pair].filed.insert(key.name);
      }
    }
    for (const Pairs& pairs : filed.asked) {
      for (const std::string& pair : pairs) {
        ++in.pairs[pair].askers;
      }
    }
    in.selectors.emplace(key.name, std::move(filed));
  }
  if (in.selectors.empty()) {
    namespaces_.erase(key.namespace_);
  }
}

void SelectorIndex::Remove(const api::ObjectKey& key) {
  const std::lock_guard lock(mutex_);
  const auto in = namespaces_.find(key.namespace_);
  if (in == namespaces_.end()) {
    return;
  }
  RemoveFrom(in->second, key.name);
  if (in->second.selectors.empty()) {
    namespaces_.erase(in);
  }
}

std::set<std::string> SelectorIndex::Find(const std::string& namespace_,
                                          const std::set<std::string>& pairs) const {
  const std::lock_guard lock(mutex_);
  const auto in = namespaces_.find(namespace_);
  if (in == namespaces_.end()) {
    return {};
  }
  std::set<std::string> found = in->second.any_labels;
  for (const std::string& pair : pairs) {
    const auto filed = in->second.pairs.find(pair);
    if (filed == in->second.pairs.end()) {
      continue;
    }
    for (const std::string& name : filed->second.filed) {
      const auto& asked = in->second.selectors.at(name).asked;
      if (std::ranges::all_of(asked,
                              [&](const Pairs& one) { return HaveOneInCommon(one, pairs); })) {
        found.insert(name);
      }
    }
  }
  return found;
}

void SelectorIndex::RemoveFrom(NamespaceSelectors& in, const std::string& name) {
  const auto filed = in.selectors.find(name);
  if (filed == in.selectors.end()) {
    return;
  }
  for (const Pairs& pairs : filed->second.asked) {
    for (const std::string& pair : pairs) {
      const auto at = in.pairs.find(pair);
      at->second.filed.erase(name);
      if (--at->second.askers == 0) {
        in.pairs.erase(at);
      }
    }
  }
  in.any_labels.erase(name);
  in.selectors.erase(filed);
}

}  // namespace ballast::cluster
