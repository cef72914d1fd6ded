// What the ledger records about autoscalers, as plain values.
//
// Thread-safety: plain values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "api/meta.h"
#include "api/result.h"
#include "api/time.h"
#include "operator/engine/memory.h"

namespace ballast::store {

// Which autoscaler a record is about. The uid is its identity: an autoscaler deleted and created
// again under the same name is another one.
struct Subject {
  std::string uid;
  std::string kind;  // "AutoScalePolicy", "HorizontalPodAutoscaler"
  api::ObjectKey key;
};

// Identifies one decision in a store; grows with time.
using DecisionId = std::int64_t;

// Makes a JSON text when, and only if, it is worth recording; called at most once, by the thread
// that called the ledger, before that call returns.
using JsonSource = std::function<std::string()>;

// One evaluation of one autoscaler and what it came to.
struct Evaluation {
  Subject subject;
  Time time;                                // the snapshot's `now`
  Duration period = Duration::Seconds(15);  // how often this autoscaler is evaluated
  std::int32_t current_replicas = 0;        // what the scale said
  std::int32_t desired_replicas = 0;        // what was concluded
  bool dry_run = false;                     // desired_replicas is only what it would do
  std::string reason;   // a stable word: what explains or limits it ("ScaleDownStabilized")
  std::string message;  // one sentence for people
  JsonSource snapshot;
};

// What became of a decision.
enum class Fate {
  kNone,      // it asked for no change
  kDryRun,    // it asked for a change that is not made: mode DryRun
  kIntended,  // a write of the scale was about to start; how it ended is not recorded
  kWritten,
  kFailed,
  kUnknown,  // the write was started, and whether it landed could not be found out
};

// The fate's name in the store and in outputs ("dry-run").
const char* Name(Fate fate);
// kCorrupt when it names none.
Result<Fate> ParseFate(const std::string& name);

// An intent whose outcome is not recorded: the process ended, or lost contact, in between.
struct OpenIntent {
  DecisionId id = 0;
  Subject subject;
  Time time;
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::string snapshot;  // JSON; decide and conclude on it give the memory that it left
};

// What the ledger knows of an autoscaler's earlier evaluations.
struct Recollection {
  engine::Memory memory;
  Time last_evaluation;
};

}  // namespace ballast::store
