#include "store/autoscaler_record.h"

#include <algorithm>
#include <utility>

#include "store/observation_rows.h"
#include "store/processes.h"
#include "store/stored_state.h"

namespace ballast::store {
namespace {

// How often a series that is still growing goes to disk. Until then the journal has the rest of it.
constexpr Duration kTrackInterval = Duration::Seconds(300);

// An evaluation belongs to its run by when it began, which is told when it has ended: one that
// takes longer ends its run.
constexpr Duration kUnderWay = Duration::Seconds(60);

void PutSeries(const Subject& subject, const EvaluationSeries& series, Writer::Writes& writes) {
  writes.push_back([row = SeriesRow{subject, series.begin(), series.end(), series.evaluations(),
                                    series.Pack()}](Database& db) { return WriteSeries(db, row); });
}

}  // namespace

bool AutoscalerRecord::Continues(const Evaluation& next) {
  return run && run->Continues(next, allowance);
}

void AutoscalerRecord::EndRun(Writer::Writes& writes) {
  if (run) {
    writes.push_back([ended = std::move(*run)](Database& db) { return CloseRun(db, ended); });
    run.reset();
  }
}

void AutoscalerRecord::NoteDelay(const Evaluation& evaluation, Writer::Writes& writes) {
  const Duration twice{evaluation.period.nanoseconds * 2};
  if (previous && !evaluation.clock_jumped && evaluation.time - previous->time > twice) {
    writes.push_back([about = subject, delay = Delay{previous->time, evaluation.time,
                                                     previous->took, previous->slowest}](
                         Database& db) { return InsertDelay(db, about, delay); });
  }
  previous = {evaluation.time, std::max(Duration{}, evaluation.seen - evaluation.time),
              evaluation.slowest};
}

void AutoscalerRecord::Follow(const Evaluation& evaluation, Journal& journal,
                              Writer::Writes& writes) {
  SeriesPoint point = PointOf(evaluation);
  if (series && !series->Add(point)) {
    WriteSeries(journal, writes);
    series.reset();
  }
  if (!series) {
    series.emplace(point);
  }
  const std::int64_t number = journal.Add(subject.uid, std::move(point));
  if (!unsaved) {
    unsaved = {number, evaluation.time};
  }
  if (TrackDue(evaluation.time)) {
    WriteSeries(journal, writes);
  }
}

void AutoscalerRecord::Resume(const std::vector<JournalEntry>& entries, Journal& journal,
                              Writer::Writes& writes) {
  bool several = false;
  for (const JournalEntry& entry : entries) {
    if (series && !series->Add(*entry.point)) {
      several = true;
      PutSeries(subject, *series, writes);
      series.reset();
    }
    if (!series) {
      series.emplace(*entry.point);
    }
  }
  unsaved = {entries.front().number, entries.front().point->time};
  // The journal can only be told that all of them are in tracks.
  if (several) {
    WriteSeries(journal, writes);
  }
}

// The clock may have been set back.
bool AutoscalerRecord::TrackDue(Time now) const {
  return unsaved &&
         (now - unsaved->time >= kTrackInterval || unsaved->time - now >= kTrackInterval);
}

void AutoscalerRecord::WriteSeries(Journal& journal, Writer::Writes& writes) {
  if (unsaved) {
    PutSeries(subject, *series, writes);
    journal.Saved(subject.uid);
    unsaved.reset();
  }
}

void AutoscalerRecord::Remember(MemoryImage image, Writer::Writes& writes) {
  if (!Covers(written, image)) {
    writes.push_back([about = subject, from = std::move(written), to = image](Database& db) {
      return WriteMemory(db, about, from, to);
    });
    written = image;
  }
  memory = std::move(image);
}

std::optional<Time> AutoscalerRecord::Due() const {
  if (!memory || (!memory->live && !run)) {
    return std::nullopt;
  }
  const Duration pause{memory->period.nanoseconds * 2};
  return memory->live ? memory->evaluated + pause + kLate : run->until() + pause + kUnderWay;
}

void AutoscalerRecord::Freeze(Writer::Writes& writes) {
  if (memory && memory->live) {
    Remember(AtRest(*memory), writes);
  }
}

void AutoscalerRecord::Rest(Journal& journal, Writer::Writes& writes) {
  EndRun(writes);
  WriteSeries(journal, writes);
  series.reset();
  Freeze(writes);
}

}  // namespace ballast::store
