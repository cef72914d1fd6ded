// What the ledger records about autoscalers, as plain values.
//
// Errors: ParseDisposition, ParseMadeBy: kCorrupt; the others none.
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

// Identifies a decision in a store; later decisions have greater numbers.
using DecisionId = std::int64_t;

// The value of one metric in an evaluation.
struct Reading {
  std::string metric;                 // its identity within the autoscaler ("Resource/cpu")
  std::string target;                 // what it is compared with: Utilization, AverageValue, Value
  std::optional<std::int64_t> milli;  // the value that is compared, in thousandths; absent: none
  std::optional<Time> sampled;        // the newest sample behind it
  friend bool operator==(const Reading&, const Reading&) = default;
};

// One evaluation of one autoscaler, and its result.
struct EvaluationRecord {
  Subject subject;
  Time time;                                // the snapshot's `now`
  Duration period = Duration::Seconds(15);  // how often this autoscaler is evaluated
  std::int32_t current_replicas = 0;        // of the scale
  std::int32_t desired_replicas = 0;        // of the decision
  bool dry_run = false;                     // desired_replicas is only what it would set
  bool clock_jumped = false;                // or was interrupted, since the previous evaluation
  // The memory after it lacks what happened before: it read no scale that would account for an
  // interruption, or the status memory could not be read. So says the memory until an evaluation
  // makes it complete.
  bool incomplete = false;
  std::string reason;   // a stable word: what explains or limits it ("ScaleDownStabilized")
  std::string message;  // one sentence for people
  std::string cause;    // of what was not evaluated: the message without an error's own words
  std::optional<std::int64_t> generation;  // of the autoscaler's spec
  std::vector<Reading> readings;           // in the order of spec.metrics
  Time seen;                               // all answers had arrived
  std::string slowest;                     // the metric whose answer took longest; empty: none
  Time decided;
  // Must live until the ledger has taken the record. Null: the snapshot is not kept.
  const engine::Snapshot* snapshot = nullptr;
};

// What became of a decision.
enum class Disposition {
  kNone,      // it asked for no change
  kDryRun,    // no change is made: mode DryRun
  kIntended,  // a write of the scale was about to start; its outcome is not recorded
  kWritten,
  kFailed,
  kUnknown,   // the write was started; whether it was applied could not be found out
  kObserved,  // another controller changed the replicas, and Ballast recorded it
};

// Whether the decision with that disposition changed the replicas, as far as is known.
constexpr bool Changed(Disposition disposition) {
  return disposition == Disposition::kWritten || disposition == Disposition::kObserved;
}

// Which record made a decision.
enum class MadeBy {
  kEvaluated,
  kRefused,   // nothing was evaluated
  kObserved,  // another controller decided
  kAttempted,
};

// The name in the store and in outputs ("evaluated").
const char* Name(MadeBy made_by);
// kCorrupt: it is no such name.
Result<MadeBy> ParseMadeBy(std::string_view name);

// The disposition's name in the store and in outputs ("dry-run").
const char* Name(Disposition disposition);
// kCorrupt: it is no disposition's name.
Result<Disposition> ParseDisposition(std::string_view name);

// An intent whose outcome is not known: the process ended before it was, or it was given up.
struct OpenIntent {
  DecisionId id = 0;
  Subject subject;
  Time time;
  Time decided;  // just before the write was to start
  std::int32_t from = 0;
  std::int32_t to = 0;
  bool given_up =
      false;  // its recorded disposition is kUnknown; it counts as one that may have happened
  // JSON; decide and conclude on it yield the memory that it left. Empty: it cannot be read.
  std::string snapshot;
};

// A change of replicas by another client.
struct ForeignChange {
  Time time;  // when it was noticed
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::string manager;          // according to managedFields; empty: they do not say
  std::optional<Time> managed;  // when, according to managedFields
  friend bool operator==(const ForeignChange&, const ForeignChange&) = default;
};

// Fields of an edit: the spec, of whose edits only is known that there were some; who scales the
// autoscaler's target.
inline constexpr const char* kWholeSpec = "spec";
inline constexpr const char* kControllerField = "controller";

// A change of one field of an autoscaler: of its spec, of an annotation of Ballast's, of who scales
// its target, or of the condition api::kManaged.
struct Edit {
  Time time;          // when it was noticed
  std::string field;  // "spec.maxReplicas", "metadata.annotations[ballast.dev/paused-until]"
  // JSON, but strings without quotes; empty: the field was absent. Both empty: not known.
  std::string before;
  std::string after;
  std::string manager;          // according to managedFields; empty: they do not say
  std::optional<Time> managed;  // when, according to managedFields
  friend bool operator==(const Edit&, const Edit&) = default;
};

// A recorded scale event.
struct ScaleWrite {
  DecisionId id = 0;
  std::int32_t from = 0;
  std::int32_t to = 0;
  Time time;           // of its evaluation
  bool ready = false;  // since then as many pods were ready as it asked for
  friend bool operator==(const ScaleWrite&, const ScaleWrite&) = default;
};

// The process that writes the ledger.
struct Process {
  Time started;
  std::vector<std::string> namespaces;  // that it serves; empty: all
};

// An evaluation more than two periods after the previous one, in a process that ran and led all
// the time.
struct Delay {
  Time since;           // the previous evaluation
  Time time;            // the late one
  Duration took;        // until all answers of the previous one had arrived
  std::string slowest;  // the previous one's metric whose answer took longest; empty: none
  friend bool operator==(const Delay&, const Delay&) = default;
};

// What the ledger knows of an autoscaler's earlier evaluations.
struct RecalledState {
  engine::Memory memory;
  bool incomplete = false;  // as EvaluationRecord::incomplete
  Time last_evaluation;
  std::optional<std::int32_t> replicas;  // as the operator last saw or set them
  std::optional<ScaleWrite> last_write;
  std::optional<std::int64_t> generation;  // of the spec that was evaluated last
};

// ---- What a ledger takes

// An evaluation after which no write of the scale is attempted. Consecutive ones with the same
// result are stored as one run (evaluation_run.h).
struct Evaluated {
  EvaluationRecord evaluation;
  engine::Memory memory;
  // As EvaluationRecord::snapshot.
  const engine::Conclusion* conclusion = nullptr;
};

// The autoscaler was due and was not evaluated: its spec is invalid, another one has its target, or
// what is known of it may be out of date. Consecutive ones for one reason are stored as one run.
struct Refused {
  EvaluationRecord evaluation;
  engine::Memory memory = {};  // what still counts of it; ignored if it was never evaluated
};

// What another controller, which scales the autoscaler's target, did: it changed the replicas from
// current to desired, or left them alone. Consecutive observations without a change are stored as
// one run.
struct Observed {
  EvaluationRecord evaluation;
  engine::Memory memory;
};

// A write of the scale is about to start.
struct Intended {
  EvaluationRecord evaluation;
};

// How a write ended, and the memory that it left; also settles an open intent. kNotAttempted counts
// as failed. After kUnknown the attempt may be settled later. Ignored if it is already settled.
struct Concluded {
  DecisionId id = 0;
  engine::Outcome outcome;
  Time time;
  engine::Memory memory;
  const engine::Conclusion* conclusion = nullptr;
};

// The outcome, found out later, of an attempt whose outcome was unknown. The memory stays as it is:
// it has counted the write as one that happened. Ignored if the attempt is already settled.
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

// Another client changed the replicas.
struct ForeignChangeSeen {
  Subject subject;
  ForeignChange change;
};

// Somebody edited the autoscaler, or its target got another controller. One record for each field;
// its time is not after that of the evaluation that the edit brought about.
struct EditSeen {
  Subject subject;
  Edit edit;
};

// What the autoscaler asks for, as last seen: edits are found by comparison with it, also those
// made while no operator ran. Replaces what was recorded before.
struct SpecSeen {
  Subject subject;
  std::string spec;  // JSON of the observer's (operator/session/edit_observer.h)
};

// `leader` leads from `since` on. `own`: it is this process.
struct TermSeen {
  std::string leader;
  bool own = false;
  Time since;
};

// So much time has passed until now. A replica that evaluates nothing would not know.
struct TimePassed {
  Time now;
  Duration span;
};

// The autoscaler was deleted: its memory and its spec are erased, its history stays.
struct Forgotten {
  std::string uid;
};

// All autoscalers but those were deleted. For a process that begins to lead: some may have been
// deleted while it did not run or lead.
struct OthersForgotten {
  std::set<std::string> uids;
};

using Record = std::variant<Evaluated, Refused, Observed, Intended, Concluded, Resolved, PodsReady,
                            ForeignChangeSeen, EditSeen, SpecSeen, TermSeen, TimePassed, Forgotten,
                            OthersForgotten>;

}  // namespace ballast::store
