// What a history has about one moment of an autoscaler: what `ballast why` answers from.
//
// Thread-safety: one thread at a time, as the History.
// Errors: the History's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "api/kubernetes/meta.h"
#include "operator/explain/explanation.h"
#include "operator/explain/gaps.h"
#include "store/history.h"

namespace ballast::explain {

struct Moment {
  api::ObjectKey key;
  Time at;
  bool recorded = false;   // whether anything is recorded of that moment
  std::optional<Gap> gap;  // otherwise the gap around it, if something is before it
  // If nothing is before it: until when retention has deleted what its namespace had, if that is
  // later than the moment.
  std::optional<Time> deleted_until;
  std::optional<store::Entry> decided;  // the decision in effect then, or the last one before
  // The inputs of `inputs_of`, run again. `inputs_of` is `decided` if its inputs were kept (if
  // reasons alternate, the first evaluation with that reason), else the last decision before it
  // whose inputs were.
  std::optional<Explanation> inputs;
  std::optional<store::Entry> inputs_of;
  std::string inputs_problem;                               // why `inputs` is empty
  std::optional<store::Timeline> timeline;                  // of `decided`, if it was a scale event
  std::optional<store::SeriesPoint> point;                  // the evaluation at that moment
  std::optional<store::ForeignChangeEntry> foreign_change;  // the foreign change that it found
  std::vector<store::EditEntry> edits;                      // that it is the first decision with
  std::optional<store::Entry> next;                         // the next decision

  // Whether the kept inputs are those of the decision rather than of an earlier one.
  bool HasItsInputs() const { return inputs && inputs_of->id == decided->id; }
  // Whether they are of a later evaluation of its run, for another reason.
  bool IsAboutALaterReason() const { return HasItsInputs() && inputs_of->time > decided->time; }
  // Whether the evaluation at that moment had a reason of which no inputs were kept: a run whose
  // reasons alternate has several, and keeps those of its first nine.
  bool HadAnotherReason() const;
};

// `query` must have a key; without a kind it is about the policy of that name, if that has decided
// anything by then, else about the HPA. `now` ends a gap that has no end yet.
Result<Moment> LookBack(store::History& history, const store::HistoryQuery& query, Time at,
                        Time now);

}  // namespace ballast::explain
