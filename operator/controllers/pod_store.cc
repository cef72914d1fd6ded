#include "operator/controllers/pod_store.h"

#include <algorithm>
#include <limits>

#include "operator/controllers/label_pairs.h"

namespace ballast::controllers {
namespace {

// Whether the pods of one template may differ in what the selector asks for.
bool LooksAtOwnLabels(const api::Selector& selector) {
  return std::any_of(selector.requirements().begin(), selector.requirements().end(),
                     [](const auto& requirement) { return IsOwnLabel(requirement.key); });
}

auto ByName(const PodStore::Pointer& a, const PodStore::Pointer& b) {
  return a->name() < b->name();
}

PodStore::Entry EntryOf(PodStore::Pointer pod) {
  return {std::string(pod->uid()), std::string(pod->resource_version()), std::move(pod)};
}

}  // namespace

std::vector<std::shared_ptr<const api::Pod>> PodStore::Select(const std::string& namespace_,
                                                              const api::Selector& selector) const {
  const bool each = LooksAtOwnLabels(selector);
  std::vector<Pointer> found;
  {
    const std::lock_guard lock(mutex_);
    const auto in = namespaces_.find(namespace_);
    if (in == namespaces_.end()) {
      return {};
    }
    for (const Template shared : Candidates(in->second, selector)) {
      if (each || selector.Matches(shared->metadata.labels)) {
        const std::vector<Pointer>& group = in->second.groups.at(shared);
        found.insert(found.end(), group.begin(), group.end());
      }
    }
  }
  std::sort(found.begin(), found.end(), ByName);
  std::vector<std::shared_ptr<const api::Pod>> pods;
  pods.reserve(found.size());
  for (const Pointer& packed : found) {
    auto pod = std::make_shared<const api::Pod>(packed->Unpack());
    if (!each || selector.Matches(pod->metadata.labels)) {
      pods.push_back(std::move(pod));
    }
  }
  return pods;
}

// The groups that may match: those with the rarest of the labels asked for, or all.
std::set<PodStore::Template> PodStore::Candidates(const Namespace& in,
                                                  const api::Selector& selector) {
  const api::Selector::Requirement* rarest = nullptr;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  const auto groups = [&in](std::string_view key, std::string_view value) {
    static const std::set<Template> kNone;
    const auto found = in.by_label.find(LabelPair(key, value));
    return found == in.by_label.end() ? &kNone : &found->second;
  };
  for (const api::Selector::Requirement& requirement : selector.requirements()) {
    if (!NamesValues(requirement) || IsOwnLabel(requirement.key)) {
      continue;
    }
    std::size_t count = 0;
    for (const std::string& value : requirement.values) {
      count += groups(requirement.key, value)->size();
    }
    if (count < fewest) {
      fewest = count;
      rarest = &requirement;
    }
  }
  std::set<Template> candidates;
  if (rarest == nullptr) {
    for (const auto& [shared, pods] : in.groups) {
      candidates.insert(shared);
    }
    return candidates;
  }
  for (const std::string& value : rarest->values) {
    candidates.insert(groups(rarest->key, value)->begin(), groups(rarest->key, value)->end());
  }
  return candidates;
}

std::size_t PodStore::size() const {
  const std::lock_guard lock(mutex_);
  return pods_.size();
}

PodStore::Entry PodStore::Put(const api::ObjectKey& key, const Entry& entry) {
  const std::lock_guard lock(mutex_);
  Entry before = RemoveLocked(key);
  const Pointer& pod = entry.object;
  Namespace& in = namespaces_[key.namespace_];
  std::vector<Pointer>& group = in.groups[pod->shared()];
  if (group.empty()) {
    for (const auto& [label, value] : pod->shared()->metadata.labels) {
      in.by_label[LabelPair(label, value)].insert(pod->shared());
    }
  }
  group.insert(std::lower_bound(group.begin(), group.end(), pod, ByName), pod);
  pods_.insert(pod);
  return before;
}

PodStore::Entry PodStore::Remove(const api::ObjectKey& key) {
  const std::lock_guard lock(mutex_);
  return RemoveLocked(key);
}

PodStore::Entry PodStore::RemoveLocked(const api::ObjectKey& key) {
  const auto found = pods_.find(Key(key.namespace_, key.name));
  if (found == pods_.end()) {
    return {};
  }
  const Pointer pod = *found;
  pods_.erase(found);
  const auto in = namespaces_.find(key.namespace_);
  const auto group = in->second.groups.find(pod->shared());
  group->second.erase(std::lower_bound(group->second.begin(), group->second.end(), pod, ByName));
  if (group->second.empty()) {
    in->second.groups.erase(group);
    for (const auto& [label, value] : pod->shared()->metadata.labels) {
      const auto pair = in->second.by_label.find(LabelPair(label, value));
      pair->second.erase(pod->shared());
      if (pair->second.empty()) {
        in->second.by_label.erase(pair);
      }
    }
    if (in->second.groups.empty()) {
      namespaces_.erase(in);
    }
  }
  return EntryOf(pod);
}

std::vector<api::ObjectKey> PodStore::Keys() const {
  const std::lock_guard lock(mutex_);
  std::vector<api::ObjectKey> keys;
  keys.reserve(pods_.size());
  for (const Pointer& pod : pods_) {
    keys.push_back({std::string(pod->namespace_()), std::string(pod->name())});
  }
  return keys;
}

}  // namespace ballast::controllers
