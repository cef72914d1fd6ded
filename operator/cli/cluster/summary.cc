#include "operator/cli/cluster/summary.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "api/autoscaling/condition_types.h"
#include "api/autoscaling/mode.h"
#include "operator/engine/timetable.h"

namespace ballast::cli {
namespace {

using api::Condition;

const Condition* Find(const api::Autoscaler& autoscaler, std::string_view type) {
  const auto& all = autoscaler.status.conditions;
  const auto found = std::ranges::find(all, type, &Condition::type);
  return found == all.end() ? nullptr : &*found;
}

const Condition* FindIf(const api::Autoscaler& autoscaler, std::string_view type,
                        std::string_view status) {
  const Condition* found = Find(autoscaler, type);
  return found != nullptr && found->status == status ? found : nullptr;
}

// The condition that says whether it works; null: nobody has said so yet.
const Condition* HealthOf(const api::Autoscaler& autoscaler) {
  for (const char* bad : {api::kConflicted, api::kHistoryDegraded}) {
    if (const Condition* found = FindIf(autoscaler, bad, "True")) {
      return found;
    }
  }
  if (autoscaler.is_policy()) {
    return Find(autoscaler, api::kReady);
  }
  for (const char* needed : {api::kManaged, api::kAbleToScale, api::kScalingActive}) {
    if (const Condition* found = FindIf(autoscaler, needed, "False")) {
      return found;
    }
  }
  return Find(autoscaler, api::kScalingActive);
}

// "override web-floor-x7k2p", if it is one that the condition tells of; else empty.
std::string OverrideOf(const Condition& condition) {
  const std::string_view before = engine::kByOverride;
  const std::size_t at = condition.message.find(before);
  if (at == std::string::npos) {
    return "";
  }
  const std::size_t name = at + before.size();
  return "override " + condition.message.substr(name, condition.message.find('"', name) - name);
}

std::string LimitOf(const api::Autoscaler& autoscaler) {
  if (const Condition* held = FindIf(autoscaler, api::kHeld, "True")) {
    const std::string override = OverrideOf(*held);
    return "hold: " + (override.empty() ? held->reason : override);
  }
  if (const Condition* inactive = FindIf(autoscaler, api::kScalingActive, "False")) {
    if (std::string override = OverrideOf(*inactive); !override.empty()) {
      return override;
    }
  }
  constexpr std::array<std::pair<std::string_view, const char*>, 6> kWords = {{
      {api::kTooManyReplicas, "maxReplicas"},
      {api::kTooFewReplicas, "minReplicas"},
      {api::kScaleUpLimit, "scale-up rate"},
      {"ScaleDownLimit", "scale-down rate"},
      {"ScaleUpStabilized", "scale-up window"},
      {"ScaleDownStabilized", "scale-down window"},
  }};
  for (const char* type : {api::kScalingLimited, api::kAbleToScale}) {
    const Condition* found = FindIf(autoscaler, type, "True");
    if (found == nullptr) {
      continue;
    }
    const auto* const word =
        std::ranges::find(kWords, found->reason, &decltype(kWords)::value_type::first);
    if (const std::string override = OverrideOf(*found); !override.empty()) {
      return override;
    }
    if (word != kWords.end()) {
      return word->second;
    }
    if (type == std::string_view(api::kScalingLimited)) {
      return found->reason;
    }
  }
  return "";
}

std::string ModeOf(const api::Autoscaler& autoscaler) {
  if (autoscaler.is_policy()) {
    return std::string(api::ModeOf(autoscaler.spec).name);
  }
  const auto found = autoscaler.metadata.annotations.find(api::kHpaMode);
  return found == autoscaler.metadata.annotations.end() ? "" : found->second;
}

// By one of the schedules whose windows are open.
bool IsHeld(const api::AutoscalerSpec& spec, const std::vector<std::string>& open) {
  return !open.empty() &&
         std::ranges::any_of(spec.schedules.Unpack(), [&](const api::Schedule& schedule) {
           return !schedule.hold.empty() && std::ranges::find(open, schedule.name) != open.end();
         });
}

}  // namespace

Summary Summarize(const api::Autoscaler& autoscaler) {
  const auto& [spec, status] = std::tie(autoscaler.spec, autoscaler.status);
  Summary summary{.kind = autoscaler.kind,
                  .namespace_ = autoscaler.metadata.namespace_,
                  .name = autoscaler.metadata.name,
                  .target = spec.scale_target_ref.kind + "/" + spec.scale_target_ref.name,
                  .mode = ModeOf(autoscaler),
                  .min = spec.min_replicas.value_or(1),
                  .max = spec.max_replicas,
                  .current = status.current_replicas,
                  .desired = status.desired_replicas,
                  .ready = "Unknown",
                  .reason = "NotEvaluatedYet",
                  .limited_by = LimitOf(autoscaler),
                  .last_scale_time = status.last_scale_time};
  if (status.schedules) {
    for (const api::ActiveSchedule& active : status.schedules->active) {
      summary.schedules.push_back(active.name);
    }
    summary.next_change = status.schedules->next;
  }
  summary.held = IsHeld(spec, summary.schedules);
  if (const Condition* health = HealthOf(autoscaler)) {
    // Of these two, "True" is bad.
    const bool inverse = health->type == api::kConflicted || health->type == api::kHistoryDegraded;
    summary.ready = inverse ? "False" : health->status;
    summary.reason =
        inverse && health->type == api::kHistoryDegraded ? health->type : health->reason;
    summary.message = health->message;
  }
  return summary;
}

}  // namespace ballast::cli
