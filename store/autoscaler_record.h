// What the ledger knows of one autoscaler, and the writes that bring the database up to it.
//
// Each function that changes it appends what has to be written to `writes`. Thread-safety: none;
// the ledger's mutex guards it.
#pragma once

#include <optional>
#include <string>

#include "api/base/time.h"
#include "store/decisions.h"
#include "store/evaluation_run.h"
#include "store/evaluation_series.h"
#include "store/journal.h"
#include "store/memory_rows.h"
#include "store/records.h"
#include "store/writer.h"

namespace ballast::store {

struct AutoscalerRecord {
  Subject subject;
  std::optional<MemoryImage> memory;
  MemoryImage written;  // what the database has, once all that waits is written
  std::optional<EvaluationRun> run;
  RunBudget allowance;
  std::optional<EvaluationSeries> series;
  // Of the series' evaluations the first that is on disk in the journal alone, if there is one.
  struct Unsaved {
    std::int64_t number = 0;  // in the journal
    Time time;
  };
  std::optional<Unsaved> unsaved;
  // The evaluation before, of this process's present term.
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
  bool Continues(const Evaluation& next);
  void EndRun(Writer::Writes& writes);

  // Records that the evaluation comes late, if it does.
  void NoteDelay(const Evaluation& evaluation, Writer::Writes& writes);

  // Adds what the evaluation saw to the journal and to the series.
  void Follow(const Evaluation& evaluation, Journal& journal, Writer::Writes& writes);
  // Goes on from what only the journal has.
  void Resume(const std::vector<JournalEntry>& entries, Journal& journal, Writer::Writes& writes);
  // Whether the series should go to disk.
  bool TrackDue(Time now) const;
  // Writes the series as it is now, unless it is on disk.
  void WriteSeries(Journal& journal, Writer::Writes& writes);

  void Remember(MemoryImage image, Writer::Writes& writes);

  // When it is to be looked at: a live one is late from then on, and a run of one that is not has
  // ended. Absent: there is nothing left to do.
  std::optional<Time> Due() const;

  // Writes down exactly what the heartbeat stood for.
  void Freeze(Writer::Writes& writes);
  // The same, and ends what goes on: no evaluation is under way.
  void Rest(Journal& journal, Writer::Writes& writes);
};

}  // namespace ballast::store
