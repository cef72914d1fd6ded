#include "operator/hpa/hpa_observer.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "api/autoscaling/condition_types.h"
#include "operator/engine/conditions.h"
#include "operator/session/evaluation_record.h"
#include "operator/session/own_annotations.h"
#include "operator/session/readings.h"

namespace ballast::hpa {
namespace {

// Upstream's name of the event about a scaling.
constexpr const char* kSuccessfulRescale = "SuccessfulRescale";

// How soon to look again when a later scaling follows the one that is recorded.
constexpr Duration kAtOnce = Duration::Milliseconds(1);

// The event is emitted before the status is made, and both have their time in whole seconds.
constexpr Duration kEventLead = Duration::Seconds(2);

bool AbleReasonIs(const api::AutoscalerStatus& status, std::string_view reason) {
  const api::Condition* able = engine::Find(status.conditions, api::kAbleToScale);
  return able != nullptr && able->reason == reason;
}

// Right after a scaling the status still has the former count as the current one.
bool HasJustScaled(const api::AutoscalerStatus& status) {
  return AbleReasonIs(status, api::kSucceededRescale);
}

bool IsOurs(const std::optional<api::FieldManager>& writer) {
  return writer && writer->manager == api::kFieldManager;
}

std::string PrintTarget(const api::AutoscalerSpec& spec) {
  return spec.scale_target_ref.kind + "/" + spec.scale_target_ref.name;
}

// Of a spec whose generation the API server does not count, as it does for HPAs up to 1.36, this
// tells at the least cost whether it was edited.
bool SameWrite(const std::optional<api::FieldManager>& a,
               const std::optional<api::FieldManager>& b) {
  return a.has_value() == b.has_value() && (!a || (a->manager == b->manager && a->time == b->time));
}

}  // namespace

// No replicas may be those of a scale that could not be read.
HpaObserver::HpaObserver(std::optional<Time> observed, std::optional<std::int32_t> replicas)
    : observed_(observed), replicas_(replicas == 0 ? std::nullopt : replicas) {}

std::optional<store::EvaluationRecord> HpaObserver::See(const api::Autoscaler& hpa, Time now,
                                                        Duration period, const FindEvent& find) {
  const api::AutoscalerStatus& status = hpa.status;
  again_.reset();
  if (!HasBeenServed(status)) {
    looked_ = true;
    observed_ = now;
    return std::nullopt;
  }
  ForgetOtherTarget(hpa);
  store::EvaluationRecord evaluation = Describe(hpa, now, period);
  if (auto scaling = FindScaling(status, now)) {
    if (const auto missed = FindMissed(scaling->from, find)) {
      Record({Within(missed->time, now), *replicas_, scaling->from}, missed->message, evaluation);
      again_ = kAtOnce;
      return evaluation;
    }
    const auto event = find(scaling->to, *status.last_scale_time - kEventLead);
    waiting_ = std::min(waiting_.value_or(now), now);
    if (!event && now - *waiting_ < kEventDelay) {
      again_ = kEventDelay;
      return std::nullopt;
    }
    if (event && !HasJustScaled(status)) {
      // Its status may never have been made: then the status has the time of an earlier one.
      scaling->time = std::max(scaling->time, Within(event->time, now));
    }
    // What Ballast's own status tells of was Ballast's, and another replica has it on record.
    if (event || (HasJustScaled(status) && !IsOurs(hpa.status_writer))) {
      NoteForeignChange(scaling->from, scaling->time);
      Record(*scaling, event ? event->message : "no event says why", evaluation);
    } else {
      SeePresent(evaluation, status);  // after its controller, somebody else may have scaled it
    }
  } else if (const auto missed = FindMissed(evaluation.current_replicas, find)) {
    Record({Within(missed->time, now), *replicas_, evaluation.current_replicas}, missed->message,
           evaluation);
  } else {
    SeePresent(evaluation, status);
  }
  waiting_.reset();
  observed_ = evaluation.time;
  looked_ = true;
  scaled_ = status.last_scale_time;
  return evaluation;
}

// The state that the status tells of, without a scaling.
store::EvaluationRecord HpaObserver::Describe(const api::Autoscaler& hpa, Time now,
                                              Duration period) const {
  const api::AutoscalerStatus& status = hpa.status;
  std::int32_t present = HasJustScaled(status) ? status.desired_replicas : status.current_replicas;
  if (AbleReasonIs(status, api::kFailedGetScale)) {
    present = replicas_.value_or(present);
  }
  store::EvaluationRecord evaluation{.subject = session::SubjectOf(hpa),
                                     .time = now,
                                     .period = period,
                                     .current_replicas = present,
                                     .desired_replicas = present,
                                     .generation = session::GenerationOf(hpa),
                                     .readings = session::ReadingsOf(hpa),
                                     .seen = now,
                                     .decided = now};
  if (const api::Condition* why = session::Explanation(status, false)) {
    evaluation.reason = why->reason;
    evaluation.message = why->message;
  }
  return evaluation;
}

// What was known of another target says nothing about this one.
void HpaObserver::ForgetOtherTarget(const api::Autoscaler& hpa) {
  std::string target = PrintTarget(hpa.spec);
  if (!target_.empty() && target_ != target) {
    replicas_.reset();
    looked_ = true;
    scaled_ = hpa.status.last_scale_time;
  }
  target_ = std::move(target);
}

// The event about a scaling whose status was not seen: that to `present` replicas.
std::optional<SeenRescale> HpaObserver::FindMissed(std::int32_t present,
                                                   const FindEvent& find) const {
  return replicas_ && *replicas_ != present && observed_ ? find(present, *observed_ - kEventLead)
                                                         : std::nullopt;
}

// A scaling is never older than the observation before, which did not see it.
Time HpaObserver::Within(Time time, Time now) const {
  return std::clamp(time, std::min(*observed_, now), now);
}

// Whoever has changed the replicas is not known.
void HpaObserver::SeePresent(const store::EvaluationRecord& evaluation,
                             const api::AutoscalerStatus& status) {
  NoteForeignChange(evaluation.current_replicas, evaluation.time);
  if (!AbleReasonIs(status, api::kFailedGetScale)) {
    replicas_ = evaluation.current_replicas;
  }
}

void HpaObserver::NoteForeignChange(std::int32_t present, Time time) {
  if (replicas_ && *replicas_ != present) {
    foreign_change_ = {time, *replicas_, present, "", {}};
  }
}

void HpaObserver::Record(const Scaling& scaling, std::string message,
                         store::EvaluationRecord& evaluation) {
  evaluation.time = scaling.time;
  evaluation.current_replicas = scaling.from;
  evaluation.desired_replicas = scaling.to;
  evaluation.reason = kSuccessfulRescale;
  evaluation.message = std::move(message);
  replicas_ = scaling.to;
}

std::optional<HpaObserver::Scaling> HpaObserver::FindScaling(const api::AutoscalerStatus& status,
                                                             Time now) const {
  const std::optional<Time>& last = status.last_scale_time;
  if (!observed_ || !last || (looked_ ? last == scaled_ : *last <= *observed_)) {
    return std::nullopt;  // nothing to compare with, or nothing newer
  }
  // Otherwise there may have been several scalings; then this is what they came to.
  const std::int32_t from =
      HasJustScaled(status) ? status.current_replicas : replicas_.value_or(status.current_replicas);
  if (from == status.desired_replicas) {
    return std::nullopt;
  }
  return Scaling{Within(*last, now), from, status.desired_replicas};
}

std::optional<store::ForeignChange> HpaObserver::TakeForeignChange() {
  const Boxed<store::ForeignChange> change = std::exchange(foreign_change_, std::nullopt);
  return change ? std::optional(*change) : std::nullopt;
}

bool HasBeenServed(const api::AutoscalerStatus& status) {
  return engine::Find(status.conditions, api::kAbleToScale) != nullptr;
}

bool IsNews(const api::Autoscaler& before, const api::Autoscaler& after) {
  const auto same = [](const api::Condition& a, const api::Condition& b) {
    return a.type == b.type && a.status == b.status && a.reason == b.reason;
  };
  const api::AutoscalerStatus& was = before.status;
  const api::AutoscalerStatus& is = after.status;
  if (was.observed_generation != is.observed_generation ||  // Ballast's claim (status_marks.h)
      !session::SameOwnAnnotations(before.metadata, after.metadata) ||
      !SameWrite(before.editor, after.editor)) {
    return true;
  }
  return !IsOurs(after.status_writer) && (was.last_scale_time != is.last_scale_time ||
                                          was.current_replicas != is.current_replicas ||
                                          was.desired_replicas != is.desired_replicas ||
                                          !std::ranges::equal(was.conditions, is.conditions, same));
}

}  // namespace ballast::hpa
