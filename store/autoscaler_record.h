// What the ledger knows of one autoscaler, and the changes that bring a store up to it.
//
// Part of the fold (ledger_state.h): each function that changes it appends what a store has to
// change to `batch`. Thread-safety: none; one thread at a time.
#pragma once

#include <optional>
#include <string>

#include "api/base/time.h"
#include "store/batch.h"
#include "store/evaluation_run.h"
#include "store/evaluation_series.h"
#include "store/journal.h"
#include "store/memory_image.h"
#include "store/records.h"
#include "store/stored_state.h"

namespace ballast::store {

struct AutoscalerRecord {
  Subject subject;
  std::optional<MemoryImage> memory;
  MemoryImage written;  // what a store has of it that has all batches so far
  std::optional<EvaluationRun> run;
  RunBudget allowance;
  std::optional<EvaluationSeries> series;
  // Of the series' evaluations the first that is on disk in the journal alone, if there is one.
  struct Unsaved {
    std::int64_t number = 0;  // in the journal
    Time time;
  };
  std::optional<Unsaved> unsaved;
  // The evaluation before, while the same leader leads.
  struct Previous {
    Time time;
    Duration took;  // until all answers were there
    std::string slowest;
  };
  std::optional<Previous> previous;
  DecisionId intent = 0;  // the newest; 0 is none
  LastReplicas last;
  std::optional<Time> deadline;  // the earliest of its entries among the ledger's

  // Whether `next` belongs to the run that goes on.
  bool Continues(const Evaluation& next) const;
  // Begins another one with it, in place of the one that goes on.
  void BeginRun(DecisionId id, const Evaluation& first, Batch& batch);
  void EndRun(Batch& batch);

  // Records that the evaluation comes late, if it does.
  void NoteDelay(const Evaluation& evaluation, Batch& batch);

  // Adds what the evaluation saw to the journal and to the series.
  void Follow(const Evaluation& evaluation, Journal& journal, Batch& batch);
  // Goes on from what only the journal has.
  void Resume(const std::vector<JournalEntry>& entries, Journal& journal, Batch& batch);
  // Whether the series should go to disk.
  bool TrackDue(Time now) const;
  // Writes the series as it is now, unless it is on disk.
  void WriteSeries(Journal& journal, Batch& batch);
  // The same, and the next evaluation begins another one.
  void EndSeries(Journal& journal, Batch& batch);

  void Remember(MemoryImage image, Batch& batch);

  // When it is to be looked at: a live one is late from then on, and a run of one that is not has
  // ended. Absent: there is nothing left to do.
  std::optional<Time> Due() const;

  // Writes down exactly what the heartbeat stood for.
  void Freeze(Batch& batch);
  // The same, and ends what goes on: no evaluation is under way.
  void Rest(Journal& journal, Batch& batch);
};

}  // namespace ballast::store
