#include "operator/cli/cluster/summary.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <tuple>
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

// What a reason of ScalingLimited or AbleToScale is for people; empty: it is not here.
std::string_view WordFor(std::string_view reason) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kWords = {{
      {api::kTooManyReplicas, "maxReplicas"},
      {api::kTooFewReplicas, "minReplicas"},
      {api::kScaleUpLimit, "scale-up rate"},
      {"ScaleDownLimit", "scale-down rate"},
      {"ScaleUpStabilized", "scale-up window"},
      {"ScaleDownStabilized", "scale-down window"},
  }};
  const auto* const word = std::ranges::find(kWords, reason, &decltype(kWords)::value_type::first);
  return word == kWords.end() ? std::string_view() : word->second;
}

// "schedule day", "override web-floor-x7k2p": of which the text tells that begins with it; else
// empty.
std::string OwnerOf(std::string_view text) {
  for (const std::string_view kind : {engine::kBySchedule, engine::kByOverride}) {
    if (text.starts_with(kind)) {
      const std::string_view name = text.substr(kind.size());
      return std::string(kind.substr(0, kind.size() - 1)) +
             std::string(name.substr(0, name.find('"')));
    }
  }
  return "";
}

// Whose bound ScalingLimited tells of, and where that bound leads: "schedule day, on its way to
// 12". Empty: it is the spec's, or no bound.
std::string BoundOf(const Condition& limited) {
  constexpr std::string_view kBefore = ": ";
  const std::size_t at = limited.message.find(kBefore);
  if (at == std::string::npos) {
    return "";
  }
  const std::string_view text = std::string_view(limited.message).substr(at + kBefore.size());
  const std::string owner = OwnerOf(text);
  const std::size_t way = text.find(engine::kOnItsWay);
  if (way == std::string_view::npos || !text.starts_with(engine::kBySchedule)) {
    return owner;
  }
  const std::size_t goal = way + std::string_view(engine::kOnItsWay).size();
  return owner + std::string(text.substr(way, text.find_first_not_of("0123456789", goal) - way));
}

std::string LimitOf(const api::Autoscaler& autoscaler) {
  if (const Condition* held = FindIf(autoscaler, api::kHeld, "True")) {
    const std::string owner = OwnerOf(held->message);
    return "hold: " + (owner.empty() ? held->reason : owner);
  }
  if (const Condition* inactive = FindIf(autoscaler, api::kScalingActive, "False")) {
    if (std::string owner = OwnerOf(inactive->message); !owner.empty()) {
      return owner;
    }
  }
  if (const Condition* limited = FindIf(autoscaler, api::kScalingLimited, "True")) {
    const std::string bound = BoundOf(*limited);
    const std::string_view word = WordFor(limited->reason);
    return !bound.empty() ? bound : word.empty() ? limited->reason : std::string(word);
  }
  const Condition* able = FindIf(autoscaler, api::kAbleToScale, "True");
  std::string window(able == nullptr ? "" : WordFor(able->reason));
  if (window.empty()) {
    return "";
  }
  const std::string ended = OwnerOf(able->message);
  return window + (ended.empty() ? "" : " after " + ended);
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
