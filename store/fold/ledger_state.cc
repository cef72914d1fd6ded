#include "store/fold/ledger_state.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <variant>

#include "api/base/stable_hash.h"
#include "store/packing/compress.h"

namespace ballast::store {
namespace {

// The journal is trimmed after this many entries, or after as many as there are autoscalers, since
// trimming visits each of them.
constexpr std::int64_t kTrim = 1'000;

Disposition DispositionOf(engine::Outcome::Kind kind) {
  switch (kind) {
    case engine::Outcome::Kind::kWritten:
      return Disposition::kWritten;
    case engine::Outcome::Kind::kUnknown:
      return Disposition::kUnknown;
    case engine::Outcome::Kind::kNotAttempted:
    case engine::Outcome::Kind::kFailed:
      return Disposition::kFailed;
  }
  return Disposition::kUnknown;
}

DecisionAdded DecisionOf(DecisionId id, const EvaluationRecord& evaluation, MadeBy made_by,
                         Disposition disposition, bool run, PackedDocuments documents) {
  return {.id = id,
          .subject = evaluation.subject,
          .time = evaluation.time,
          .run = run,
          .current_replicas = evaluation.current_replicas,
          .desired_replicas = evaluation.desired_replicas,
          .reason = evaluation.reason,
          .message = evaluation.message,
          .disposition = disposition,
          .generation = evaluation.generation,
          .made_by = made_by,
          .documents = std::move(documents)};
}

TimelineBegun TimelineOf(const EvaluationRecord& evaluation) {
  TimelineBegun timeline{std::nullopt, evaluation.seen, evaluation.decided};
  for (const Reading& reading : evaluation.readings) {
    timeline.sampled = std::max(timeline.sampled, reading.sampled);
  }
  return timeline;
}

}  // namespace

// ---- Records

struct LedgerState::RecordApplier {
  LedgerState& state;
  PackedDocuments documents;
  Batch batch;

  void operator()(const Evaluated& evaluated) {
    const EvaluationRecord& evaluation = evaluated.evaluation;
    AutoscalerRecord& record = state.FindOrAdd(evaluation.subject);
    const bool continues = record.Continues(evaluation, MadeBy::kEvaluated);
    record.NoteDelay(evaluation, continues, batch);
    AddToRun(record, evaluation, MadeBy::kEvaluated, continues);
    record.last.replicas = evaluation.current_replicas;
    record.last.generation = evaluation.generation;
    state.Advance(record, evaluation, batch);
    state.Follow(record, evaluation, batch);
    MemoryImage image = ImageOf(evaluated.memory, evaluation.time, evaluation.period);
    image.incomplete = evaluation.incomplete;
    state.Remember(record, std::move(image), batch);
    assert(state.Check(record));
  }

  void operator()(const Refused& refused) {
    const EvaluationRecord& evaluation = refused.evaluation;
    AutoscalerRecord& record = state.FindOrAdd(evaluation.subject);
    const bool continues = record.Continues(evaluation, MadeBy::kRefused);
    record.NoteDelay(evaluation, continues, batch);
    if (continues) {
      record.ContinueRun(evaluation, batch);
    } else {
      const DecisionId id = state.NewId(evaluation.time);
      record.BeginRun(id, evaluation, MadeBy::kRefused, batch);
      record.EndSeries(state.journal_, batch);
      record.Freeze(batch);
      batch.changes.emplace_back(
          DecisionOf(id, evaluation, MadeBy::kRefused, Disposition::kNone, true, {}));
    }
    record.last.generation = evaluation.generation;
    state.Advance(record, evaluation, batch);
    if (const auto& memory = record.memory) {
      MemoryImage image = AtRest(ImageOf(refused.memory, memory->evaluated, memory->period));
      image.incomplete = memory->incomplete;
      state.Remember(record, std::move(image), batch);
    }
    state.Watch(record);
    assert(state.Check(record));
  }

  // A scaling may be much older than its observation, which comes when the operator can make it.
  void operator()(const Observed& observed) {
    const EvaluationRecord& evaluation = observed.evaluation;
    EvaluationRecord now = evaluation;
    now.time = std::max(now.time, now.seen);
    AutoscalerRecord& record = state.FindOrAdd(evaluation.subject);
    const bool stays = evaluation.current_replicas == evaluation.desired_replicas;
    const bool continues = stays && record.Continues(evaluation, MadeBy::kObserved);
    record.NoteDelay(now, continues, batch);
    if (stays) {
      AddToRun(record, evaluation, MadeBy::kObserved, continues);
    } else {
      record.EndRun(batch);
      batch.changes.emplace_back(DecisionOf(state.NewId(evaluation.time), evaluation,
                                            MadeBy::kObserved, Disposition::kObserved, false, {}));
    }
    record.last.replicas = evaluation.desired_replicas;
    record.last.generation = evaluation.generation;
    state.Advance(record, now, batch);
    state.Follow(record, now, batch);
    state.Remember(record, ImageOf(observed.memory, now.time, now.period), batch);
    assert(state.Check(record));
  }

  void operator()(const Intended& intended) {
    const EvaluationRecord& evaluation = intended.evaluation;
    AutoscalerRecord& record = state.FindOrAdd(evaluation.subject);
    record.NoteDelay(evaluation, false, batch);
    record.EndRun(batch);
    state.attempts_.erase(record.intent);
    record.intent = state.NewId(evaluation.time);
    state.attempts_[record.intent] = {evaluation.subject.uid,      evaluation.time,
                                      evaluation.current_replicas, evaluation.desired_replicas,
                                      evaluation.period,           evaluation.incomplete};
    record.last.replicas.reset();
    record.last.generation = evaluation.generation;
    DecisionAdded added = DecisionOf(record.intent, evaluation, MadeBy::kAttempted,
                                     Disposition::kIntended, false, std::move(documents));
    added.timeline = TimelineOf(evaluation);
    batch.changes.emplace_back(std::move(added));
    state.Advance(record, evaluation, batch);
    state.Follow(record, evaluation, batch);
    assert(state.Check(record));
  }

  void operator()(const Concluded& concluded) {
    const auto found = state.attempts_.find(concluded.id);
    if (found == state.attempts_.end()) {
      return;  // the autoscaler was forgotten, or the attempt is already settled
    }
    const PendingIntent attempt = found->second;
    const Disposition disposition = DispositionOf(concluded.outcome.kind);
    batch.changes.emplace_back(DecisionSettled{concluded.id, disposition, concluded.outcome.message,
                                               concluded.time, std::move(documents.conclusion)});
    AutoscalerRecord& record = state.records_.at(attempt.uid);
    // An attempt of an earlier process may be older than the memory: that process may have known
    // the outcome, and the record of it was given up. Then the memory stays.
    if (attempt.period || !record.memory || record.memory->evaluated <= attempt.evaluated) {
      MemoryImage image =
          ImageOf(concluded.memory, attempt.evaluated, attempt.period.value_or(Duration{}));
      if (!attempt.period) {
        image = AtRest(std::move(image));
      }
      image.incomplete = attempt.incomplete;
      if (record.memory && record.memory->evaluated > attempt.evaluated) {
        image.evaluated = record.memory->evaluated;
        image.incomplete = record.memory->incomplete;
      }
      state.Remember(record, std::move(image), batch);
    }
    state.Settle(concluded.id, attempt, disposition, concluded.time, batch);
    assert(state.Check(record));
  }

  void operator()(const Resolved& resolved) {
    const auto found = state.attempts_.find(resolved.id);
    if (found == state.attempts_.end()) {
      return;
    }
    const Disposition disposition = DispositionOf(resolved.outcome.kind);
    batch.changes.emplace_back(
        DispositionCorrected{resolved.id, disposition, resolved.outcome.message, resolved.time});
    state.Settle(resolved.id, PendingIntent(found->second), disposition, resolved.time, batch);
  }

  void operator()(const PodsReady& ready) {
    const auto found = state.records_.find(ready.uid);
    if (found == state.records_.end() || !found->second.last.write ||
        found->second.last.write->ready) {
      return;
    }
    ScaleWrite& write = *found->second.last.write;
    write.ready = true;
    batch.changes.emplace_back(PodsGotReady{write.id, ready.time});
  }

  void operator()(const ForeignChangeSeen& changed) {
    batch.changes.emplace_back(ForeignChangeAdded{changed.subject, changed.change});
  }

  void operator()(const EditSeen& edited) {
    batch.changes.emplace_back(EditAdded{edited.subject, edited.edit});
  }

  void operator()(const SpecSeen& seen) {
    AutoscalerRecord& record = state.FindOrAdd(seen.subject);
    auto packed = Compress(seen.spec);
    record.spec = packed.ok() ? std::move(packed).value() : "";
    batch.changes.emplace_back(SpecReplaced{seen.subject, record.spec});
  }

  void operator()(const TermSeen& changed) {
    for (auto& [uid, record] : state.records_) {
      record.previous.reset();  // so the next evaluation is not recorded as late
    }
    batch.changes.emplace_back(TermAdded{changed.leader, changed.own, changed.since});
  }

  void operator()(const TimePassed& passed) { state.clock_.Pass(passed.now, passed.span); }

  void operator()(const Forgotten& forgotten) {
    if (state.records_.contains(forgotten.uid)) {
      state.Erase(forgotten.uid, batch);
    }
  }

  void operator()(const OthersForgotten& forgotten) {
    std::vector<std::string> gone;
    for (const auto& [uid, record] : state.records_) {
      if (!forgotten.uids.contains(uid)) {
        gone.push_back(uid);
      }
    }
    std::ranges::for_each(gone, [this](const std::string& uid) { state.Erase(uid, batch); });
  }

  // Adds an evaluation that changes nothing to the run that it continues, or begins another one.
  void AddToRun(AutoscalerRecord& record, const EvaluationRecord& evaluation, MadeBy made_by,
                bool continues) {
    if (continues) {
      if (record.run->BringsReason(evaluation)) {
        batch.changes.emplace_back(ReasonAdded{record.run->id(), evaluation.time, evaluation.reason,
                                               evaluation.message, std::move(documents)});
      }
      record.ContinueRun(evaluation, batch);
      return;
    }
    const DecisionId id = state.NewId(evaluation.time);
    record.BeginRun(id, evaluation, made_by, batch);
    batch.changes.emplace_back(DecisionOf(
        id, evaluation, made_by, evaluation.dry_run ? Disposition::kDryRun : Disposition::kNone,
        true, std::move(documents)));
  }
};

bool LedgerState::WantsDocuments(const EvaluationRecord& evaluation) const {
  const auto found = records_.find(evaluation.subject.uid);
  return found == records_.end() || !found->second.Continues(evaluation, MadeBy::kEvaluated) ||
         found->second.run->BringsReason(evaluation);
}

Batch LedgerState::Apply(const Record& record, PackedDocuments documents) {
  RecordApplier step{*this, std::move(documents), {}};
  std::visit(step, record);
  return Finish(std::move(step.batch));
}

AutoscalerRecord& LedgerState::FindOrAdd(const Subject& subject) {
  AutoscalerRecord& record = records_[subject.uid];
  record.subject = subject;
  return record;
}

// Numbers increase. If the store's are not known because it has not been read, microseconds since
// 1970 are far greater than any.
DecisionId LedgerState::NewId(Time time) {
  if (next_id_ == 0) {
    next_id_ = std::max<DecisionId>(1, time.unix_nanoseconds() / 1'000);
    journal_ = Journal(next_id_);
    trimmed_ = next_id_;
  }
  return next_id_++;
}

// Before the heartbeat is set back, the times that it stood for are made exact.
void LedgerState::Advance(const AutoscalerRecord& record, const EvaluationRecord& evaluation,
                          Batch& batch) {
  const auto before = record.memory ? std::optional(record.memory->evaluated) : std::nullopt;
  if (!clock_.Advance(evaluation.time, evaluation.period, before)) {
    return;
  }
  for (auto& [uid, other] : records_) {
    if (&other != &record && other.memory && other.memory->live &&
        other.memory->evaluated > evaluation.time) {
      other.Rest(journal_, batch);
    }
  }
}

void LedgerState::Follow(AutoscalerRecord& record, const EvaluationRecord& evaluation,
                         Batch& batch) {
  record.Follow(evaluation, journal_, batch);
  if (journal_.next() - trimmed_ >= std::max<std::int64_t>(kTrim, std::ssize(records_))) {
    TrimJournal(evaluation.time, batch);
  }
}

// Writes the series of autoscalers that are no longer evaluated, too, so that they do not keep rows
// of the journal.
void LedgerState::TrimJournal(Time now, Batch& batch) {
  trimmed_ = journal_.next();
  std::int64_t keep_from = journal_.next();
  for (auto& [uid, record] : records_) {
    if (record.SeriesDue(now)) {
      record.WriteSeries(journal_, batch);
    }
    if (record.unsaved) {
      keep_from = std::min(keep_from, record.unsaved->number);
    }
  }
  journal_.KeepFrom(keep_from);
}

void LedgerState::Remember(AutoscalerRecord& record, MemoryImage image, Batch& batch) {
  record.Remember(std::move(image), batch);
  Watch(record);
}

void LedgerState::Watch(AutoscalerRecord& record) {
  const std::optional<Time> due = record.Due();
  if (due && (!record.deadline || *due < *record.deadline)) {
    record.deadline = due;
    deadlines_.push({*due, record.subject.uid});
  }
}

// What follows from the disposition of an attempt besides its memory.
void LedgerState::Settle(DecisionId id, const PendingIntent& attempt, Disposition disposition,
                         Time time, Batch& batch) {
  if (disposition == Disposition::kUnknown) {
    return;
  }
  LastReplicas& last = records_.at(attempt.uid).last;
  const bool newest = !last.write || last.write->id < id;
  if (disposition == Disposition::kWritten) {
    batch.changes.emplace_back(WriteConfirmed{id, time});
    if (newest) {
      last.write = ScaleWrite{id, attempt.from, attempt.to, attempt.evaluated, false};
    }
  }
  if (!last.replicas && newest) {
    last.replicas = disposition == Disposition::kWritten ? attempt.to : attempt.from;
  }
  std::erase_if(open_intents_, [id](const OpenIntent& intent) { return intent.id == id; });
  attempts_.erase(id);
}

void LedgerState::Erase(const std::string& uid, Batch& batch) {
  AutoscalerRecord& record = records_.at(uid);
  record.EndRun(batch);
  record.WriteSeries(journal_, batch);
  batch.changes.emplace_back(MemoryErased{record.subject});
  if (!record.spec.empty()) {
    batch.changes.emplace_back(SpecReplaced{record.subject, ""});
  }
  std::erase_if(attempts_, [&](const auto& attempt) { return attempt.second.uid == uid; });
  std::erase_if(open_intents_, [&](const OpenIntent& intent) { return intent.subject.uid == uid; });
  records_.erase(uid);
}

Batch LedgerState::Finish(Batch batch) {
  batch.notes.Append(journal_.Take());
  return batch;
}

// ---- Commits

Batch LedgerState::Beat() {
  Batch batch;
  const Time heartbeat = clock_.newest();
  while (!deadlines_.empty() && deadlines_.top().time < heartbeat) {
    const Deadline deadline = deadlines_.top();
    deadlines_.pop();
    const auto found = records_.find(deadline.uid);
    if (found == records_.end() || found->second.deadline != deadline.time) {
      continue;  // the autoscaler is gone, or has an earlier deadline
    }
    AutoscalerRecord& record = found->second;
    record.deadline.reset();
    if (const auto due = record.Due(); due && *due < heartbeat) {
      record.memory->live ? record.Freeze(batch) : record.Rest(journal_, batch);
    }
    Watch(record);
    assert(Check(record));
  }
  if (heartbeat != Time(0, 0)) {
    batch.heartbeat = heartbeat;
  }
  return Finish(std::move(batch));
}

Batch LedgerState::Everything() {
  Batch batch;
  batch.changes.emplace_back(OpenRunsClosed{});
  for (auto& [uid, record] : records_) {
    record.run.reset();
    record.closed = false;
    if (record.series) {
      record.unsaved = {journal_.next(), record.series->begin()};
    }
    if (record.memory) {
      record.written = *record.memory;
      batch.changes.emplace_back(MemoryReplaced{record.subject, *record.memory});
    }
    if (!record.spec.empty()) {
      batch.changes.emplace_back(SpecReplaced{record.subject, record.spec});
    }
  }
  return Finish(std::move(batch));
}

Batch LedgerState::End() {
  Batch batch;
  for (auto& [uid, record] : records_) {
    record.EndRun(batch);
    record.Rest(journal_, batch);
  }
  journal_.KeepFrom(journal_.next());
  return Finish(std::move(batch));
}

// ---- From a store

Batch LedgerState::Adopt(StoredState stored) {
  clock_ = FleetClock(stored.heartbeat);
  next_id_ = stored.newest + 1;
  open_intents_ = std::move(stored.intents);
  for (const OpenIntent& intent : open_intents_) {
    attempts_[intent.id] = {intent.subject.uid, intent.time, intent.from, intent.to, std::nullopt};
    FindOrAdd(intent.subject);
  }
  for (LoadedMemory& loaded : stored.memories) {
    AutoscalerRecord& record = FindOrAdd(loaded.subject);
    record.memory = loaded.image;
    record.written = std::move(loaded.image);
  }
  for (auto& [id, attempt] : attempts_) {
    const std::optional<MemoryImage>& memory = records_.at(attempt.uid).memory;
    attempt.incomplete = memory && memory->incomplete;
  }
  for (LoadedSpec& loaded : stored.specs) {
    FindOrAdd(loaded.subject).spec = std::move(loaded.spec);
  }
  journal_ = Journal(stored.next_journal);
  trimmed_ = stored.next_journal;
  Batch batch;
  for (auto& [uid, record] : records_) {
    record.last = stored.replicas[uid];
    // Evaluations that only the journal has become series, which continue to grow.
    if (const auto found = stored.unsaved.find(StableHash(uid)); found != stored.unsaved.end()) {
      record.Resume(found->second, journal_, batch);
    }
  }
  return Finish(std::move(batch));
}

Batch LedgerState::Join(StoredState stored) {
  Batch batch;
  for (LoadedMemory& loaded : stored.memories) {
    if (const auto found = stored.unsaved.find(StableHash(loaded.subject.uid));
        found != stored.unsaved.end()) {
      AutoscalerRecord before{.subject = loaded.subject};
      Journal journal;
      before.Resume(found->second, journal, batch);
      before.WriteSeries(journal, batch);
    }
    const auto found = records_.find(loaded.subject.uid);
    if (found != records_.end() && found->second.memory) {
      batch.changes.emplace_back(MemoryErased{loaded.subject});
      continue;
    }
    AutoscalerRecord& record = FindOrAdd(loaded.subject);
    record.last = stored.replicas[loaded.subject.uid];
    record.memory = loaded.image;
    record.written = std::move(loaded.image);
  }
  for (LoadedSpec& loaded : stored.specs) {
    AutoscalerRecord& record = FindOrAdd(loaded.subject);
    if (record.spec.empty()) {
      record.spec = std::move(loaded.spec);
    }
  }
  batch.notes.keep_from = stored.next_journal;
  clock_.Join(stored.heartbeat);
  if (next_id_ == 0 || next_id_ <= stored.newest) {
    next_id_ = stored.newest + 1;
    journal_ = Journal(std::max(journal_.next(), stored.next_journal));
    trimmed_ = journal_.next();
  }
  return batch;
}

// ---- Reading

std::optional<RecalledState> LedgerState::Recall(const std::string& uid, Time now) const {
  const auto found = records_.find(uid);
  if (found == records_.end() || !found->second.memory) {
    return std::nullopt;
  }
  const MemoryImage& memory = *found->second.memory;
  const LastReplicas& last = found->second.last;
  return RecalledState{MemoryOf(memory, now), memory.incomplete, memory.evaluated,
                       last.replicas,         last.write,        last.generation};
}

std::string LedgerState::SpecOf(const std::string& uid) const {
  const auto found = records_.find(uid);
  return found == records_.end() ? "" : found->second.spec;
}

// Invariants 2, 3, 4 and 6.
bool LedgerState::Check(const AutoscalerRecord& record) const {
  const std::optional<Time> due = record.Due();
  return (!record.run || (record.run->id() < next_id_ && record.run->id() > record.intent)) &&
         (!record.memory || Covers(record.written, *record.memory)) &&
         (!due || (record.deadline && *record.deadline <= *due)) &&
         (!record.unsaved || (record.series && record.unsaved->number <= journal_.next()));
}

bool LedgerState::CheckAll() const {
  const auto known = [&](const auto& attempt) { return records_.contains(attempt.second.uid); };
  const auto tried = [&](const OpenIntent& intent) { return attempts_.contains(intent.id); };
  return std::ranges::all_of(records_, [&](const auto& entry) { return Check(entry.second); }) &&
         std::ranges::all_of(attempts_, known) && std::ranges::all_of(open_intents_, tried);
}

}  // namespace ballast::store
