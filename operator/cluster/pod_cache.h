// The cache of pods (what Informer calls a Store): packed, and found by label selector and by owner
// without looking at each.
//
// Pods are grouped by namespace and template, which has their labels and their owners; groups are
// found by these. A selector looks at the groups that have the rarest of the labels it asks for, or
// at those of the owners asked for where these are fewer. Thread-safety: any thread; what a reader
// got stays valid and unchanged for as long as it holds it.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/kubernetes/label_selector.h"
#include "api/kubernetes/meta.h"
#include "operator/cluster/packed_pod.h"

namespace ballast::cluster {

class PodCache {
 public:
  using Pointer = std::shared_ptr<const PackedPod>;
  struct Entry {
    std::string uid;
    std::string resource_version;
    Pointer object;
  };

  using Uids = std::set<std::string>;
  struct Controlled {
    api::OwnerReference controller;  // empty: nobody
    std::size_t pods = 0;
  };

  // The namespace's pods that the selector matches, by name; an empty selector matches all.
  // `controllers`: only those that one of them controls; null: whoever does.
  std::vector<std::shared_ptr<const api::Pod>> Select(const std::string& namespace_,
                                                      const api::Selector& selector,
                                                      const Uids* controllers = nullptr) const;
  // Who controls the pods that the selector matches, each once, and how many of them.
  std::vector<Controlled> Controllers(const std::string& namespace_,
                                      const api::Selector& selector) const;
  bool Contains(const api::ObjectKey& key) const;
  std::size_t size() const;

  // For the informer: each returns what was there.
  Entry Put(const api::ObjectKey& key, const Entry& entry);
  Entry Remove(const api::ObjectKey& key);
  std::vector<api::ObjectKey> Keys() const;

 private:
  using Key = std::pair<std::string_view, std::string_view>;  // namespace, name
  struct ByKey {
    using is_transparent = void;
    static Key Of(const Pointer& pod) { return {pod->namespace_(), pod->name()}; }
    static const Key& Of(const Key& key) { return key; }
    bool operator()(const auto& a, const auto& b) const { return Of(a) < Of(b); }
  };
  using Template = const api::Pod*;  // one that a pod of the group keeps alive
  using Index = std::unordered_map<std::string, std::set<Template>>;
  struct Namespace {
    std::map<Template, std::vector<Pointer>> groups;  // each by name
    Index by_label;                                   // "key=value"
    Index by_controller;                              // its uid
  };

  Entry RemoveLocked(const api::ObjectKey& key);
  static void AddGroup(Namespace& in, Template shared);
  static void RemoveGroup(Namespace& in, Template shared);
  // The groups in which the pods asked for are: all pods of each, unless the selector looks at a
  // label that each has its own of.
  static std::vector<Template> FindGroups(const Namespace& in, const api::Selector& selector,
                                          const Uids* controllers);

  mutable std::mutex mutex_;  // guards: everything below
  std::set<Pointer, ByKey> pods_;
  std::map<std::string, Namespace, std::less<>> namespaces_;
};

}  // namespace ballast::cluster
