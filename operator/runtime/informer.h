// Keeps a Cache equal to the API server's objects of one kind, and tells handlers what changed: a
// Reflector, a Cache and handlers on one Runner.
//
//   Informer<api::Autoscaler> policies(transport, clock, {.resource = kPolicies},
//                                      ByCursor<api::Autoscaler>(DecodePolicy));
//   policies.cache().AddIndex("target", TargetOf);
//   policies.AddHandler([&](const auto& change) { queue.Add(change.key); });
//   policies.Start();
//   if (!policies.WaitForSync(std::chrono::minutes(2))) ...
//
// Handlers are called by one thread at a time, in the order of an object's changes, after the cache
// has them. An object that was deleted and created again under its name unobserved is
// reported as deleted, then added.
//
// Thread-safety: AddIndex and AddHandler before Start; Start and Stop: owning thread only; the
// rest: any thread.
// Errors: none returned; an object that cannot be decoded is logged and its last good version
// stays; a failed call is logged and tried again (reflector.h).
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "operator/process/log.h"
#include "operator/process/runner.h"
#include "operator/process/turn_pool.h"
#include "operator/runtime/cache.h"
#include "operator/runtime/object_reader.h"
#include "operator/runtime/reflector.h"

namespace ballast::runtime {

// `Store` holds the objects: a Cache, or a type that has its Pointer, Entry, Put, Remove and Keys.
template <typename T, typename Store = Cache<T>>
class Informer final : private WatchTarget {
 public:
  using Pointer = typename Store::Pointer;

  struct Change {
    api::ObjectKey key;
    Pointer before;  // null: added
    Pointer after;   // null: deleted
  };
  using Handler = std::function<void(const Change& change)>;

  // `transport`, `clock` and `pool` must outlive the informer. `pool` null: it has a thread of its
  // own; otherwise a watch must not need one (kube::Transport::Begin).
  Informer(kube::Transport& transport, process::Clock& clock, const WatchSource& source,
           ObjectReader<T> read, process::TurnPool* pool = nullptr)
      : clock_(clock),
        kind_(source.resource.kind),
        read_(std::move(read)),
        reflector_(transport, clock, source, *this, [this] { runner_.Wake(); }),
        runner_(
            "watch-" + source.resource.plural, clock,
            [this](const auto& stop) { return reflector_.Turn(stop); }, pool) {}
  ~Informer() override { Stop(); }
  Informer(const Informer&) = delete;
  Informer& operator=(const Informer&) = delete;

  void AddHandler(Handler handler) { handlers_.push_back(std::move(handler)); }
  void Start() { runner_.Start(); }
  // Returns once no handler runs any more.
  void Stop() {
    runner_.Stop();
    reflector_.Stop();
  }

  // When the newest list began that all handlers have been told of; nullopt: none yet. The cache
  // has whatever the API server had then.
  std::optional<process::SteadyTime> AsOf() const {
    const std::lock_guard lock(mutex_);
    return as_of_;
  }
  bool HasSynced() const { return AsOf().has_value(); }
  // Waits until AsOf() is at least `since`; false if it is not within `timeout`.
  bool WaitForSync(std::chrono::nanoseconds timeout,
                   process::SteadyTime since = process::SteadyTime::min()) {
    const process::SteadyTime deadline = clock_.Steady() + timeout;
    std::unique_lock lock(mutex_);
    const auto synced = [&] { return as_of_ && *as_of_ >= since; };
    while (!synced() && clock_.Steady() < deadline) {
      clock_.WaitUntil(lock, sync_, deadline);
    }
    return synced();
  }

  // As Reflector's: when the server last sent anything, when everything was last read; reads
  // everything again; what it does now.
  std::optional<process::SteadyTime> LastHeard() const { return reflector_.LastHeard(); }
  std::optional<process::SteadyTime> LastRead() const { return reflector_.LastRead(); }
  bool Reread() { return reflector_.Reread(); }
  void ReadAnew() { reflector_.ReadAnew(); }
  telemetry::WatchDebugState DebugState() const { return reflector_.DebugState(); }

  Store& cache() { return cache_; }
  const Store& cache() const { return cache_; }

 private:
  using Entry = typename Store::Entry;

  void OnInit() override {
    listed_.clear();
    list_began_ = clock_.Steady();
  }

  Result<std::string> OnInitApply(std::string_view object) override {
    ASSIGN_OR_RETURN(ReadObject<T> read, read_(object));
    listed_[read.id.key] = EntryOf(read);
    return read.id.resource_version;
  }

  Result<std::string> OnInitDelete(std::string_view object) override {
    ASSIGN_OR_RETURN(const ReadObject<T> read, read_(object));
    listed_.erase(read.id.key);
    return read.id.resource_version;
  }

  void OnInitDone() override {
    for (const api::ObjectKey& key : cache_.Keys()) {
      if (!listed_.contains(key)) {
        Remove(key);
      }
    }
    while (!listed_.empty()) {
      auto first = listed_.extract(listed_.begin());
      Put(first.key(), std::move(first.mapped()));
    }
    const std::lock_guard lock(mutex_);
    as_of_ = list_began_;
    sync_.notify_all();
  }

  Result<std::string> OnApply(std::string_view object) override {
    ASSIGN_OR_RETURN(ReadObject<T> read, read_(object));
    Put(read.id.key, EntryOf(read));
    return read.id.resource_version;
  }

  Result<std::string> OnDelete(std::string_view object) override {
    ASSIGN_OR_RETURN(const ReadObject<T> read, read_(object));
    Remove(read.id.key);
    return read.id.resource_version;
  }

  // Has no object if it cannot be decoded.
  Entry EntryOf(ReadObject<T>& read) {
    if (!read.object.ok()) {
      const std::string object = read.id.key.Print();
      log::Error(log::About{object, kind_},
                 "an object cannot be decoded; its last good version stays",
                 {{"kind", kind_}, {"object", object}, {"error", read.object.error().message}});
      return {};
    }
    return {read.id.uid, read.id.resource_version,
            std::make_shared<const T>(std::move(read.object).value())};
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

  process::Clock& clock_;
  const std::string kind_;
  const ObjectReader<T> read_;
  Store cache_;
  std::vector<Handler> handlers_;
  std::map<api::ObjectKey, Entry> listed_;  // by a list that is not yet complete
  process::SteadyTime list_began_;          // the same list

  mutable std::mutex mutex_;  // guards: as_of_
  std::condition_variable sync_;
  std::optional<process::SteadyTime> as_of_;

  Reflector reflector_;
  process::Runner runner_;
};

}  // namespace ballast::runtime
