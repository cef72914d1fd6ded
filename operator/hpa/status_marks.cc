#include "operator/hpa/status_marks.h"

#include <algorithm>
#include <vector>

#include "api/autoscaling/condition_types.h"
#include "api/json/json_writer.h"
#include "operator/engine/conditions.h"
#include "operator/engine/refusal.h"

namespace ballast::hpa {
namespace {

bool WroteLast(const api::Autoscaler& hpa) {
  return hpa.status_writer && hpa.status_writer->manager == api::kFieldManager;
}

bool SameCondition(const api::Condition& a, const api::Condition& b) {
  return a.type == b.type && a.status == b.status && a.reason == b.reason && a.message == b.message;
}

}  // namespace

std::int64_t HeldMark(const api::Autoscaler& hpa) { return hpa.metadata.generation; }

std::optional<api::FieldManager> OtherWriter(const api::Autoscaler& hpa) {
  return hpa.status_writer && hpa.status_writer->manager != api::kFieldManager ? hpa.status_writer
                                                                               : std::nullopt;
}

bool OthersWrite(const api::Autoscaler& hpa) {
  return !hpa.status.observed_generation || !WroteLast(hpa);
}

bool IsHeld(const api::Autoscaler& hpa) {
  return !OthersWrite(hpa) && *hpa.status.observed_generation != kClaimMark &&
         engine::Find(hpa.status.conditions, api::kManaged) == nullptr;
}

namespace {

// Whether status.observedGeneration is Ballast's. After a contest Ballast may have been the last to
// write the status, for the condition, while the generation is the other controller's.
bool IsClaimed(const api::Autoscaler& hpa) {
  return IsHeld(hpa) || (!OthersWrite(hpa) && *hpa.status.observed_generation == kClaimMark);
}

}  // namespace

bool IsMarked(const api::Autoscaler& hpa) {
  const auto has = [&](const char* type) {
    return engine::Find(hpa.status.conditions, type) != nullptr;
  };
  return IsClaimed(hpa) || has(api::kManaged) || has(api::kHeld);
}

std::string Print(const std::optional<ManageBlocker>& blocker) {
  return blocker ? blocker->reason + ": " + blocker->message : "";
}

std::string PrintManaged(const api::AutoscalerStatus& status) {
  const api::Condition* found = engine::Find(status.conditions, api::kManaged);
  return found == nullptr ? "" : Print(ManageBlocker{found->reason, found->message});
}

std::optional<std::string> PatchMarks(const api::Autoscaler& hpa, const StatusMarks& marks,
                                      Time now) {
  const std::optional<std::int64_t>& present = hpa.status.observed_generation;
  const bool claim = marks.claim ? present != marks.claim : IsClaimed(hpa);
  const ManageBlocker blocker = marks.blocker.value_or(ManageBlocker{});
  const std::vector<api::Condition> conditions =
      engine::ConcludeUnmanaged(hpa, blocker.reason, blocker.message, now);
  const bool condition = !std::ranges::equal(conditions, hpa.status.conditions, SameCondition);
  if (!claim && !condition) {
    return std::nullopt;
  }
  json::Writer out;
  out.Object([&] {
    out.Object("status", [&] {
      if (claim && marks.claim) {
        out.Field("observedGeneration", *marks.claim);
      } else if (claim) {
        out.Key("observedGeneration");
        out.Null();
      }
      if (condition) {
        out.Array("conditions", [&] {
          for (const api::Condition& one : conditions) {
            api::Encode(out, one);
          }
        });
      }
    });
  });
  return out.Take();
}

}  // namespace ballast::hpa
