// What the ledger knows of one autoscaler, and the changes that bring a store up to date with it.
//
// Part of the fold (ledger_state.h): each function that changes the record appends to `batch` what
// a store has to change.
//
// Thread-safety: none; one thread at a time.
#pragma once

#include <optional>
#include <string>

#include "api/base/time.h"
#include "store/fold/batch.h"
#include "store/fold/evaluation_run.h"
#include "store/fold/memory_image.h"
#include "store/fold/stored_state.h"
#include "store/packing/evaluation_series.h"
#include "store/packing/journal.h"
#include "store/records.h"

namespace ballast::store {

struct AutoscalerRecord {
  Subject subject;
  std::optional<MemoryImage> memory;
  MemoryImage written;  // the memory in a store that has applied all batches so far
  std::optional<EvaluationRun> run;
  // The run has ended in the store, since nothing was under way. A late evaluation that belongs to
  // it opens it again.
  bool closed = false;
  RunBudget budget;
  std::optional<EvaluationSeries> series;
  // The first evaluation of the series that the series on disk does not contain, if there is one.
  struct Unsaved {
    std::int64_t number = 0;  // in the journal
    Time time;
  };
  std::optional<Unsaved> unsaved;
  // The previous evaluation; absent if the leader has changed since.
  struct Previous {
    Time time;
    Duration period;
    Duration took;  // until all answers had arrived
    std::string slowest;
  };
  std::optional<Previous> previous;
  DecisionId intent = 0;  // the newest; 0: none
  LastReplicas last;
  std::string spec;              // as last seen, packed; empty: not known
  std::optional<Time> deadline;  // its earliest entry in LedgerState::deadlines_

  // Whether `next` belongs to the run; before NoteDelay.
  bool Continues(const EvaluationRecord& next, MadeBy made_by) const;
  // Adds `next`, which belongs to it.
  void ContinueRun(const EvaluationRecord& next, Batch& batch);
  // Ends the run, if there is one, and begins another with `first`.
  void BeginRun(DecisionId id, const EvaluationRecord& first, MadeBy made_by, Batch& batch);
  void EndRun(Batch& batch);
  // Ends it in the store only.
  void CloseRun(Batch& batch);

  // Records a Delay if the evaluation comes more than two periods after the previous one; of the
  // longer period, if they differ. If it `continues` the run, that keeps the longest one.
  void NoteDelay(const EvaluationRecord& evaluation, bool continues, Batch& batch);

  // Adds what the evaluation saw to the journal and to the series.
  void Follow(const EvaluationRecord& evaluation, Journal& journal, Batch& batch);
  // Continues the series with `entries`, which only the journal has. At least one.
  void Resume(const std::vector<JournalEntry>& entries, Journal& journal, Batch& batch);
  // Whether the series is due to be written.
  bool SeriesDue(Time now) const;
  // Writes the series, unless the one on disk is complete.
  void WriteSeries(Journal& journal, Batch& batch);
  // The same, and ends it: the next evaluation begins another one.
  void EndSeries(Journal& journal, Batch& batch);

  // Replaces the memory. Changes the store only where the heartbeat does not suffice (Covers).
  void Remember(MemoryImage image, Batch& batch);

  // When LedgerState::Beat has to look at it: from then on a live memory is late, or the run of one
  // that is not live has ended, which is open in the store. nullopt: there is nothing left to do.
  std::optional<Time> Due() const;

  // Writes the exact times of a live memory, which is no longer live then.
  void Freeze(Batch& batch);
  // The same, and ends the run and writes the series: no evaluation is under way.
  void Rest(Journal& journal, Batch& batch);
};

}  // namespace ballast::store
