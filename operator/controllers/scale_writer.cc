#include "operator/controllers/scale_writer.h"

#include <cstdint>
#include <string>

#include "operator/controllers/fleet.h"
#include "operator/controllers/read_back.h"

namespace ballast::controllers {
namespace {

using Kind = engine::Outcome::Kind;

// The last line of defence of the first invariant; the engine is not expected to ever need it.
bool WithinBounds(const api::AutoscalerSpec& spec, std::int32_t replicas) {
  return replicas == 0 || (replicas >= spec.min_replicas.value_or(1) && replicas > 0 &&
                           replicas <= spec.max_replicas);
}

}  // namespace

engine::Outcome ScaleWriter::Write(const api::Autoscaler& policy, const kube::Resource& resource,
                                   const WriteAttempt& attempt) {
  const kube::ScaleChange& change = attempt.change;
  if (!WithinBounds(policy.spec, change.to)) {
    return {Kind::kFailed, "refused: " + std::to_string(change.to) +
                               " replicas are outside of minReplicas and maxReplicas"};
  }
  const api::ObjectKey target = TargetKey(policy);
  settler_.GiveUp(policy.metadata.uid);
  const Result<api::Scale> written = client_.PatchScale(resource, target, change);
  if (written.ok()) {
    targets_.Learned(resource, target, written);
    return {Kind::kWritten, ""};
  }
  switch (written.error().code) {
    case Code::kConflict:
    case Code::kTimeout:
    case Code::kUnavailable:
    case Code::kCorrupt: {
      const auto found = ReadBack(client_, resource, target, change);
      if (!found.ok()) {
        settler_.AskAgain(policy.metadata.uid, attempt);
      }
      engine::Outcome outcome =
          found.ok() ? *found : engine::Outcome{Kind::kUnknown, found.error().message};
      if (outcome.kind != Kind::kWritten) {
        outcome.message = written.error().message + " (" + outcome.message + ")";
      }
      return outcome;
    }
    default:
      return {Kind::kFailed, written.error().message};
  }
}

}  // namespace ballast::controllers
