// What the ledger records about autoscalers, as plain values.
//
// Thread-safety: plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "api/decision/decision.h"
#include "api/decision/memory.h"
#include "api/kubernetes/meta.h"

namespace ballast::engine {
struct Snapshot;
}  // namespace ballast::engine

namespace ballast::store {

// Which autoscaler a record is about. The uid is its identity: an autoscaler deleted and created
// again under the same name is another one.
struct Subject {
  std::string uid;
  std::string kind;  // "AutoScalePolicy", "HorizontalPodAutoscaler"
  api::ObjectKey key;
  friend bool operator==(const Subject&, const Subject&) = default;
};

// Identifies one decision in a store; grows with time.
using DecisionId = std::int64_t;

// What one metric said.
struct Reading {
  std::string metric;                 // its identity within the autoscaler ("Resource/cpu")
  std::string target;                 // what it is compared with: Utilization, AverageValue, Value
  std::optional<std::int64_t> milli;  // the figure that is compared, in thousandths; absent: none
  std::optional<Time> sampled;        // the newest sample behind it
  friend bool operator==(const Reading&, const Reading&) = default;
};

// One evaluation of one autoscaler and what it came to.
struct Evaluation {
  Subject subject;
  Time time;                                // the snapshot's `now`
  Duration period = Duration::Seconds(15);  // how often this autoscaler is evaluated
  std::int32_t current_replicas = 0;        // what the scale said
  std::int32_t desired_replicas = 0;        // what was concluded
  bool dry_run = false;                     // desired_replicas is only what it would do
  bool clock_jumped = false;                // since the evaluation before
  std::string reason;   // a stable word: what explains or limits it ("ScaleDownStabilized")
  std::string message;  // one sentence for people
  std::optional<std::int64_t> generation;  // of the autoscaler's spec
  std::vector<Reading> readings;           // in the order of spec.metrics
  Time seen;                               // all answers were there
  std::string slowest;                     // the metric whose answer took longest; empty: none
  Time decided;
  // What it was made from; must live until the ledger has taken the record. Null: it is not kept.
  const engine::Snapshot* snapshot = nullptr;
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
Result<Fate> ParseFate(std::string_view name);

// An intent whose outcome is not recorded: the process ended, or lost contact, in between.
struct OpenIntent {
  DecisionId id = 0;
  Subject subject;
  Time time;
  Time decided;  // just before the write was to start
  std::int32_t from = 0;
  std::int32_t to = 0;
  bool given_up = false;  // it is on record as unknown, and counts as one that may have happened
  // JSON; decide and conclude on it give the memory that it left. Empty: it cannot be read.
  std::string snapshot;
};

// Replicas that somebody else set.
struct ForeignChange {
  Time time;  // noticed
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::string manager;          // by managedFields; empty: they do not tell
  std::optional<Time> managed;  // when, by the same
  friend bool operator==(const ForeignChange&, const ForeignChange&) = default;
};

// A scale event that is on record.
struct ScaleWrite {
  DecisionId id = 0;
  std::int32_t from = 0;
  std::int32_t to = 0;
  Time time;           // of its evaluation
  bool ready = false;  // as many pods were ready as it asked for
  friend bool operator==(const ScaleWrite&, const ScaleWrite&) = default;
};

// The process that writes the ledger.
struct Process {
  Time started;
  std::vector<std::string> namespaces;  // that it serves; empty: all
};

// An evaluation more than two periods after the one before, of a process that ran and led all the
// while.
struct Delay {
  Time since;           // the evaluation before
  Time time;            // the late one
  Duration took;        // until all answers of the one before were there
  std::string slowest;  // of the metrics then; empty: none
  friend bool operator==(const Delay&, const Delay&) = default;
};

// What the ledger knows of an autoscaler's earlier evaluations.
struct Recollection {
  engine::Memory memory;
  Time last_evaluation;
  std::optional<std::int32_t> replicas;  // as the operator last saw or left them
  std::optional<ScaleWrite> last_write;
};

// ---- What a ledger takes

// An evaluation after which no write of the scale is attempted. Consecutive ones that come to the
// same are one record (evaluation_run.h) with the documents of the first one, and of the first for
// each reason.
struct Evaluated {
  Evaluation evaluation;
  engine::Memory memory;
  // As Evaluation::snapshot.
  const engine::Conclusion* conclusion = nullptr;
};

// A time at which it was due and was not evaluated: its spec is wrong, or another autoscaler has
// its target. Its memory stays as it is. Consecutive ones for the same reason are one record.
struct Refused {
  Evaluation evaluation;
};

// A write of the scale is about to start.
struct Intended {
  Evaluation evaluation;
};

// How the write ended, and the memory that it left. Also settles an open intent. kNotAttempted
// counts as failed; after kUnknown the intent stays open and may be settled later.
struct Concluded {
  DecisionId id = 0;
  engine::Outcome outcome;
  Time time;
  engine::Memory memory;
  const engine::Conclusion* conclusion = nullptr;
};

// What became of an attempt after all whose outcome was unknown. The memory stays as it is: it has
// counted the write as one that happened. Nothing if the attempt is settled.
struct Resolved {
  DecisionId id = 0;
  engine::Outcome outcome;
  Time time;
};

// As many pods are ready as the autoscaler's newest scale event asked for.
struct PodsReady {
  std::string uid;
  Time time;
};

// Replicas were set by others.
struct ForeignlyChanged {
  Subject subject;
  ForeignChange change;
};

// From `since` on `leader` leads. `own`: that is this process.
struct LeaderChanged {
  std::string leader;
  bool own = false;
  Time since;
};

// The autoscaler is gone: its memory goes, its history stays.
struct Forgotten {
  std::string uid;
};

// All but those are gone: for when it is known which there are, for some may have gone while this
// process did not run or lead.
struct OthersForgotten {
  std::set<std::string> uids;
};

using Record = std::variant<Evaluated, Refused, Intended, Concluded, Resolved, PodsReady,
                            ForeignlyChanged, LeaderChanged, Forgotten, OthersForgotten>;

}  // namespace ballast::store
