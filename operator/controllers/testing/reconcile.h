// Runs evaluations on the caller's thread, where the Controller uses several.
//
// Thread-safety: as Reconciler.
// Errors: as Reconciler.
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "operator/controllers/reconciler.h"
#include "operator/controllers/testing/await_answer.h"

namespace ballast::controllers {

inline MetricsAnswer Fetch(Reconciler& reconciler, const FetchMetrics& request) {
  return Await([&](auto done) { reconciler.Fetch(request, std::move(done)); });
}

// As far as the evaluation's first write, or its end; nullopt: the autoscaler is gone or ignored.
inline std::optional<Progress> BeginWithMetrics(Reconciler& reconciler,
                                                const api::ObjectReference& key) {
  std::optional<Progress> progress = reconciler.Begin(key);
  while (progress) {
    const auto* request = std::get_if<Request>(&*progress);
    const auto* fetch = request == nullptr ? nullptr : std::get_if<FetchMetrics>(request);
    if (fetch == nullptr) {
      return progress;
    }
    progress = reconciler.Resume(key, Fetch(reconciler, *fetch));
  }
  return std::nullopt;
}

// A whole evaluation; nullopt: the same.
inline std::optional<NextEvaluation> Reconcile(Reconciler& reconciler,
                                               const api::ObjectReference& key) {
  std::optional<Progress> progress = BeginWithMetrics(reconciler, key);
  while (progress) {
    const auto* request = std::get_if<Request>(&*progress);
    if (request == nullptr) {
      return std::get<NextEvaluation>(*progress);
    }
    progress = reconciler.Resume(key, reconciler.CarryOut(*request));
  }
  return std::nullopt;
}

}  // namespace ballast::controllers
