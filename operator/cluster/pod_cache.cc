#include "operator/cluster/pod_cache.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>

#include "operator/cluster/label_pairs.h"

namespace ballast::cluster {
namespace {

// Whether the selector requires a label whose value differs between the pods of one template.
bool LooksAtOwnLabels(const api::Selector& selector) {
  return std::any_of(selector.requirements().begin(), selector.requirements().end(),
                     [](const auto& requirement) { return IsOwnLabel(requirement.key); });
}

auto ByName(const PodCache::Pointer& a, const PodCache::Pointer& b) {
  return a->name() < b->name();
}

PodCache::Entry EntryOf(PodCache::Pointer pod) {
  return {std::string(pod->uid()), std::string(pod->resource_version()), std::move(pod)};
}

}  // namespace

PodCache::Pods PodCache::Select(const std::string& namespace_,
                                const api::Selector& selector) const {
  std::vector<Pointer> found;
  {
    const std::lock_guard lock(mutex_);
    const auto in = namespaces_.find(namespace_);
    if (in == namespaces_.end()) {
      return {};
    }
    for (const Template shared : FindGroups(in->second, selector)) {
      const std::vector<Pointer>& group = in->second.groups.at(shared);
      found.insert(found.end(), group.begin(), group.end());
    }
  }
  Pods pods = Unpack(std::move(found));
  if (LooksAtOwnLabels(selector)) {
    std::erase_if(pods, [&](const auto& pod) { return !selector.Matches(pod->metadata.labels); });
  }
  return pods;
}

std::vector<PodCache::Controlled> PodCache::SelectByController(
    const std::string& namespace_, const api::Selector& selector) const {
  const bool each = LooksAtOwnLabels(selector);
  const auto matches = [&](const Pointer& pod) {
    return !each || selector.Matches(pod->Unpack().metadata.labels);
  };
  std::map<std::string, Controlled> by_uid;
  {
    const std::lock_guard lock(mutex_);
    const auto in = namespaces_.find(namespace_);
    if (in == namespaces_.end()) {
      return {};
    }
    for (const Template shared : FindGroups(in->second, selector)) {
      const api::OwnerReference* controller = api::ControllerOf(shared->metadata);
      const api::OwnerReference by = controller == nullptr ? api::OwnerReference() : *controller;
      std::vector<Pointer>& pods =
          by_uid.try_emplace(by.uid, Controlled{by, {}}).first->second.pods;
      std::ranges::copy_if(in->second.groups.at(shared), std::back_inserter(pods), matches);
    }
  }
  std::vector<Controlled> all;
  for (auto& [uid, controlled] : by_uid) {
    if (!controlled.pods.empty()) {
      all.push_back(std::move(controlled));
    }
  }
  return all;
}

PodCache::Pods PodCache::Unpack(std::vector<Pointer> packed) {
  if (!std::ranges::is_sorted(packed, ByName)) {  // as those of one template are
    std::ranges::sort(packed, ByName);
  }
  Pods pods;
  pods.reserve(packed.size());
  for (const Pointer& pod : packed) {
    // Not make_shared, into which the pod would be moved.
    pods.push_back(std::shared_ptr<const api::Pod>(new api::Pod(pod->Unpack())));
  }
  return pods;
}

std::vector<PodCache::Template> PodCache::FindGroups(const NamespacePods& in,
                                                     const api::Selector& selector) {
  // The index entries of the condition that the fewest groups meet.
  std::optional<std::vector<const std::set<Template>*>> rarest;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const api::Selector::Requirement& requirement : selector.requirements()) {
    if (!NamesValues(requirement) || IsOwnLabel(requirement.key)) {
      continue;
    }
    std::vector<const std::set<Template>*> parts;
    std::size_t count = 0;
    for (const std::string& pair : PairsOf(requirement)) {
      if (const auto found = in.by_label.find(pair); found != in.by_label.end()) {
        parts.push_back(&found->second);
        count += found->second.size();
      }
    }
    if (count < fewest) {
      fewest = count;
      rarest = std::move(parts);
    }
  }

  const bool each = LooksAtOwnLabels(selector);
  std::vector<Template> groups;
  const auto take = [&](Template shared) {
    if (each || selector.Matches(shared->metadata.labels)) {
      groups.push_back(shared);
    }
  };
  if (!rarest) {
    for (const auto& [shared, pods] : in.groups) {
      take(shared);
    }
    return groups;
  }
  for (const std::set<Template>* part : *rarest) {  // the parts are disjoint
    std::ranges::for_each(*part, take);
  }
  return groups;
}

bool PodCache::Contains(const api::ObjectKey& key) const {
  const std::lock_guard lock(mutex_);
  return pods_.contains(Key(key.namespace_, key.name));
}

std::size_t PodCache::size() const {
  const std::lock_guard lock(mutex_);
  return pods_.size();
}

std::size_t PodCache::CountIn(const std::string& namespace_) const {
  const std::lock_guard lock(mutex_);
  const auto in = namespaces_.find(namespace_);
  std::size_t count = 0;
  if (in != namespaces_.end()) {
    for (const auto& [shared, pods] : in->second.groups) {
      count += pods.size();
    }
  }
  return count;
}

PodCache::Entry PodCache::Put(const api::ObjectKey& key, const Entry& entry) {
  const std::lock_guard lock(mutex_);
  Entry before = RemoveLocked(key);
  const Pointer& pod = entry.object;
  NamespacePods& in = namespaces_[key.namespace_];
  std::vector<Pointer>& group = in.groups[pod->shared()];
  if (group.empty()) {
    AddGroup(in, pod->shared());
  }
  group.insert(std::lower_bound(group.begin(), group.end(), pod, ByName), pod);
  pods_.insert(pod);
  return before;
}

PodCache::Entry PodCache::Remove(const api::ObjectKey& key) {
  const std::lock_guard lock(mutex_);
  return RemoveLocked(key);
}

PodCache::Entry PodCache::RemoveLocked(const api::ObjectKey& key) {
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
    RemoveGroup(in->second, pod->shared());
    if (in->second.groups.empty()) {
      namespaces_.erase(in);
    }
  }
  return EntryOf(pod);
}

void PodCache::AddGroup(NamespacePods& in, Template shared) {
  for (const auto& [label, value] : shared->metadata.labels) {
    in.by_label[LabelPair(label, value)].insert(shared);
  }
}

void PodCache::RemoveGroup(NamespacePods& in, Template shared) {
  for (const auto& [label, value] : shared->metadata.labels) {
    const auto found = in.by_label.find(LabelPair(label, value));
    found->second.erase(shared);
    if (found->second.empty()) {
      in.by_label.erase(found);
    }
  }
}

std::vector<api::ObjectKey> PodCache::Keys() const {
  const std::lock_guard lock(mutex_);
  std::vector<api::ObjectKey> keys;
  keys.reserve(pods_.size());
  for (const Pointer& pod : pods_) {
    keys.push_back({std::string(pod->namespace_()), std::string(pod->name())});
  }
  return keys;
}

}  // namespace ballast::cluster
