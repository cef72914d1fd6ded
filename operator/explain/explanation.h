// Why a target had its replica count at some moment: the recorded decision, run again for its
// trace, and the rule that set the count. Plain values; the callers put them into words.
//
// Errors: kCorrupt if a recorded snapshot cannot be read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/autoscaling/pause_annotation.h"
#include "api/base/result.h"
#include "api/base/time.h"
#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
#include "api/decision/step.h"
#include "operator/explain/counterfactuals.h"
#include "store/history.h"

namespace ballast::explain {

// One metric's part in a decision.
struct MetricView {
  std::string name;                      // its name in the trace: "metric 0 (Resource)"
  std::string what;                      // in words: "cpu", "queue"
  std::string value;                     // "57%", "10.75 a pod"; empty: it had none
  std::string target;                    // in the same form
  std::string pods;                      // "1 pod counted in full, 1 not ready"; empty: all did
  std::string problem;                   // why it could not be used; empty: it could
  std::string text;                      // its value against its target, and the resulting count
  std::optional<std::int32_t> proposal;  // absent: the metric could not be used
  std::optional<Duration> age;           // of its newest sample; absent: no timestamp
};

// The difference between the count that the metrics ask for and the decided one, and its cause.
struct Obstacle {
  enum class Kind {
    kWindow,  // a stabilization window, `window` long
    kKept,    // what kept the count has ended within such a window
    kMaxReplicas,
    kMinReplicas,
    kDoubling,           // no behavior: one step at most doubles the count, or sets 4
    kDirectionDisabled,  // behavior.*.selectPolicy is Disabled
    kRate,               // behavior.*.policies
    kUsedSample,         // a sample justifies only one scale-up
    kOther,              // see `text`
  };
  engine::Rule rule = {};  // the cause
  Kind kind = Kind::kOther;
  bool up = false;            // it prevents more replicas; false: fewer
  std::int32_t proposed = 0;  // what the metrics ask for
  std::int32_t allowed = 0;   // the decided count
  Duration window;            // kWindow, kKept
  std::string text;           // the rule's own sentence
};

// A decision with everything that led to it.
struct Explanation {
  engine::Snapshot snapshot;
  engine::Decision decision;
  std::vector<MetricView> metrics;
  std::optional<Obstacle> obstacle;  // the rule that set the count; absent: the metrics did
  std::optional<engine::Release> release;
  std::vector<api::Pause> pauses;  // in force then
  // The schedules that set the minimum and the maximum; absent: the spec does.
  std::optional<engine::ScheduleWindow> floor;
  std::optional<engine::ScheduleWindow> ceiling;
  std::optional<engine::ScheduleWindow> held_by;  // kKept; absent: a pause by annotation
  std::optional<Time> suspect_until;  // until then a suspect source keeps it from scaling in
  std::vector<Alternative> alternatives;
};

// Whether `rule` set the count, against the metrics.
bool IsBoundBy(const Explanation& why, engine::Rule rule);

// Runs the recorded `snapshot` of `entry` again.
Result<Explanation> Explain(const std::string& snapshot, const store::Entry& entry);
Explanation Explain(engine::Snapshot snapshot, const store::Entry& entry);

}  // namespace ballast::explain
