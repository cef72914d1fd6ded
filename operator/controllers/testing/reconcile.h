// Runs evaluations on the caller's thread, where the Controller uses several.
//
// Thread-safety: as Reconcilers.
// Errors: as Reconcilers.
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "operator/controllers/reconcilers.h"
#include "operator/controllers/testing/await_answer.h"

namespace ballast::controllers {

inline session::MetricsAnswer Fetch(Reconcilers& reconcilers,
                                    const session::FetchMetrics& request) {
  return Await([&](auto done) { reconcilers.Fetch(request, std::move(done)); });
}

// As far as the evaluation's first write, or its end; nullopt: the autoscaler is gone or ignored.
inline std::optional<session::Progress> BeginWithMetrics(Reconcilers& reconcilers,
                                                         const api::ObjectReference& key) {
  std::optional<session::Progress> progress = reconcilers.Begin(key);
  while (progress) {
    const auto* request = std::get_if<session::Request>(&*progress);
    const auto* fetch = request == nullptr ? nullptr : std::get_if<session::FetchMetrics>(request);
    if (fetch == nullptr) {
      return progress;
    }
    progress = reconcilers.Resume(key, Fetch(reconcilers, *fetch));
  }
  return std::nullopt;
}

// A whole evaluation; nullopt: the same.
inline std::optional<session::NextEvaluation> Reconcile(Reconcilers& reconcilers,
                                                        const api::ObjectReference& key) {
  std::optional<session::Progress> progress = BeginWithMetrics(reconcilers, key);
  while (progress) {
    const auto* request = std::get_if<session::Request>(&*progress);
    if (request == nullptr) {
      return std::get<session::NextEvaluation>(*progress);
    }
    progress = reconcilers.Resume(key, reconcilers.CarryOut(*request));
  }
  return std::nullopt;
}

}  // namespace ballast::controllers
