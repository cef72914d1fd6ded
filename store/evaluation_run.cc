#include "store/evaluation_run.h"

#include <algorithm>

namespace ballast::store {
namespace {

constexpr std::int64_t kAtOnce = 10;
constexpr Duration kInterval = Duration::Seconds(6 * 3'600);

// So that there is a snapshot of every day.
constexpr Duration kLongest = Duration::Seconds(12 * 3'600);

// Of the reasons that take turns so many are told apart; there are rarely more than three.
constexpr std::size_t kMostReasons = 8;

bool SameMetrics(const std::vector<Reading>& a, const std::vector<Reading>& b) {
  return std::ranges::equal(a, b, [](const Reading& x, const Reading& y) {
    return x.metric == y.metric && x.target == y.target;
  });
}

}  // namespace

bool RunBudget::Take(Time now) {
  // What lies ahead was used before the clock was set back.
  const Time used = std::clamp(used_until_, now - Duration{kInterval.nanoseconds * kAtOnce}, now);
  if (used + kInterval > now) {
    return false;
  }
  used_until_ = used + kInterval;
  return true;
}

EvaluationRun::EvaluationRun(DecisionId id, const Evaluation& first) : id_(id), first_(first) {
  first_.snapshot = nullptr;
  for (const Reading& reading : first.readings) {
    extremes_.push_back({reading.metric, reading.target});
  }
  Add(first);
}

bool EvaluationRun::Continues(const Evaluation& next, RunBudget& allowance) const {
  // Evaluations more than two periods apart do not follow each other, nor do those between which
  // the clock was set: what is said of the first one's times does not hold for them.
  const Duration pause{next.period.nanoseconds * 2};
  if (first_.current_replicas != next.current_replicas ||
      first_.desired_replicas != next.desired_replicas || first_.dry_run != next.dry_run ||
      first_.generation != next.generation || !SameMetrics(first_.readings, next.readings) ||
      next.clock_jumped || next.time < until_ || next.time - until_ > pause ||
      next.time - first_.time > kLongest) {
    return false;
  }
  return first_.reason == next.reason || !allowance.Take(next.time);
}

bool EvaluationRun::BringsReason(const Evaluation& next) const {
  return next.reason != first_.reason && reasons_.size() < kMostReasons &&
         std::ranges::find(reasons_, next.reason) == reasons_.end();
}

void EvaluationRun::Add(const Evaluation& evaluation) {
  if (BringsReason(evaluation)) {
    reasons_.push_back(evaluation.reason);
  }
  until_ = evaluation.time;
  ++evaluations_;
  others_ += evaluation.reason != first_.reason ? 1 : 0;
  for (std::size_t i = 0; i < extremes_.size(); ++i) {
    if (const auto& milli = evaluation.readings[i].milli) {
      MetricRange& extremes = extremes_[i];
      extremes.low = extremes.any ? std::min(extremes.low, *milli) : *milli;
      extremes.high = extremes.any ? std::max(extremes.high, *milli) : *milli;
      extremes.any = true;
    }
  }
}

}  // namespace ballast::store
