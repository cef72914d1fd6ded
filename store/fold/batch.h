// The changes to a store that follow from a record, as values: the fold (ledger_state.h) makes
// them, a back end (backend.h) applies them, tests print and compare them.
//
// Batches are applied in the order in which they were made, each whole or not at all. So a store
// always contains what a prefix of them leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/base/time.h"
#include "store/fold/evaluation_run.h"
#include "store/fold/memory_image.h"
#include "store/packing/journal.h"
#include "store/records.h"

namespace ballast::store {

// The snapshot and the conclusion of a decision: JSON, compressed; empty: not kept.
struct PackedDocuments {
  std::string snapshot;
  std::string conclusion;
  friend bool operator==(const PackedDocuments&, const PackedDocuments&) = default;
};

// ---- Decisions

// The first times of a scale event's timeline; WriteConfirmed and PodsGotReady add the others.
struct TimelineBegun {
  std::optional<Time> sampled;
  Time seen;
  Time decided;
  friend bool operator==(const TimelineBegun&, const TimelineBegun&) = default;
};

struct DecisionAdded {
  DecisionId id = 0;
  Subject subject;
  Time time;
  bool run = false;  // it begins a run; RunClosed ends it
  std::int32_t current_replicas = 0;
  std::int32_t desired_replicas = 0;
  std::string reason;
  std::string message;
  Disposition disposition = Disposition::kNone;
  std::optional<std::int64_t> generation;
  MadeBy made_by = MadeBy::kEvaluated;
  std::optional<TimelineBegun> timeline;  // of an attempt
  PackedDocuments documents;
  friend bool operator==(const DecisionAdded&, const DecisionAdded&) = default;
};

// The first evaluation in a run for a reason other than the run's own.
struct ReasonAdded {
  DecisionId run = 0;
  Time time;
  std::string reason;
  std::string message;
  PackedDocuments documents;
  friend bool operator==(const ReasonAdded&, const ReasonAdded&) = default;
};

struct RunClosed {
  DecisionId id = 0;
  Time until;
  std::int64_t evaluations = 0;
  std::int64_t others = 0;
  std::vector<MetricRange> ranges;
  friend bool operator==(const RunClosed&, const RunClosed&) = default;
};

// The autoscaler's newest decision, a run that was closed, goes on.
struct RunReopened {
  DecisionId id = 0;
  friend bool operator==(const RunReopened&, const RunReopened&) = default;
};

// The disposition that the conclusion is about.
struct DecisionSettled {
  DecisionId id = 0;
  Disposition disposition = Disposition::kNone;
  std::string error;
  Time time;
  std::string conclusion;  // packed
  friend bool operator==(const DecisionSettled&, const DecisionSettled&) = default;
};

// A disposition that was found out later; the conclusion remains about the earlier one.
struct DispositionCorrected {
  DecisionId id = 0;
  Disposition disposition = Disposition::kNone;
  std::string error;
  Time time;
  friend bool operator==(const DispositionCorrected&, const DispositionCorrected&) = default;
};

// The API server confirmed the write.
struct WriteConfirmed {
  DecisionId id = 0;
  Time time;
  friend bool operator==(const WriteConfirmed&, const WriteConfirmed&) = default;
};

// As many pods were ready as the decision asked for.
struct PodsGotReady {
  DecisionId id = 0;
  Time time;
  friend bool operator==(const PodsGotReady&, const PodsGotReady&) = default;
};

// ---- Memory

struct MemoryChanged {
  Subject subject;
  MemoryImage from;
  MemoryImage to;
  friend bool operator==(const MemoryChanged&, const MemoryChanged&) = default;
};

// Replaces whatever memory the store has.
struct MemoryReplaced {
  Subject subject;
  MemoryImage image;
  friend bool operator==(const MemoryReplaced&, const MemoryReplaced&) = default;
};

struct MemoryErased {
  Subject subject;
  friend bool operator==(const MemoryErased&, const MemoryErased&) = default;
};

// ---- Observations

// A new series, or a longer version of a stored one that begins at the same time.
struct SeriesSaved {
  Subject subject;
  Time time;
  Time until;
  std::int64_t evaluations = 0;
  std::string data;  // EvaluationSeries::Pack
  friend bool operator==(const SeriesSaved&, const SeriesSaved&) = default;
};

struct DelayAdded {
  Subject subject;
  Delay delay;
  friend bool operator==(const DelayAdded&, const DelayAdded&) = default;
};

struct ForeignChangeAdded {
  Subject subject;
  ForeignChange change;
  friend bool operator==(const ForeignChangeAdded&, const ForeignChangeAdded&) = default;
};

struct EditAdded {
  Subject subject;
  Edit edit;
  friend bool operator==(const EditAdded&, const EditAdded&) = default;
};

// Replaces the autoscaler's spec.
struct SpecReplaced {
  Subject subject;
  std::string spec;  // packed; empty: it is erased
  friend bool operator==(const SpecReplaced&, const SpecReplaced&) = default;
};

// Also ends the previous term.
struct TermAdded {
  std::string leader;
  bool own = false;
  Time since;
  friend bool operator==(const TermAdded&, const TermAdded&) = default;
};

// Ends all open runs at the heartbeat; their number of evaluations and their ranges are lost.
struct OpenRunsClosed {
  friend bool operator==(const OpenRunsClosed&, const OpenRunsClosed&) = default;
};

using Change = std::variant<DecisionAdded, ReasonAdded, RunClosed, RunReopened, DecisionSettled,
                            DispositionCorrected, WriteConfirmed, PodsGotReady, MemoryChanged,
                            MemoryReplaced, MemoryErased, SeriesSaved, DelayAdded,
                            ForeignChangeAdded, EditAdded, SpecReplaced, TermAdded, OpenRunsClosed>;

struct Batch {
  std::vector<Change> changes;  // in order
  JournalNotes notes;
  std::optional<Time> heartbeat;  // the fleet's newest evaluation; extends all that is live

  bool empty() const { return changes.empty() && notes.empty() && !heartbeat; }
  void Append(Batch later);
  friend bool operator==(const Batch&, const Batch&) = default;
};

// About how much memory it takes.
std::size_t SizeOf(const Change& change);

// Erases its documents. Returns whether it had any.
bool EraseDocuments(Change& change);

// One line for people: "DecisionAdded 7 shop/web 5 -> 6 intended".
std::string Print(const Change& change);

}  // namespace ballast::store
