// A run of evaluations of one autoscaler that changed nothing: one row of history, with the
// snapshot of the first.
//
// An evaluation with another reason begins a run of its own, so that each can be explained from its
// snapshot. Where reasons alternate all the time that would cost too much: once an autoscaler has
// used up its RunBudget, a run goes on whatever the reasons. Then the first evaluation for each
// reason has its snapshot, and the series (evaluation_series.h) tells which evaluation had which.
//
// Thread-safety: plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/base/time.h"
#include "store/records.h"

namespace ballast::store {

// Within which limits a metric stayed.
struct MetricRange {
  std::string metric;
  std::string target;
  bool any = false;  // it had figures at all
  std::int64_t low = 0;
  std::int64_t high = 0;
  friend bool operator==(const MetricRange&, const MetricRange&) = default;
};

// How many runs may begin for nothing but another reason: some at once, and one more each interval.
class RunBudget {
 public:
  bool Allows(Time now) const;
  // Takes one of those that it allows.
  void Take(Time now);

 private:
  Time Used(Time now) const;

  Time used_until_ = Time(0, 0);
};

class EvaluationRun {
 public:
  EvaluationRun(DecisionId id, const Evaluation& first);

  // Whether `next` belongs to this run.
  bool Continues(const Evaluation& next, const RunBudget& allowance) const;
  // Whether it could but for its reason.
  bool Fits(const Evaluation& next) const;
  // Whether `next`, which belongs to it, is the first for its reason, of those that are worth a
  // snapshot of their own.
  bool BringsReason(const Evaluation& next) const;
  void Add(const Evaluation& evaluation);

  DecisionId id() const { return id_; }
  Time until() const { return until_; }
  std::int64_t evaluations() const { return evaluations_; }
  // Evaluations with another reason than the first.
  std::int64_t others() const { return others_; }
  const std::vector<MetricRange>& extremes() const { return extremes_; }

 private:
  DecisionId id_;
  Evaluation first_;  // without its snapshot
  Time until_;
  std::int64_t evaluations_ = 0;
  std::int64_t others_ = 0;
  std::vector<std::string> reasons_;  // that others brought
  std::vector<MetricRange> extremes_;
};

}  // namespace ballast::store
