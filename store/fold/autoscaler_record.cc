#include "store/fold/autoscaler_record.h"

#include <algorithm>
#include <utility>

namespace ballast::store {
namespace {

// How often a series that still grows is written. Until then the journal has the rest of it.
constexpr Duration kSeriesInterval = Duration::Seconds(300);

// An evaluation is recorded when it ends, with the time at which it began. A run stays open this
// long for a slow one; one that takes even longer begins a new run.
constexpr Duration kUnderWay = Duration::Seconds(60);

void PutSeries(const Subject& subject, const EvaluationSeries& series, Batch& batch) {
  batch.changes.emplace_back(
      SeriesSaved{subject, series.begin(), series.end(), series.evaluations(), series.Pack()});
}

}  // namespace

bool AutoscalerRecord::Continues(const EvaluationRecord& next, MadeBy made_by) const {
  // Without a previous evaluation another replica may have led in between.
  return run && (previous || !run->IsLate(next)) && run->Continues(next, made_by, budget);
}

void AutoscalerRecord::ContinueRun(const EvaluationRecord& next, Batch& batch) {
  if (std::exchange(closed, false)) {
    batch.changes.emplace_back(RunReopened{run->id()});
  }
  run->Add(next);
}

void AutoscalerRecord::BeginRun(DecisionId id, const EvaluationRecord& first, MadeBy made_by,
                                Batch& batch) {
  if (run && run->Fits(first, made_by) && budget.Allows(first.time)) {
    budget.Take(first.time);
  }
  EndRun(batch);
  run.emplace(id, first, made_by);
}

void AutoscalerRecord::EndRun(Batch& batch) {
  CloseRun(batch);
  if (run && run->longest_delay()) {
    batch.changes.emplace_back(DelayAdded{subject, *run->longest_delay()});
  }
  run.reset();
  closed = false;
}

void AutoscalerRecord::CloseRun(Batch& batch) {
  if (run && !std::exchange(closed, true)) {
    batch.changes.emplace_back(
        RunClosed{run->id(), run->until(), run->evaluations(), run->others(), run->ranges()});
  }
}

void AutoscalerRecord::NoteDelay(const EvaluationRecord& evaluation, bool continues, Batch& batch) {
  if (previous && !evaluation.clock_jumped) {
    const Duration period = std::max(evaluation.period, previous->period);
    const Duration pause = evaluation.time - previous->time;
    if (pause > Duration{period.nanoseconds * 2}) {
      // By a clock that was set meanwhile, and set right again, it may have taken longer.
      Delay delay{previous->time, evaluation.time, std::min(previous->took, pause),
                  previous->slowest};
      if (continues) {
        run->AddDelay(std::move(delay));
      } else {
        batch.changes.emplace_back(DelayAdded{subject, std::move(delay)});
      }
    }
  }
  previous = {evaluation.time, evaluation.period,
              std::max(Duration{}, evaluation.seen - evaluation.time), evaluation.slowest};
}

void AutoscalerRecord::Follow(const EvaluationRecord& evaluation, Journal& journal, Batch& batch) {
  SeriesPoint point = PointOf(evaluation);
  if (series && !series->Add(point)) {
    WriteSeries(journal, batch);
    series.reset();
  }
  if (!series) {
    series.emplace(point);
  }
  const std::int64_t number = journal.Add(subject.uid, std::move(point));
  if (!unsaved) {
    unsaved = {number, evaluation.time};
  }
  if (SeriesDue(evaluation.time)) {
    WriteSeries(journal, batch);
  }
}

void AutoscalerRecord::Resume(const std::vector<JournalEntry>& entries, Journal& journal,
                              Batch& batch) {
  bool several = false;
  for (const JournalEntry& entry : entries) {
    if (series && !series->Add(*entry.point)) {
      several = true;
      PutSeries(subject, *series, batch);
      series.reset();
    }
    if (!series) {
      series.emplace(*entry.point);
    }
  }
  unsaved = {entries.front().number, entries.front().point->time};
  // The journal can only note that all of the autoscaler's entries are in series, not some.
  if (several) {
    WriteSeries(journal, batch);
  }
}

// Both ways, since the clock may have been set back.
bool AutoscalerRecord::SeriesDue(Time now) const {
  return unsaved &&
         (now - unsaved->time >= kSeriesInterval || unsaved->time - now >= kSeriesInterval);
}

void AutoscalerRecord::WriteSeries(Journal& journal, Batch& batch) {
  if (unsaved) {
    PutSeries(subject, *series, batch);
    journal.Saved(subject.uid);
    unsaved.reset();
  }
}

void AutoscalerRecord::EndSeries(Journal& journal, Batch& batch) {
  WriteSeries(journal, batch);
  series.reset();
}

void AutoscalerRecord::Remember(MemoryImage image, Batch& batch) {
  if (!Covers(written, image)) {
    batch.changes.emplace_back(MemoryChanged{subject, std::exchange(written, image), image});
  }
  memory = std::move(image);
}

std::optional<Time> AutoscalerRecord::Due() const {
  if (!memory || (!memory->live && (!run || closed))) {
    return std::nullopt;
  }
  const Duration pause{memory->period.nanoseconds * 2};
  return memory->live ? memory->evaluated + pause + kLate : run->until() + pause + kUnderWay;
}

void AutoscalerRecord::Freeze(Batch& batch) {
  if (memory && memory->live) {
    Remember(AtRest(*memory), batch);
  }
}

void AutoscalerRecord::Rest(Journal& journal, Batch& batch) {
  CloseRun(batch);
  WriteSeries(journal, batch);
  Freeze(batch);
}

}  // namespace ballast::store
