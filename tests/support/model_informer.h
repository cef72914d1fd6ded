// An informer of ModelServer's objects, and its cache in a form that can be compared with the
// server.
//
// Thread-safety: any thread.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include "api/kubernetes/meta.h"
#include "operator/runtime/informer.h"
#include "tests/support/test_patience.h"

namespace ballast::support {

// The uid and the number of each object, as ModelServer::Matching() returns them.
using ModelObjects = std::map<api::ObjectKey, std::string>;
using ModelInformer = runtime::Informer<std::string>;

// `source`: the timing; resource and page size are set here.
inline ModelInformer MakeModelInformer(kube::Transport& transport, process::Clock& clock,
                                       runtime::WatchSource source,
                                       process::TurnPool* pool = nullptr) {
  source.resource = {.version = "v1", .plural = "things"};
  source.page_limit = 7;
  return ModelInformer(transport, clock, std::move(source),
                       runtime::ByCursor<std::string>([](const json::Cursor& object) {
                         return std::string(object.Member("metadata").Member("uid").Text()) + " " +
                                std::string(object.Member("value").Text());
                       }),
                       pool);
}

inline ModelObjects Cached(const ModelInformer& informer) {
  ModelObjects objects;
  for (const api::ObjectKey& key : informer.cache().Keys()) {
    if (const auto object = informer.cache().Get(key)) {
      objects[key] = *object;
    }
  }
  return objects;
}

// The cache's content as soon as it is `expected`, or after Patience() whatever it is.
inline ModelObjects AwaitCached(const ModelInformer& informer, const ModelObjects& expected) {
  const auto deadline = std::chrono::steady_clock::now() + Patience();
  while (Cached(informer) != expected && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return Cached(informer);
}

}  // namespace ballast::support
