#include "operator/controllers/hpa/hpa_observer.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "api/autoscaling/condition_types.h"
#include "api/autoscaling/mode.h"
#include "operator/controllers/evaluation.h"
#include "operator/controllers/readings.h"
#include "operator/engine/conditions.h"

namespace ballast::controllers {
namespace {

// Upstream's names: the event about a scaling, and the condition's reason right after it.
constexpr const char* kSuccessfulRescale = "SuccessfulRescale";
constexpr std::string_view kSucceededRescale = "SucceededRescale";

// The event is emitted before the status is made, and both have their time in whole seconds.
constexpr Duration kEventLead = Duration::Seconds(2);

// Right after a scaling the status still has the former count as the current one.
std::int32_t PresentReplicas(const api::AutoscalerStatus& status) {
  const api::Condition* able = engine::Find(status.conditions, api::kAbleToScale);
  return able != nullptr && able->reason == kSucceededRescale ? status.desired_replicas
                                                              : status.current_replicas;
}

// The annotation that chooses the mode; empty: there is none.
std::string ModeText(const api::Autoscaler& hpa) {
  const auto found = hpa.metadata.annotations.find(api::kHpaMode);
  return found == hpa.metadata.annotations.end() ? "" : found->second;
}

}  // namespace

HpaObserver::HpaObserver(const store::RecalledState& known)
    : observed_(known.last_evaluation), replicas_(known.replicas) {}

std::optional<store::Evaluation> HpaObserver::See(const api::Autoscaler& hpa, Time now,
                                                  Duration period, const FindMessage& find) {
  const api::AutoscalerStatus& status = hpa.status;
  if (status.conditions.empty()) {  // its controller has yet to write one
    looked_ = true;
    observed_ = now;
    return std::nullopt;
  }
  const std::int32_t present = PresentReplicas(status);
  store::Evaluation evaluation{.subject = SubjectOf(hpa),
                               .time = now,
                               .period = period,
                               .current_replicas = present,
                               .desired_replicas = present,
                               .generation = hpa.metadata.generation,
                               .readings = ReadingsOf(hpa),
                               .seen = now,
                               .decided = now};
  if (const api::Condition* why = Explanation(status)) {
    evaluation.reason = why->reason;
    evaluation.message = why->message;
  }
  if (const auto scaling = FindScaling(status, now)) {
    const auto message = find(scaling->to, *status.last_scale_time - kEventLead);
    waiting_ = std::min(waiting_.value_or(now), now);
    if (!message && now - *waiting_ < kEventDelay) {
      return std::nullopt;
    }
    evaluation.time = scaling->time;
    evaluation.current_replicas = scaling->from;
    evaluation.desired_replicas = scaling->to;
    evaluation.reason = kSuccessfulRescale;
    evaluation.message = message.value_or("no event says why");
  }
  if (replicas_ && *replicas_ != evaluation.current_replicas) {
    foreign_change_ = {evaluation.time, *replicas_, evaluation.current_replicas, "", {}};
  }
  waiting_.reset();
  observed_ = evaluation.time;
  looked_ = true;
  scaled_ = status.last_scale_time;
  replicas_ = evaluation.desired_replicas;
  return evaluation;
}

std::optional<HpaObserver::Scaling> HpaObserver::FindScaling(const api::AutoscalerStatus& status,
                                                             Time now) const {
  const std::optional<Time>& last = status.last_scale_time;
  if (!observed_ || !last || (looked_ ? last == scaled_ : *last <= *observed_)) {
    return std::nullopt;  // nothing to compare with, or nothing newer
  }
  // After a pause there may have been several scalings; then this is what they came to.
  const std::int32_t from = looked_ && status.current_replicas != status.desired_replicas
                                ? status.current_replicas
                                : replicas_.value_or(status.current_replicas);
  if (from == status.desired_replicas) {
    return std::nullopt;
  }
  return Scaling{std::clamp(*last, std::min(*observed_, now), now), from, status.desired_replicas};
}

std::optional<store::ForeignChange> HpaObserver::TakeForeignChange() {
  return std::exchange(foreign_change_, std::nullopt);
}

bool IsNews(const api::Autoscaler& before, const api::Autoscaler& after) {
  const auto same = [](const api::Condition& a, const api::Condition& b) {
    return a.type == b.type && a.status == b.status && a.reason == b.reason;
  };
  const api::AutoscalerStatus& was = before.status;
  const api::AutoscalerStatus& is = after.status;
  return was.last_scale_time != is.last_scale_time || was.current_replicas != is.current_replicas ||
         was.desired_replicas != is.desired_replicas ||
         !std::ranges::equal(was.conditions, is.conditions, same) ||
         ModeText(before) != ModeText(after);
}

}  // namespace ballast::controllers
