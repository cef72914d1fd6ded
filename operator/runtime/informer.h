// Keeps a Cache equal to what the API server has of one kind, and tells handlers what changed: a
// Reflector, a Cache and handlers on one thread.
//
//   Informer<api::Pod> pods(transport, clock, {.resource = kPods}, DecodePod);
//   pods.cache().AddIndex("owner", OwnerUids);
//   pods.AddHandler([&](const Informer<api::Pod>::Change& change) { queue.Add(change.key); });
//   pods.Start();
//   if (!pods.WaitForSync(std::chrono::minutes(2))) ...
//
// Changes of one object come in order, on the informer's thread, after the cache has them. An
// object deleted and made again under its name while nobody looked is told as deleted, then added.
// One that cannot be decoded is logged, and its last good version stays. Thread-safety: add indexes
// and handlers before Start(); everything else from any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "operator/runtime/cache.h"
#include "operator/runtime/log.h"
#include "operator/runtime/reflector.h"

namespace ballast::runtime {

template <typename T>
class Informer final : private WatchTarget {
 public:
  using Pointer = typename Cache<T>::Pointer;
  // Keeps the fields needed. Problems go to the cursor; what it returns then is not used.
  using Decode = std::function<T(const json::Cursor& object)>;

  struct Change {
    api::ObjectKey key;
    Pointer before;  // null: added
    Pointer after;   // null: deleted
  };
  using Handler = std::function<void(const Change& change)>;

  // `transport` and `clock` must outlive this.
  Informer(kube::Transport& transport, Clock& clock, WatchSource source, Decode decode)
      : clock_(clock),
        kind_(source.resource.kind),
        decode_(std::move(decode)),
        reflector_(transport, clock, std::move(source), *this) {}
  ~Informer() override { Stop(); }
  Informer(const Informer&) = delete;
  Informer& operator=(const Informer&) = delete;

  void AddHandler(Handler handler) { handlers_.push_back(std::move(handler)); }
  void Start() {
    thread_ = std::jthread([this](const std::stop_token& stop) { reflector_.Run(stop); });
  }
  // Returns when no handler runs any more.
  void Stop() { thread_ = {}; }

  // The first list has been told to all handlers.
  bool HasSynced() const {
    const std::lock_guard lock(mutex_);
    return synced_;
  }
  // Whether that came true within `timeout`.
  bool WaitForSync(std::chrono::nanoseconds timeout) {
    const SteadyTime deadline = clock_.Steady() + timeout;
    std::unique_lock lock(mutex_);
    while (!synced_ && clock_.Steady() < deadline) {
      clock_.WaitUntil(lock, sync_, deadline);
    }
    return synced_;
  }

  Cache<T>& cache() { return cache_; }
  const Cache<T>& cache() const { return cache_; }

 private:
  using Entry = typename Cache<T>::Entry;

  void OnInit() override { listed_.clear(); }

  void OnInitApply(const ObjectIdentity& id, const json::Cursor& object) override {
    listed_[id.key] = {id.uid, id.resource_version, DecodeObject(id, object)};
  }

  void OnInitDelete(const ObjectIdentity& id) override { listed_.erase(id.key); }

  void OnInitDone() override {
    for (const api::ObjectKey& key : cache_.Keys()) {
      if (!listed_.contains(key)) {
        Remove(key);
      }
    }
    for (auto& [key, entry] : listed_) {
      Put(key, std::move(entry));
    }
    listed_.clear();
    const std::lock_guard lock(mutex_);
    synced_ = true;
    sync_.notify_all();
  }

  void OnApply(const ObjectIdentity& id, const json::Cursor& object) override {
    Put(id.key, {id.uid, id.resource_version, DecodeObject(id, object)});
  }

  void OnDelete(const ObjectIdentity& id) override { Remove(id.key); }

  // Null when it cannot be decoded.
  Pointer DecodeObject(const ObjectIdentity& id, const json::Cursor& object) {
    json::Decoder decoder(object);
    auto decoded = std::make_shared<const T>(decode_(decoder.root()));
    if (const Status status = decoder.status(); !status.ok()) {
      log::Error("an object cannot be decoded; its last good version stays",
                 {{"kind", kind_}, {"object", id.key.Print()}, {"error", status.error().message}});
      return nullptr;
    }
    return decoded;
  }

  void Put(const api::ObjectKey& key, Entry now) {
    if (now.object == nullptr) {
      return;
    }
    const Entry before = cache_.Put(key, now);
    if (before.object != nullptr && before.uid != now.uid) {
      Tell({key, before.object, nullptr});
      Tell({key, nullptr, now.object});
    } else if (before.resource_version != now.resource_version) {
      Tell({key, before.object, now.object});
    }
  }

  void Remove(const api::ObjectKey& key) {
    if (const Entry before = cache_.Remove(key); before.object != nullptr) {
      Tell({key, before.object, nullptr});
    }
  }

  void Tell(const Change& change) {
    for (const Handler& handler : handlers_) {
      handler(change);
    }
  }

  Clock& clock_;
  const std::string kind_;
  const Decode decode_;
  Cache<T> cache_;
  std::vector<Handler> handlers_;
  std::map<api::ObjectKey, Entry> listed_;  // of a list not yet complete

  mutable std::mutex mutex_;  // guards: synced_
  std::condition_variable sync_;
  bool synced_ = false;

  Reflector reflector_;
  std::jthread thread_;
};

}  // namespace ballast::runtime
