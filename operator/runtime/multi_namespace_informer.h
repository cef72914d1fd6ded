// The objects of one kind in the namespaces that the operator serves: one informer for the whole
// cluster, or one for each namespace if the operator may read only some.
//
// Thread-safety: AddHandler and AddIndex before Start; Start and Stop: owning thread only; the
// rest: any thread.
// Errors: as Informer.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/kubernetes/meta.h"
#include "operator/kube/resource.h"
#include "operator/runtime/informer.h"

namespace ballast::runtime {

template <typename T, typename Store = runtime::Cache<T>>
class MultiNamespaceInformer {
 public:
  using Informer = runtime::Informer<T, Store>;
  using Pointer = typename Informer::Pointer;

  // Empty `namespaces` means all; the namespace of `source` does not count. `transport`, `clock`
  // and `pool` (as Informer's) must outlive the informer.
  MultiNamespaceInformer(kube::Transport& transport, process::Clock& clock, WatchSource source,
                         const std::vector<std::string>& namespaces,
                         const runtime::ObjectReader<T>& read, process::TurnPool* pool = nullptr)
      : name_(source.resource.FullName()) {
    const auto add = [&](const std::string& namespace_) {
      source.namespace_ = namespace_;
      informers_[namespace_] = std::make_unique<Informer>(transport, clock, source, read, pool);
    };
    if (namespaces.empty()) {
      add("");
    }
    std::ranges::for_each(namespaces, add);
  }

  // The resource: "pods", "deployments.apps".
  const std::string& name() const { return name_; }

  void AddHandler(const typename Informer::Handler& handler) {
    for (auto& [namespace_, informer] : informers_) {
      informer->AddHandler(handler);
    }
  }
  // As Cache's.
  void AddIndex(const std::string& name, const auto& function) {
    for (auto& [namespace_, informer] : informers_) {
      informer->cache().AddIndex(name, function);
    }
  }
  void Start() {
    for (auto& [namespace_, informer] : informers_) {
      informer->Start();
    }
  }
  // Returns once no handler runs any more.
  void Stop() {
    for (auto& [namespace_, informer] : informers_) {
      informer->Stop();
    }
  }
  bool HasSynced() const {
    for (const auto& [namespace_, informer] : informers_) {
      if (!informer->HasSynced()) {
        return false;
      }
    }
    return true;
  }
  // Waits for one namespace after another, for each up to `timeout`; as Informer's.
  bool WaitForSync(std::chrono::nanoseconds timeout,
                   process::SteadyTime since = process::SteadyTime::min()) {
    for (auto& [namespace_, informer] : informers_) {
      if (!informer->WaitForSync(timeout, since)) {
        return false;
      }
    }
    return true;
  }

  // For one namespace; false if it is not served.
  bool WaitForSync(const std::string& namespace_, std::chrono::nanoseconds timeout,
                   process::SteadyTime since) const {
    Informer* informer = InformerOf(namespace_);
    return informer != nullptr && informer->WaitForSync(timeout, since);
  }

  // When the server last sent anything about the namespace's objects; nullopt: it has not yet, or
  // the namespace is not served.
  std::optional<process::SteadyTime> LastHeard(const std::string& namespace_) const {
    const Informer* informer = InformerOf(namespace_);
    return informer == nullptr ? std::nullopt : informer->LastHeard();
  }
  // The same for the namespace that has been silent for longest; nullopt: for one it has sent
  // nothing yet.
  std::optional<process::SteadyTime> LastHeard() const {
    std::optional<process::SteadyTime> first = process::SteadyTime::max();
    for (const auto& [namespace_, informer] : informers_) {
      first = std::min(first, informer->LastHeard());  // nullopt is less than any time
    }
    return first;
  }
  // When all objects of the namespace were last read; nullopt as above.
  std::optional<process::SteadyTime> LastRead(const std::string& namespace_) const {
    const Informer* informer = InformerOf(namespace_);
    return informer == nullptr ? std::nullopt : informer->LastRead();
  }
  // When the newest complete list of the namespace began; nullopt as above.
  std::optional<process::SteadyTime> AsOf(const std::string& namespace_) const {
    const Informer* informer = InformerOf(namespace_);
    return informer == nullptr ? std::nullopt : informer->AsOf();
  }
  // Reads the namespace's objects again, and all that are watched together with them; not too often
  // (reflector.h).
  bool Reread(const std::string& namespace_) const {
    Informer* informer = InformerOf(namespace_);
    return informer != nullptr && informer->Reread();
  }

  // The same for all namespaces, in any case.
  void ReadAnew() {
    for (auto& [namespace_, informer] : informers_) {
      informer->ReadAnew();
    }
  }

  // What each namespace's watch does now.
  std::vector<telemetry::WatchDebugState> DebugState() const {
    std::vector<telemetry::WatchDebugState> all;
    for (const auto& [namespace_, informer] : informers_) {
      all.push_back(informer->DebugState());
    }
    return all;
  }

  // Null if there is none, or if its namespace is not served.
  Pointer Get(const api::ObjectKey& key) const {
    const Store* store = StoreOf(key.namespace_);
    return store == nullptr ? nullptr : store->Get(key);
  }
  std::vector<Pointer> List() const {
    std::vector<Pointer> all;
    for (const auto& [namespace_, informer] : informers_) {
      const auto some = informer->cache().List();
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }
  std::vector<Pointer> InNamespace(const std::string& namespace_) const {
    const Store* store = StoreOf(namespace_);
    return store == nullptr ? std::vector<Pointer>() : store->InNamespace(namespace_);
  }
  // `keep`: as Cache's, if it is given.
  std::vector<Pointer> ByIndex(const std::string& namespace_, const std::string& name,
                               const std::string& value, const auto&... keep) const {
    const Store* store = StoreOf(namespace_);
    return store == nullptr ? std::vector<Pointer>() : store->ByIndex(name, value, keep...);
  }
  // The store with the namespace's objects; null if the namespace is not served.
  const Store* StoreOf(const std::string& namespace_) const {
    const Informer* informer = InformerOf(namespace_);
    return informer == nullptr ? nullptr : &informer->cache();
  }

 private:
  Informer* InformerOf(const std::string& namespace_) const {
    auto found = informers_.find("");
    if (found == informers_.end()) {
      found = informers_.find(namespace_);
    }
    return found == informers_.end() ? nullptr : found->second.get();
  }

  std::string name_;
  std::map<std::string, std::unique_ptr<Informer>> informers_;  // by namespace; "" for all
};

}  // namespace ballast::runtime
