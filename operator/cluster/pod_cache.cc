#include "operator/cluster/pod_cache.h"

#include <algorithm>
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

// Empty: the pods of this template have no controller.
std::string ControllerUid(const api::Pod* shared) {
  const api::OwnerReference* controller = api::ControllerOf(shared->metadata);
  return controller == nullptr ? "" : controller->uid;
}

PodCache::Entry EntryOf(PodCache::Pointer pod) {
  return {std::string(pod->uid()), std::string(pod->resource_version()), std::move(pod)};
}

}  // namespace

std::vector<std::shared_ptr<const api::Pod>> PodCache::Select(const std::string& namespace_,
                                                              const api::Selector& selector,
                                                              const Uids* controllers) const {
  std::vector<Pointer> found;
  {
    const std::lock_guard lock(mutex_);
    const auto in = namespaces_.find(namespace_);
    if (in == namespaces_.end()) {
      return {};
    }
    for (const Template shared : FindGroups(in->second, selector, controllers)) {
      const std::vector<Pointer>& group = in->second.groups.at(shared);
      found.insert(found.end(), group.begin(), group.end());
    }
  }
  std::sort(found.begin(), found.end(), ByName);
  const bool each = LooksAtOwnLabels(selector);
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

std::vector<PodCache::Controlled> PodCache::Controllers(const std::string& namespace_,
                                                        const api::Selector& selector) const {
  const auto matches = [&selector](const Pointer& pod) {
    return selector.Matches(pod->Unpack().metadata.labels);
  };
  const bool each = LooksAtOwnLabels(selector);
  std::map<std::string, Controlled> by_uid;
  const std::lock_guard lock(mutex_);
  const auto in = namespaces_.find(namespace_);
  if (in == namespaces_.end()) {
    return {};
  }
  for (const Template shared : FindGroups(in->second, selector, nullptr)) {
    const std::vector<Pointer>& group = in->second.groups.at(shared);
    const auto count =
        each ? static_cast<std::size_t>(std::ranges::count_if(group, matches)) : group.size();
    if (count > 0) {
      const api::OwnerReference* controller = api::ControllerOf(shared->metadata);
      const api::OwnerReference by = controller == nullptr ? api::OwnerReference() : *controller;
      by_uid.try_emplace(by.uid, Controlled{by}).first->second.pods += count;
    }
  }
  std::vector<Controlled> all;
  for (auto& [uid, controlled] : by_uid) {
    all.push_back(std::move(controlled));
  }
  return all;
}

std::vector<PodCache::Template> PodCache::FindGroups(const Namespace& in,
                                                     const api::Selector& selector,
                                                     const Uids* controllers) {
  // The index entries of the condition that the fewest groups meet.
  std::optional<std::vector<const std::set<Template>*>> rarest;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  const auto consider = [&](const Index& index, const auto& keys) {
    std::vector<const std::set<Template>*> parts;
    std::size_t count = 0;
    for (const std::string& key : keys) {
      if (const auto found = index.find(key); found != index.end()) {
        parts.push_back(&found->second);
        count += found->second.size();
      }
    }
    if (count < fewest) {
      fewest = count;
      rarest = std::move(parts);
    }
  };
  for (const api::Selector::Requirement& requirement : selector.requirements()) {
    if (NamesValues(requirement) && !IsOwnLabel(requirement.key)) {
      consider(in.by_label, PairsOf(requirement));
    }
  }
  if (controllers != nullptr) {
    consider(in.by_controller, *controllers);
  }

  const bool each = LooksAtOwnLabels(selector);
  std::vector<Template> groups;
  const auto take = [&](Template shared) {
    const bool owned = controllers == nullptr || controllers->contains(ControllerUid(shared));
    if (owned && (each || selector.Matches(shared->metadata.labels))) {
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
  Namespace& in = namespaces_[key.namespace_];
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

void PodCache::AddGroup(Namespace& in, Template shared) {
  for (const auto& [label, value] : shared->metadata.labels) {
    in.by_label[LabelPair(label, value)].insert(shared);
  }
  if (const std::string uid = ControllerUid(shared); !uid.empty()) {
    in.by_controller[uid].insert(shared);
  }
}

void PodCache::RemoveGroup(Namespace& in, Template shared) {
  const auto remove = [shared](Index& index, const std::string& key) {
    const auto found = index.find(key);
    found->second.erase(shared);
    if (found->second.empty()) {
      index.erase(found);
    }
  };
  for (const auto& [label, value] : shared->metadata.labels) {
    remove(in.by_label, LabelPair(label, value));
  }
  if (const std::string uid = ControllerUid(shared); !uid.empty()) {
    remove(in.by_controller, uid);
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
