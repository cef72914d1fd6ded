// The objects of one kind as last seen: shared, immutable, by namespace and name, with indexes. An
// informer writes it; everyone else reads.
//
// They are found by hashes, as each evaluation looks for some among thousands; lists are sorted
// when they are made.
//
// Thread-safety: any thread, once all indexes are added; a returned object stays valid and
// unchanged for as long as the reader holds it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/kubernetes/meta.h"

namespace ballast::runtime {

// What a cache has of an object.
template <typename Pointer>
struct CachedObject {
  std::string uid;
  std::string resource_version;
  Pointer object;
};

template <typename T>
class Cache {
 public:
  using Pointer = std::shared_ptr<const T>;
  // The values under which an object is found ("the uids of its owners").
  using IndexFunction =
      std::function<std::vector<std::string>(const api::ObjectKey& key, const T& object)>;

  using Entry = CachedObject<Pointer>;

  // Call it before the first object is put and before other threads use the cache.
  void AddIndex(std::string name, IndexFunction function) {
    indexes_.emplace(std::move(name), Index{std::move(function), {}});
  }

  // Null if there is none.
  Pointer Get(const api::ObjectKey& key) const {
    const std::lock_guard lock(mutex_);
    const auto in = namespaces_.find(key.namespace_);
    if (in == namespaces_.end()) {
      return nullptr;
    }
    const auto found = in->second.find(key.name);
    return found == in->second.end() ? nullptr : found->second.object;
  }

  // All objects, ordered by namespace and name.
  std::vector<Pointer> List() const {
    std::vector<Pointer> objects;
    const std::lock_guard lock(mutex_);
    VisitAll([&](const std::string&, const std::string&, const Entry& entry) {
      objects.push_back(entry.object);
    });
    return objects;
  }

  // By name.
  std::vector<Pointer> InNamespace(const std::string& namespace_) const {
    std::vector<Pointer> objects;
    const std::lock_guard lock(mutex_);
    if (const auto in = namespaces_.find(namespace_); in != namespaces_.end()) {
      objects.reserve(in->second.size());
      VisitInOrder(in->second, [&](const std::string&, const Entry& entry) {
        objects.push_back(entry.object);
      });
    }
    return objects;
  }

  // The objects for which the index function of that name returned `value`, and `keep` returns
  // true; none if there is no such index.
  std::vector<Pointer> ByIndex(const std::string& name, const std::string& value,
                               const auto& keep) const {
    const std::lock_guard lock(mutex_);
    std::vector<Pointer> objects;
    const auto index = indexes_.find(name);
    if (index == indexes_.end()) {
      return objects;
    }
    const auto found = index->second.objects.find(value);
    if (found == index->second.objects.end()) {
      return objects;
    }
    for (const auto& [key, object] : found->second) {
      if (keep(*object)) {
        objects.push_back(object);
      }
    }
    return objects;
  }
  std::vector<Pointer> ByIndex(const std::string& name, const std::string& value) const {
    return ByIndex(name, value, [](const T&) { return true; });
  }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    std::size_t all = 0;
    for (const auto& [namespace_, names] : namespaces_) {
      all += names.size();
    }
    return all;
  }

  // For the informer, as is the rest: stores the entry and returns the one that it replaces.
  Entry Put(const api::ObjectKey& key, Entry entry) {
    const std::lock_guard lock(mutex_);
    Entry before = RemoveLocked(key);
    for (auto& [name, index] : indexes_) {
      for (std::string& value : index.function(key, *entry.object)) {
        index.objects[std::move(value)].emplace(key, entry.object);
      }
    }
    namespaces_[key.namespace_].emplace(key.name, std::move(entry));
    return before;
  }

  // Returns the removed entry.
  Entry Remove(const api::ObjectKey& key) {
    const std::lock_guard lock(mutex_);
    return RemoveLocked(key);
  }

  std::vector<api::ObjectKey> Keys() const {
    std::vector<api::ObjectKey> keys;
    const std::lock_guard lock(mutex_);
    VisitAll([&](const std::string& namespace_, const std::string& name, const Entry&) {
      keys.push_back({namespace_, name});
    });
    return keys;
  }

 private:
  template <typename Value>
  using Named = std::unordered_map<std::string, Value>;
  struct Index {
    IndexFunction function;
    Named<std::map<api::ObjectKey, Pointer>> objects;  // by a value; none is empty
  };

  template <typename Value>
  static void VisitInOrder(const Named<Value>& named, const auto& visit) {
    std::vector<const typename Named<Value>::value_type*> sorted;
    sorted.reserve(named.size());
    for (const auto& one : named) {
      sorted.push_back(&one);
    }
    std::ranges::sort(sorted, {}, [](const auto* one) -> const std::string& { return one->first; });
    for (const auto* one : sorted) {
      visit(one->first, one->second);
    }
  }
  // `visit` gets namespace, name and entry.
  void VisitAll(const auto& visit) const {
    VisitInOrder(namespaces_, [&](const std::string& namespace_, const Named<Entry>& names) {
      VisitInOrder(names, [&](const std::string& name, const Entry& entry) {
        visit(namespace_, name, entry);
      });
    });
  }

  Entry RemoveLocked(const api::ObjectKey& key) {
    const auto in = namespaces_.find(key.namespace_);
    auto removed =
        in == namespaces_.end() ? typename Named<Entry>::node_type() : in->second.extract(key.name);
    if (!removed) {
      return {};
    }
    if (in->second.empty()) {
      namespaces_.erase(in);
    }
    Entry entry = std::move(removed.mapped());
    for (auto& [name, index] : indexes_) {
      for (const std::string& value : index.function(key, *entry.object)) {
        RemoveFrom(index, value, key);
      }
    }
    return entry;
  }

  static void RemoveFrom(Index& index, const std::string& value, const api::ObjectKey& key) {
    const auto found = index.objects.find(value);
    if (found != index.objects.end() && found->second.erase(key) > 0 && found->second.empty()) {
      index.objects.erase(found);
    }
  }

  mutable std::mutex mutex_;        // guards: namespaces_, indexes_
  Named<Named<Entry>> namespaces_;  // the objects by namespace and name; none is empty
  std::map<std::string, Index> indexes_;
};

}  // namespace ballast::runtime
