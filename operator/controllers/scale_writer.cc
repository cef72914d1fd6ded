#include "operator/controllers/scale_writer.h"

#include <cstdint>
#include <string>

#include "operator/cluster/watches.h"

namespace ballast::controllers {
namespace {

using Kind = engine::Outcome::Kind;

// The last line of defence of the first invariant; the engine is not expected to ever need it.
bool WithinBounds(const api::AutoscalerSpec& spec, std::int32_t replicas) {
  return replicas >= spec.min_replicas.value_or(1) && replicas <= spec.max_replicas;
}

// Whether the API server may have carried out what it answered so.
bool MayHaveHappened(Code code) {
  return code == Code::kTimeout || code == Code::kUnavailable || code == Code::kCorrupt ||
         code == Code::kInternal;
}

}  // namespace

std::optional<engine::Outcome> ScaleWriter::Write(const api::Autoscaler& policy,
                                                  const kube::Resource& resource,
                                                  const kube::ScaleChange& change,
                                                  std::string& lost) {
  if (!WithinBounds(policy.spec, change.to)) {
    return engine::Outcome{Kind::kFailed,
                           "refused: " + std::to_string(change.to) +
                               " replicas are outside of minReplicas and maxReplicas"};
  }
  const api::ObjectKey target = cluster::TargetKey(policy);
  const Result<api::Scale> written = client_.PatchScale(resource, target, change);
  if (written.ok()) {
    targets_.Learned(resource, target, written);
    return engine::Outcome{Kind::kWritten, ""};
  }
  if (MayHaveHappened(written.error().code)) {
    lost = written.error().message;
    return std::nullopt;
  }
  // What the decision saw may be no longer true: the next one looks again.
  targets_.Refused(resource, target);
  return engine::Outcome{Kind::kFailed, written.error().message};
}

}  // namespace ballast::controllers
