// An informer of the model server's objects, and what its cache has, to be compared with what the
// server has.
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

namespace ballast::support {

// Each object as its uid and its number: what ModelServer::Matching() says.
using ModelObjects = std::map<api::ObjectKey, std::string>;
using ModelInformer = runtime::Informer<std::string>;

// `source`: its timing; what is watched, and in how small pages, is the model's to say.
inline ModelInformer MakeModelInformer(kube::Transport& transport, runtime::Clock& clock,
                                       runtime::WatchSource source) {
  source.resource = {.version = "v1", .plural = "things"};
  source.page_limit = 7;
  return ModelInformer(transport, clock, std::move(source),
                       runtime::ByCursor<std::string>([](const json::Cursor& object) {
                         return std::string(object.Member("metadata").Member("uid").Text()) + " " +
                                std::string(object.Member("value").Text());
                       }));
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

// What is cached when that is `expected`, or after half a minute.
inline ModelObjects AwaitCached(const ModelInformer& informer, const ModelObjects& expected) {
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (Cached(informer) != expected && std::chrono::steady_clock::now() < patience) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return Cached(informer);
}

}  // namespace ballast::support
