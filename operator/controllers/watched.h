// The objects of one kind in the namespaces that the operator serves: one informer for all of the
// cluster, or one for each namespace where rights end there.
//
// Thread-safety: add handlers and indexes before Start(); everything else from any thread.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/meta.h"
#include "operator/kube/resource.h"
#include "operator/runtime/informer.h"

namespace ballast::controllers {

template <typename T>
class Watched {
 public:
  using Informer = runtime::Informer<T>;
  using Pointer = typename Informer::Pointer;

  // `namespaces` empty: all. Transport and clock must outlive this.
  Watched(kube::Transport& transport, runtime::Clock& clock, const kube::Resource& resource,
          const std::vector<std::string>& namespaces, const typename Informer::Decode& decode) {
    if (namespaces.empty()) {
      Add(transport, clock, resource, "", decode);
    }
    for (const std::string& namespace_ : namespaces) {
      Add(transport, clock, resource, namespace_, decode);
    }
  }

  void AddHandler(const typename Informer::Handler& handler) {
    for (auto& [namespace_, informer] : informers_) {
      informer->AddHandler(handler);
    }
  }
  void Start() {
    for (auto& [namespace_, informer] : informers_) {
      informer->Start();
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
  bool WaitForSync(std::chrono::nanoseconds timeout) {
    for (auto& [namespace_, informer] : informers_) {
      if (!informer->WaitForSync(timeout)) {
        return false;
      }
    }
    return true;
  }

  // Null: not there, or in a namespace that is not served.
  Pointer Get(const api::ObjectKey& key) const {
    const Informer* informer = Of(key.namespace_);
    return informer == nullptr ? nullptr : informer->cache().Get(key);
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
    const Informer* informer = Of(namespace_);
    return informer == nullptr ? std::vector<Pointer>() : informer->cache().InNamespace(namespace_);
  }

 private:
  void Add(kube::Transport& transport, runtime::Clock& clock, const kube::Resource& resource,
           const std::string& namespace_, const typename Informer::Decode& decode) {
    informers_[namespace_] = std::make_unique<Informer>(
        transport, clock, runtime::WatchSource{.resource = resource, .namespace_ = namespace_},
        decode);
  }
  const Informer* Of(const std::string& namespace_) const {
    auto found = informers_.find("");
    if (found == informers_.end()) {
      found = informers_.find(namespace_);
    }
    return found == informers_.end() ? nullptr : found->second.get();
  }

  std::map<std::string, std::unique_ptr<Informer>> informers_;  // by namespace; "" is all
};

}  // namespace ballast::controllers
