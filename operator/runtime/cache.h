// The objects of one kind as last seen: shared, immutable, by namespace and name, with indexes. An
// informer writes it; everyone else reads.
//
// Thread-safety: any thread, once all indexes are added; a returned object stays valid and
// unchanged for as long as the reader holds it.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
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
    const auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : found->second.object;
  }

  // All objects, ordered by namespace and name.
  std::vector<Pointer> List() const {
    const std::lock_guard lock(mutex_);
    std::vector<Pointer> objects;
    objects.reserve(entries_.size());
    for (const auto& [key, entry] : entries_) {
      objects.push_back(entry.object);
    }
    return objects;
  }

  std::vector<Pointer> InNamespace(const std::string& namespace_) const {
    const std::lock_guard lock(mutex_);
    std::vector<Pointer> objects;
    for (auto at = entries_.lower_bound({namespace_, ""});
         at != entries_.end() && at->first.namespace_ == namespace_; ++at) {
      objects.push_back(at->second.object);
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
    const auto [begin, end] = index->second.objects.equal_range(std::string_view(value));
    for (auto at = begin; at != end; ++at) {
      if (keep(*at->second)) {
        objects.push_back(at->second);
      }
    }
    return objects;
  }
  std::vector<Pointer> ByIndex(const std::string& name, const std::string& value) const {
    return ByIndex(name, value, [](const T&) { return true; });
  }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return entries_.size();
  }

  // For the informer, as is the rest: stores the entry and returns the one that it replaces.
  Entry Put(const api::ObjectKey& key, Entry entry) {
    const std::lock_guard lock(mutex_);
    Entry before = RemoveLocked(key);
    for (auto& [name, index] : indexes_) {
      for (std::string& value : index.function(key, *entry.object)) {
        index.objects.emplace(Indexed{std::move(value), key}, entry.object);
      }
    }
    entries_.emplace(key, std::move(entry));
    return before;
  }

  // Returns the removed entry.
  Entry Remove(const api::ObjectKey& key) {
    const std::lock_guard lock(mutex_);
    return RemoveLocked(key);
  }

  std::vector<api::ObjectKey> Keys() const {
    const std::lock_guard lock(mutex_);
    std::vector<api::ObjectKey> keys;
    keys.reserve(entries_.size());
    for (const auto& [key, entry] : entries_) {
      keys.push_back(key);
    }
    return keys;
  }

 private:
  using Indexed = std::pair<std::string, api::ObjectKey>;  // by a value
  // Also finds all of a value.
  struct ByValue {
    using is_transparent = void;
    bool operator()(const Indexed& a, const Indexed& b) const { return a < b; }
    bool operator()(const Indexed& a, std::string_view value) const { return a.first < value; }
    bool operator()(std::string_view value, const Indexed& b) const { return value < b.first; }
  };
  struct Index {
    IndexFunction function;
    std::map<Indexed, Pointer, ByValue> objects;
  };

  Entry RemoveLocked(const api::ObjectKey& key) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) {
      return {};
    }
    Entry entry = std::move(found->second);
    entries_.erase(found);
    for (auto& [name, index] : indexes_) {
      for (std::string& value : index.function(key, *entry.object)) {
        index.objects.erase(Indexed{std::move(value), key});
      }
    }
    return entry;
  }

  mutable std::mutex mutex_;  // guards: entries_, indexes_
  std::map<api::ObjectKey, Entry> entries_;
  std::map<std::string, Index> indexes_;
};

}  // namespace ballast::runtime
