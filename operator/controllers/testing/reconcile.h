// Runs a whole evaluation on the caller's thread, where the Controller uses two.
//
// Thread-safety: as Reconciler.
// Errors: as Reconciler.
#pragma once

#include <optional>
#include <variant>

#include "operator/controllers/reconciler.h"

namespace ballast::controllers {

// nullopt: the autoscaler is gone or ignored.
inline std::optional<NextEvaluation> Reconcile(Reconciler& reconciler,
                                               const api::ObjectReference& key) {
  std::optional<Progress> progress = reconciler.Begin(key);
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
