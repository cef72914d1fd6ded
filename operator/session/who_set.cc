#include "operator/session/who_set.h"

namespace ballast::session {

Result<std::optional<api::FieldManager>> WhoSet(const Result<api::Scale>& managed,
                                                const api::Scale& scale) {
  if (!managed.ok() && managed.error().code != Code::kForbidden) {
    return managed.error();
  }
  if (!managed.ok() || !managed->replicas_manager) {  // as of a kind that has them elsewhere
    return std::optional<api::FieldManager>();
  }
  const bool another = !scale.metadata.uid.empty() && managed->metadata.uid != scale.metadata.uid;
  if (another || managed->spec_replicas != scale.spec_replicas) {
    return Error{Code::kConflict, "it was changed meanwhile"};
  }
  return managed->replicas_manager;
}

std::optional<api::FieldManager> ManagerOf(const std::optional<Result<api::Scale>>& managed,
                                           const api::Scale& scale) {
  if (!managed) {
    return std::nullopt;
  }
  const auto who = WhoSet(*managed, scale);
  return who.ok() ? *who : std::nullopt;
}

}  // namespace ballast::session
