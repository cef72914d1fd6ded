// A run: consecutive evaluations of one autoscaler with the same result that changed nothing. It is
// one row of history, with the snapshot of the first evaluation. What another controller did, or
// nobody because the autoscaler was refused, is no result of Ballast's, and has runs of its own.
//
// An evaluation with another reason begins a run of its own, so that each reason can be explained
// from a snapshot, and so does a refusal for another cause, which has no snapshot; so does one
// that is late, by more than two periods after the one before. Where reasons alternate or
// evaluations are late all the time that would take too much space: once an autoscaler has used up
// its RunBudget, a run continues whatever the reasons are, and over pauses of up to an hour. Then
// the first evaluation for each of up to 8 further reasons keeps its snapshot, the run has its
// longest delay, and the series (evaluation_series.h) says when each evaluation was and which
// reason it had.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/base/time.h"
#include "store/records.h"

namespace ballast::store {

// The range of a metric's values during a run.
struct MetricRange {
  std::string metric;
  std::string target;
  bool any = false;  // it had a value at least once
  std::int64_t low = 0;
  std::int64_t high = 0;
  friend bool operator==(const MetricRange&, const MetricRange&) = default;
};

// How many runs of an autoscaler may begin only because the reason changed or an evaluation was
// late: ten at once, and one more every six hours.
class RunBudget {
 public:
  bool Allows(Time now) const;
  // Uses up one of those that are allowed.
  void Take(Time now);

 private:
  Time Used(Time now) const;

  Time used_until_ = Time(0, 0);
};

class EvaluationRun {
 public:
  EvaluationRun(DecisionId id, const EvaluationRecord& first, MadeBy made_by);

  // Whether `next` belongs to this run.
  bool Continues(const EvaluationRecord& next, MadeBy made_by, const RunBudget& budget) const;
  // Whether it would if the budget was used up.
  bool Fits(const EvaluationRecord& next, MadeBy made_by) const;
  // Whether it comes more than two periods after the last one.
  bool IsLate(const EvaluationRecord& next) const;
  // Whether `next`, which belongs to this run, is the first one for its reason, among the 8 further
  // reasons that keep a snapshot.
  bool BringsReason(const EvaluationRecord& next) const;
  void Add(const EvaluationRecord& evaluation);
  // `delay`: of the evaluation that is added next.
  void AddDelay(Delay delay);

  DecisionId id() const { return id_; }
  Time until() const { return until_; }
  std::int64_t evaluations() const { return evaluations_; }
  // The evaluations whose reason is not that of the first one.
  std::int64_t others() const { return others_; }
  const std::vector<MetricRange>& ranges() const { return ranges_; }
  const std::optional<Delay>& longest_delay() const { return longest_delay_; }

 private:
  // What a run's evaluations have in common, and its begin.
  struct First {
    Time time;
    std::int32_t current_replicas;
    std::int32_t desired_replicas;
    bool dry_run;
    std::optional<std::int64_t> generation;
    std::string reason;
    std::string cause;  // why nothing was evaluated
    MadeBy made_by;
  };

  DecisionId id_;
  First first_;
  Time until_;
  std::int64_t evaluations_ = 0;
  std::int64_t others_ = 0;
  std::vector<std::string> reasons_;  // other than the first one's, with a snapshot
  std::vector<MetricRange> ranges_;   // of each metric
  std::optional<Delay> longest_delay_;
};

}  // namespace ballast::store
