#include "tests/faults/decision_model.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/faults/metric_wish.h"

namespace ballast::faults {
namespace {

constexpr std::int64_t kMany = 1'000'000;

class Model {
 public:
  explicit Model(const engine::Snapshot& snapshot)
      : snapshot_(snapshot),
        autoscaler_(snapshot.autoscaler),
        policy_(snapshot.autoscaler.is_policy()),
        scale_(std::get_if<api::Scale>(&snapshot.scale)),
        current_(scale_ == nullptr ? 0 : scale_->spec_replicas) {}

  std::optional<std::int64_t> Decide() const {
    if (!HasRules()) {
      return std::nullopt;
    }
    const auto [least, most] = Bounds();
    if (current_ < least || current_ > most) {
      return Hold(std::clamp(current_, least, most));
    }
    const std::size_t metrics = autoscaler_.spec.metrics.size();
    std::int64_t wish = 0;
    std::size_t failed = 0;
    for (std::size_t i = 0; i < metrics; ++i) {
      const MetricWish one = MetricWishOf(snapshot_, i);
      if (one.kind == MetricWish::Kind::kNoRule) {
        return std::nullopt;
      }
      failed += one.kind == MetricWish::Kind::kFailed ? 1 : 0;
      wish =
          std::max(wish, HasUsedSample(snapshot_, i) ? std::min(one.count, current_) : one.count);
    }
    if (failed == metrics && autoscaler_.spec.fallback && FallsBack()) {
      const std::int64_t count =
          std::max<std::int64_t>(*autoscaler_.spec.fallback->replicas, current_);
      return Hold(Limit(Stabilize(count), least, most));
    }
    if (failed == metrics || (failed > 0 && wish < current_)) {
      return current_;
    }
    return Hold(Limit(Stabilize(wish), least, most));
  }

 private:
  bool HasRules() const {
    const auto& spec = autoscaler_.spec;
    return scale_ != nullptr && current_ > 0 && scale_->status_replicas > 0 && spec.behavior &&
           spec.mode != "Disabled" && !snapshot_.schedules && !snapshot_.suspect_source &&
           !std::holds_alternative<engine::Failure>(snapshot_.pods) && !snapshot_.takes_over_from &&
           snapshot_.rivals.empty() && snapshot_.memory &&
           snapshot_.metrics.size() >= spec.metrics.size();
  }

  // ---- Bounds

  // A zero switches a policy's target off.
  std::int64_t Within(std::int64_t count) const {
    return count == 0 && policy_
               ? 0
               : std::clamp<std::int64_t>(count, autoscaler_.spec.min_replicas.value_or(1),
                                          autoscaler_.spec.max_replicas);
  }

  // The spec's, then floors and ceilings of overrides, then a pin.
  std::pair<std::int64_t, std::int64_t> Bounds() const {
    std::int64_t least = 0;
    std::int64_t most = autoscaler_.spec.max_replicas;
    std::optional<std::int64_t> pin;
    for (const engine::ScheduleWindow& window : snapshot_.overrides) {
      if (!IsOpen(window)) {
        continue;
      }
      least = std::max(least, window.min_replicas ? Within(*window.min_replicas) : 0);
      most = std::min(most, window.max_replicas ? Within(*window.max_replicas) : kMany);
      pin = window.pin ? std::optional(Within(*window.pin)) : pin;
    }
    least = most == 0 ? least : std::max(least, Within(1));  // the spec's
    most = std::max(least, most);
    return pin ? std::pair(*pin, *pin) : std::pair(least, most);
  }

  bool IsOpen(const engine::ScheduleWindow& window) const {
    return window.start <= snapshot_.now && snapshot_.now < window.end.value_or(snapshot_.now);
  }

  // The pause that the annotations ask for.
  struct Pause {
    Time until;
    bool in;
    bool out;
  };
  std::optional<Pause> FindPause() const {
    const auto& annotations = autoscaler_.metadata.annotations;
    const auto end = annotations.find("ballast.dev/paused-until");
    if (end == annotations.end() || autoscaler_.spec.mode == "DryRun") {
      return std::nullopt;
    }
    const auto until = ParseTime(end->second);
    if (!until.ok()) {
      return std::nullopt;
    }
    const auto way = annotations.find("ballast.dev/paused-direction");
    const std::string direction = way == annotations.end() ? "Both" : way->second;
    return Pause{*until, direction != "Out", direction != "In"};
  }

  bool EndedLately(Time end) const {
    return end <= snapshot_.now && snapshot_.now - end < DownWindow();
  }

  // What overrides and pauses kept that ended less than a window ago.
  std::int64_t Kept() const {
    const auto pause = FindPause();
    std::int64_t kept = pause && pause->in && EndedLately(pause->until) ? current_ : 0;
    for (const engine::ScheduleWindow& window : snapshot_.overrides) {
      if (EndedLately(window.end.value_or(snapshot_.now))) {
        const std::int64_t count = !window.hold.empty() && window.hold != "ScaleUp" ? current_
                                   : window.pin          ? Within(*window.pin)
                                   : window.min_replicas ? Within(*window.min_replicas)
                                                         : 0;
        kept = std::max(kept, std::min(count, current_));
      }
    }
    return kept;
  }

  // Whether spec.fallback counts by now, if no metric gives a value.
  bool FallsBack() const {
    const Time last = snapshot_.memory->no_value_since ? *snapshot_.memory->no_value_since
                      : snapshot_.interrupted || snapshot_.clock_jumped
                          ? snapshot_.now
                          : snapshot_.last_evaluation.value_or(snapshot_.now);
    return snapshot_.now - std::min(last, snapshot_.now) >=
           Duration::Seconds(*autoscaler_.spec.fallback->after_seconds);
  }

  // ---- Windows, rates and holds

  static Duration WindowOf(const Boxed<api::ScalingRules>& rules, std::int64_t otherwise) {
    return Duration::Seconds(rules && rules->stabilization_window_seconds
                                 ? *rules->stabilization_window_seconds
                                 : otherwise);
  }

  bool LostTrack() const {
    const auto& conditions = autoscaler_.status.conditions;
    return snapshot_.interrupted || snapshot_.clock_jumped || snapshot_.silence_ended ||
           (snapshot_.last_evaluation && *snapshot_.last_evaluation > snapshot_.now) ||
           std::ranges::any_of(conditions, [](const api::Condition& one) {
             return one.type == "Held" && one.status == "True" && one.reason == "Disabled";
           });
  }

  // No more than was asked for within the one window, no fewer than within the other.
  std::int64_t Stabilize(std::int64_t wish) const {
    auto asked = snapshot_.memory->recommendations;
    if (asked.empty() || (policy_ && LostTrack())) {
      asked.push_back({snapshot_.now, static_cast<std::int32_t>(current_)});
    }
    const auto& behavior = *autoscaler_.spec.behavior;
    std::int64_t lowest = wish;
    std::int64_t highest = wish;
    for (const engine::Recommendation& one : asked) {
      const Time time = std::min(one.time, snapshot_.now);
      if (snapshot_.now - time < WindowOf(behavior.scale_up, 0)) {
        lowest = std::min<std::int64_t>(lowest, one.replicas);
      }
      if (snapshot_.now - time < DownWindow()) {
        highest = std::max<std::int64_t>(highest, one.replicas);
      }
    }
    return std::max(std::min(std::max(current_, lowest), highest), Kept());
  }

  Duration DownWindow() const { return WindowOf(autoscaler_.spec.behavior->scale_down, 300); }

  std::int64_t Since(const std::vector<engine::ScaleEvent>& events, Duration period) const {
    std::int64_t sum = 0;
    for (const engine::ScaleEvent& event : events) {
      sum += snapshot_.now - std::min(event.time, snapshot_.now) < period ? event.change : 0;
    }
    return sum;
  }

  std::int64_t Rate(const Boxed<api::ScalingRules>& rules, bool up) const {
    const std::string select = rules ? rules->select_policy.value_or("Max") : "Max";
    if (select == "Disabled") {
      return current_;
    }
    if (!rules || !rules->policies) {  // the defaults
      return up ? kMany : 0;
    }
    const bool lowest = (select == "Min") == up;
    std::int64_t limit = lowest ? kMany : -kMany;
    for (const api::ScalingPolicy& policy : *rules->policies) {
      const Duration period = Duration::Seconds(policy.period_seconds);
      const std::int64_t before = current_ - Since(snapshot_.memory->scale_ups, period) +
                                  Since(snapshot_.memory->scale_downs, period);
      const double part = policy.value / 100.0;
      const std::int64_t end =
          policy.type == "Pods" ? before + (up ? policy.value : -policy.value)
          : up ? std::max<std::int64_t>(Times(1 + part, before), before <= 0 ? 1 : -kMany)
               : static_cast<std::int64_t>(static_cast<double>(before) * (1 - part));
      limit = lowest ? std::min(limit, end) : std::max(limit, end);
    }
    return limit;
  }

  std::int64_t Limit(std::int64_t desired, std::int64_t least, std::int64_t most) const {
    const auto& behavior = *autoscaler_.spec.behavior;
    return desired > current_
               ? std::min({desired, std::max(Rate(behavior.scale_up, true), current_), most})
           : desired < current_
               ? std::max({desired, std::min(Rate(behavior.scale_down, false), current_), least})
               : current_;
  }

  std::int64_t Hold(std::int64_t desired) const {
    const bool in = desired < current_;
    const bool dry = autoscaler_.spec.mode == "DryRun";
    if (const auto pause = FindPause(); pause && snapshot_.now < pause->until) {
      desired = (in ? pause->in : pause->out) ? current_ : desired;
    }
    for (const engine::ScheduleWindow& window : snapshot_.overrides) {
      const bool holds = !window.hold.empty() && window.hold != (in ? "ScaleUp" : "ScaleDown");
      desired = holds && IsOpen(window) ? current_ : desired;
    }
    const bool old_view = policy_ && in && snapshot_.pods_age &&
                          *snapshot_.pods_age > Duration::Seconds(120) &&
                          current_ <= Bounds().second;
    const bool waits = (snapshot_.unsettled_write || old_view) && !dry;
    return waits ? current_ : desired;
  }

  const engine::Snapshot& snapshot_;
  const api::Autoscaler& autoscaler_;
  const bool policy_;
  const api::Scale* const scale_;
  const std::int64_t current_;
};

}  // namespace

std::optional<std::int64_t> ReplicasByRules(const engine::Snapshot& snapshot) {
  return Model(snapshot).Decide();
}

}  // namespace ballast::faults
