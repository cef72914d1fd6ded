// Prints the answer of `ballast why` as text or JSON.
//
// Thread-safety: pure functions that read the process's time zone, which must not change meanwhile.
// Errors: none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/kubernetes/meta.h"
#include "operator/cli/times.h"
#include "operator/explain/explanation.h"
#include "operator/explain/gaps.h"
#include "store/history.h"

namespace ballast::cli {

struct Why {
  api::ObjectKey key;
  Time at;
  std::string answer;                   // one sentence
  bool recorded = false;                // whether anything is recorded of that moment
  std::optional<explain::Gap> gap;      // otherwise the gap around it
  std::optional<store::Entry> decided;  // the decision in effect then, or the last one before
  // The inputs of `inputs_of`, run again. `inputs_of` is `decided` if its inputs were kept (if
  // reasons alternate, the first evaluation with that reason), else the last decision before it
  // whose inputs were.
  std::optional<explain::Explanation> inputs;
  std::optional<store::Entry> inputs_of;
  std::string inputs_problem;                               // why `inputs` is empty
  std::optional<store::Timeline> timeline;                  // of `decided`, if it was a scale event
  std::optional<store::SeriesPoint> point;                  // the evaluation at that moment
  std::optional<store::ForeignChangeEntry> foreign_change;  // the foreign change that it found
  std::vector<store::EditEntry> edits;                      // that it is the first decision with
  std::optional<store::Entry> next;                         // the next decision
};

// The metrics' values: "Resource/cpu at 48%, 5s old; ...".
std::string DescribeReadings(const store::SeriesPoint& point);

std::string WhyText(const Why& why, Zone zone);
std::string WhyJson(const Why& why);

}  // namespace ballast::cli
