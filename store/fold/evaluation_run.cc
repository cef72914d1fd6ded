#include "store/fold/evaluation_run.h"

#include <algorithm>
#include <utility>

namespace ballast::store {
namespace {

constexpr std::int64_t kAtOnce = 10;
constexpr Duration kInterval = Duration::Seconds(6 * 3'600);

// So every day has a snapshot.
constexpr Duration kLongest = Duration::Seconds(12 * 3'600);

// Over longer pauses no run continues: too little is known of them.
constexpr Duration kLongestPause = Duration::Seconds(3'600);

// How many further reasons of a run get a snapshot; there are rarely more than three.
constexpr std::size_t kMostReasons = 8;

bool SameMetrics(const std::vector<MetricRange>& ranges, const std::vector<Reading>& readings) {
  return std::ranges::equal(ranges, readings, [](const MetricRange& range, const Reading& reading) {
    return range.metric == reading.metric && range.target == reading.target;
  });
}

}  // namespace

bool RunBudget::Allows(Time now) const { return Used(now) + kInterval <= now; }

void RunBudget::Take(Time now) { used_until_ = Used(now) + kInterval; }

// A value later than `now` is from before the clock was set back.
Time RunBudget::Used(Time now) const {
  return std::clamp(used_until_, now - Duration{kInterval.nanoseconds * kAtOnce}, now);
}

EvaluationRun::EvaluationRun(DecisionId id, const EvaluationRecord& first, MadeBy made_by)
    : id_(id),
      first_{first.time,
             first.current_replicas,
             first.desired_replicas,
             first.dry_run,
             first.generation,
             first.reason,
             first.cause,
             made_by} {
  for (const Reading& reading : first.readings) {
    ranges_.push_back({reading.metric, reading.target});
  }
  Add(first);
}

bool EvaluationRun::Continues(const EvaluationRecord& next, MadeBy made_by,
                              const RunBudget& budget) const {
  return Fits(next, made_by) &&
         ((first_.reason == next.reason && first_.cause == next.cause && !IsLate(next)) ||
          !budget.Allows(next.time));
}

bool EvaluationRun::Fits(const EvaluationRecord& next, MadeBy made_by) const {
  // The times of evaluations between which the clock was set cannot be compared.
  return first_.made_by == made_by && first_.current_replicas == next.current_replicas &&
         first_.desired_replicas == next.desired_replicas && first_.dry_run == next.dry_run &&
         first_.generation == next.generation && SameMetrics(ranges_, next.readings) &&
         !next.clock_jumped && next.time >= until_ &&
         (!IsLate(next) || next.time - until_ <= kLongestPause) &&
         next.time - first_.time <= kLongest;
}

bool EvaluationRun::IsLate(const EvaluationRecord& next) const {
  return next.time - until_ > Duration{next.period.nanoseconds * 2};
}

bool EvaluationRun::BringsReason(const EvaluationRecord& next) const {
  return next.reason != first_.reason && reasons_.size() < kMostReasons &&
         std::ranges::find(reasons_, next.reason) == reasons_.end();
}

void EvaluationRun::Add(const EvaluationRecord& evaluation) {
  if (BringsReason(evaluation)) {
    reasons_.push_back(evaluation.reason);
  }
  until_ = evaluation.time;
  ++evaluations_;
  others_ += evaluation.reason != first_.reason ? 1 : 0;
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    if (const auto& milli = evaluation.readings[i].milli) {
      MetricRange& ranges = ranges_[i];
      ranges.low = ranges.any ? std::min(ranges.low, *milli) : *milli;
      ranges.high = ranges.any ? std::max(ranges.high, *milli) : *milli;
      ranges.any = true;
    }
  }
}

void EvaluationRun::AddDelay(Delay delay) {
  const auto length = [](const Delay& of) { return of.time - of.since; };
  if (!longest_delay_ || length(*longest_delay_) < length(delay)) {
    longest_delay_ = std::move(delay);
  }
}

}  // namespace ballast::store
