// The cache of pods (the Store of an Informer): packed, and indexed so that a search by label
// selector does not visit every pod.
//
// Pods are grouped by namespace and template, that is, by equal labels and owners, and the index
// leads to groups. A search visits the groups that have the rarest of the required labels.
//
// Thread-safety: any thread. The pods returned are immutable and stay valid while they are held.
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
#include "operator/runtime/cache.h"

namespace ballast::cluster {

class PodCache {
 public:
  using Pointer = std::shared_ptr<const PackedPod>;
  using Entry = runtime::CachedObject<Pointer>;

  using Pods = std::vector<std::shared_ptr<const api::Pod>>;
  // The pods of one controller.
  struct Controlled {
    api::OwnerReference controller;  // empty: they have none
    std::vector<Pointer> pods;
  };

  // The namespace's pods that the selector matches, by name; an empty selector matches all.
  Pods Select(const std::string& namespace_, const api::Selector& selector) const;
  // The same pods, all as of one moment, by the uids of their controllers.
  std::vector<Controlled> SelectByController(const std::string& namespace_,
                                             const api::Selector& selector) const;
  // By name.
  static Pods Unpack(std::vector<Pointer> pods);
  bool Contains(const api::ObjectKey& key) const;
  std::size_t size() const;
  // Of the namespace's pods.
  std::size_t CountIn(const std::string& namespace_) const;

  // For the informer: each returns the previous entry.
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
  using Template = const api::Pod*;  // the shared part, kept alive by the group's pods
  using Index = std::unordered_map<std::string, std::set<Template>>;
  struct NamespacePods {
    std::map<Template, std::vector<Pointer>> groups;  // each by name
    Index by_label;                                   // "key=value"
  };

  Entry RemoveLocked(const api::ObjectKey& key);
  static void AddGroup(NamespacePods& in, Template shared);
  static void RemoveGroup(NamespacePods& in, Template shared);
  // The groups whose pods match. Each pod has to be checked too if the selector requires a label
  // for which IsOwnLabel().
  static std::vector<Template> FindGroups(const NamespacePods& in, const api::Selector& selector);

  mutable std::mutex mutex_;  // guards: everything below
  std::set<Pointer, ByKey> pods_;
  std::map<std::string, NamespacePods, std::less<>> namespaces_;
};

}  // namespace ballast::cluster
