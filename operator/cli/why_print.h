// The answer of `ballast why`, for people and for programs.
//
// Thread-safety: pure functions, but for the process's time zone.
#pragma once

#include <optional>
#include <string>

#include "api/kubernetes/meta.h"
#include "operator/cli/times.h"
#include "operator/explain/explanation.h"
#include "operator/explain/gaps.h"
#include "store/reader.h"

namespace ballast::cli {

struct Why {
  api::ObjectKey key;
  Time at;
  std::string answer;                   // one sentence
  bool recorded = false;                // whether something is recorded of that moment
  std::optional<explain::Gap> gap;      // else: the time without records around it
  std::optional<store::Entry> decided;  // the decision that held then, or the last one before
  // What it was made from, run again. `inputs_of`: which that is; where reasons took turns, the
  // first evaluation for that reason; and when nothing was kept of it, the last decision before it
  // of which something was.
  std::optional<explain::Explanation> inputs;
  std::optional<store::Entry> inputs_of;
  std::string inputs_problem;                 // why there are no inputs; empty if there are
  std::optional<store::Timeline> timeline;    // of `decided`, if it was a scale event
  std::optional<store::SeriesPoint> point;    // the evaluation at that moment
  std::optional<store::Intrusion> intrusion;  // somebody else set the replicas that it found
  std::optional<store::Entry> next;           // what was decided next
};

// What each metric said: "Resource/cpu at 48%, 5s old; ...".
std::string DescribeReadings(const store::SeriesPoint& point);

std::string WhyText(const Why& why, Zone zone);
std::string WhyJson(const Why& why);

}  // namespace ballast::cli
