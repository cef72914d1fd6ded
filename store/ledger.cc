#include "store/ledger.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <queue>
#include <unordered_map>
#include <utility>

#include "store/autoscaler_record.h"
#include "store/backup.h"
#include "store/compress.h"
#include "store/decisions.h"
#include "store/files.h"
#include "store/fleet_clock.h"
#include "store/journal.h"
#include "store/memory_rows.h"
#include "store/observation_rows.h"
#include "store/open.h"
#include "store/stored_state.h"
#include "store/writer.h"

namespace ballast::store {
namespace {

// How often the heartbeat and the journal go to disk while nothing else does.
constexpr std::chrono::milliseconds kHeartbeat{1'000};
// After so many entries the journal is trimmed, or one for each autoscaler: it looks at them all.
constexpr std::int64_t kTrim = 1'000;

// What RecordOutcome has to know of an intent.
struct Attempt {
  std::string uid;
  Time evaluated;
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::optional<Duration> period;  // absent: an earlier process made it
};

Fate FateOf(engine::Outcome::Kind kind) {
  switch (kind) {
    case engine::Outcome::Kind::kWritten:
      return Fate::kWritten;
    case engine::Outcome::Kind::kUnknown:
      return Fate::kUnknown;
    case engine::Outcome::Kind::kNotAttempted:
    case engine::Outcome::Kind::kFailed:
      return Fate::kFailed;
  }
  return Fate::kUnknown;
}

struct Deadline {
  Time time;
  std::string uid;

  bool operator>(const Deadline& other) const { return time > other.time; }
};

DecisionRow RowFor(DecisionId id, const Evaluation& evaluation, Fate fate, bool run) {
  return {id,
          evaluation.subject,
          evaluation.time,
          run,
          evaluation.current_replicas,
          evaluation.desired_replicas,
          evaluation.reason,
          evaluation.message,
          fate,
          evaluation.generation};
}

TimelineRow TimelineFor(DecisionId id, const Evaluation& evaluation) {
  TimelineRow row{id, std::nullopt, evaluation.seen, evaluation.decided};
  for (const Reading& reading : evaluation.readings) {
    row.sampled = std::max(row.sampled, reading.sampled);
  }
  return row;
}

std::string Document(const JsonSource& source) { return source ? Compress(source()) : ""; }

class FileLedger final : public Ledger {
 public:
  explicit FileLedger(Error problem) : no_store_(std::move(problem)) {}
  FileLedger(std::string path, const LedgerOptions& options)
      : options_(options), path_(std::move(path)) {}
  ~FileLedger() override;

  Status Start(const std::stop_token& stop) override;
  std::vector<OpenIntent> OpenIntents() const override;
  std::optional<Recollection> Recall(const std::string& uid, Time now) const override;
  void RecordEvaluation(const Evaluation& evaluation, const engine::Memory& memory,
                        const JsonSource& decision) override;
  void RecordRefusal(const Evaluation& evaluation) override;
  Intent RecordIntent(const Evaluation& evaluation) override;
  void RecordOutcome(DecisionId id, const engine::Outcome& outcome, Time time,
                     const engine::Memory& memory, const JsonSource& decision) override;
  void RecordFate(DecisionId id, const engine::Outcome& outcome, Time time) override;
  void RecordReady(const std::string& uid, Time time) override;
  void RecordForeignChange(const Subject& subject, const ForeignChange& change) override;
  void RecordLeader(const std::string& leader, bool own, Time since) override;
  void Forget(const std::string& uid) override;
  void ForgetOthers(const std::set<std::string>& uids) override;
  Status Flush() override;
  Health health() const override;

 private:
  using Writes = Writer::Writes;

  AutoscalerRecord& Meet(const Subject& subject);
  void Begin(AutoscalerRecord& known, const Evaluation& evaluation, std::string snapshot,
             std::string conclusion, Writes& writes);
  void Follow(AutoscalerRecord& known, const Evaluation& evaluation, Writes& writes);
  DecisionId NewId(Time time);
  void TrimJournal(Time now, Writes& writes);
  void Advance(const AutoscalerRecord& known, const Evaluation& evaluation, Writes& writes);
  void Remember(AutoscalerRecord& known, MemoryImage image, Writes& writes);
  void Watch(AutoscalerRecord& known);
  void Erase(const std::string& uid);
  void Settled(DecisionId id, const Attempt& attempt, Fate fate, Time time, Writes& writes);
  Writer::Ticket Add(Writes writes);

  Result<OpenedStore> OpenAndRest(const LockWait& wait, const std::stop_token& stop);
  Result<std::unique_ptr<Database>> OpenAndRead(const std::stop_token& stop);
  void Adopt(StoredState state);
  void BeginWriting(Result<std::unique_ptr<Database>> database);

  Time Aged() const;
  Result<OpenedStore> OpenLate();
  Status Join(Database& database);
  void RestTheLate();
  Status WriteHeartbeat(Database& database);
  Status WriteEverything(Database& database);
  Result<OpenedStore> Replace();

  const LedgerOptions options_;
  const std::string path_;
  // Start's, and then the writer's thread's:
  std::optional<FileLock> lock_;
  bool rested_ = false;      // what earlier processes left in the file has been brought to rest
  bool read_ = false;        // what the file had at the start is known
  std::stop_source ending_;  // nothing long is begun any more

  mutable std::mutex mutex_;  // guards all below; taken before the writer's own
  Error no_store_{Code::kUnavailable, "the store is not open yet"};  // why there is no writer
  std::unordered_map<std::string, AutoscalerRecord> known_;          // by uid
  Journal journal_;
  std::int64_t trimmed_ = 0;  // the journal's length when it was last trimmed
  std::unordered_map<DecisionId, Attempt> attempts_;
  std::vector<OpenIntent> open_intents_;
  DecisionId next_id_ = 0;  // 0: what the file has is not known, and there was no decision since
  FleetClock clock_;
  Time heartbeat_ = Time(0, 0);  // the clock's newest when the transaction under way began
  // When each autoscaler is due (AutoscalerRecord::Due), the earliest on top. Evaluations only move
  // that on, so an entry is looked at when its time has come, and put back if it was not the last
  // word.
  std::priority_queue<Deadline, std::vector<Deadline>, std::greater<>> deadlines_;
  std::string set_aside_;
  Writes resumed_;                  // Start's: what waits for the writer
  std::unique_ptr<Writer> writer_;  // none without a store; once there, it stays
};

// ---- Beginning and end

Status FileLedger::Start(const std::stop_token& stop) {
  auto database = OpenAndRead(stop);
  if (database.ok()) {
    BeginWriting(std::move(database));
    return Done{};
  }
  const Error problem = database.error();
  const bool passes = problem.code == Code::kFull || problem.code == Code::kUnavailable;
  if (!passes || stop.stop_requested()) {
    const std::lock_guard lock(mutex_);
    no_store_ = problem;
    return problem;
  }
  if (auto state = ReadStateAsItIs(path_); state.ok()) {
    Adopt(std::move(state).value());
  }
  BeginWriting(std::move(database));
  return Done{};
}

// Takes the lock and opens the file, as far as that is not done; what earlier processes left there
// is at rest afterwards.
Result<OpenedStore> FileLedger::OpenAndRest(const LockWait& wait, const std::stop_token& stop) {
  TRY(CheckFileSystem(path_));
  if (!lock_) {
    ASSIGN_OR_RETURN(FileLock taken, FileLock::Take(path_, wait, stop));
    lock_.emplace(std::move(taken));
    RemoveCopies(path_);
  }
  ASSIGN_OR_RETURN(OpenedStore opened, OpenStore(path_, {options_.converting, stop}));
  if (!rested_) {
    TRY(BringToRest(*opened.database, options_.process));
    rested_ = true;
  }
  if (!opened.set_aside.empty()) {
    const std::lock_guard lock(mutex_);
    set_aside_ = opened.set_aside;
  }
  return opened;
}

Result<std::unique_ptr<Database>> FileLedger::OpenAndRead(const std::stop_token& stop) {
  auto opened = OpenAndRest(options_.lock_wait, stop);
  auto state = opened.ok() ? ReadState(*opened->database) : Result<StoredState>(opened.error());
  if (!state.ok() && state.error().code == Code::kCorrupt) {
    ASSIGN_OR_RETURN(opened, Replace());
    state = ReadState(*opened->database);
  }
  if (!state.ok()) {
    return state.error();
  }
  Adopt(std::move(state).value());
  return std::move(opened->database);
}

// Goes on from what the file has.
void FileLedger::Adopt(StoredState state) {
  const std::lock_guard lock(mutex_);
  read_ = true;
  clock_ = FleetClock(state.heartbeat);
  next_id_ = state.newest + 1;
  open_intents_ = std::move(state.intents);
  for (const OpenIntent& intent : open_intents_) {
    attempts_[intent.id] = {intent.subject.uid, intent.time, intent.from, intent.to, std::nullopt};
    Meet(intent.subject);
  }
  for (LoadedMemory& loaded : state.memories) {
    AutoscalerRecord& known = Meet(loaded.subject);
    known.memory = loaded.image;
    known.written = std::move(loaded.image);
  }
  journal_ = Journal(state.next_journal);
  trimmed_ = state.next_journal;
  for (auto& [uid, known] : known_) {
    known.last = state.replicas[uid];
    // Evaluations that only the journal has become tracks, which go on growing.
    if (const auto found = state.unsaved.find(WhoIs(uid)); found != state.unsaved.end()) {
      known.Resume(found->second, journal_, resumed_);
    }
  }
}

void FileLedger::BeginWriting(Result<std::unique_ptr<Database>> database) {
  const std::lock_guard lock(mutex_);
  writer_ = std::make_unique<Writer>(
      std::move(database),
      Writer::Hooks{.start = options_.on_writer_thread,
                    .begin = [this] { RestTheLate(); },
                    .last = [this](Database& db, const JournalNotes& notes) -> Status {
                      TRY(WriteJournal(db, notes));
                      return WriteHeartbeat(db);
                    },
                    .everything = [this](Database& db) { return WriteEverything(db); },
                    .tidy = [this](Database& db) { return Thin(db, options_.retention, Aged()); },
                    .open = [this] { return OpenLate(); },
                    .replace = [this] { return Replace(); }},
      Writer::Pace{options_.commit_delay, kHeartbeat, options_.retry_delay});
  if (!resumed_.empty()) {
    Add(std::exchange(resumed_, {}));
  }
}

FileLedger::~FileLedger() {
  if (!writer_) {
    return;
  }
  Writes writes;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [uid, known] : known_) {
      known.Rest(journal_, writes);
    }
    journal_.KeepFrom(journal_.next());
    Add(std::move(writes));
  }
  ending_.request_stop();
  writer_.reset();
}

// ---- Recording

void FileLedger::RecordEvaluation(const Evaluation& evaluation, const engine::Memory& memory,
                                  const JsonSource& decision) {
  bool begins = false;
  bool kept = false;  // with its snapshot
  {
    const std::lock_guard lock(mutex_);
    AutoscalerRecord& known = Meet(evaluation.subject);
    begins = !known.Continues(evaluation);
    kept = begins || known.run->BringsReason(evaluation);
  }
  // Outside of the lock: this takes longer than all the rest.
  std::string snapshot = kept && writer_ ? Document(evaluation.snapshot) : "";
  std::string conclusion = kept && writer_ ? Document(decision) : "";

  const std::lock_guard lock(mutex_);
  AutoscalerRecord& known = Meet(evaluation.subject);
  Writes writes;
  known.NoteDelay(evaluation, writes);
  if (!begins && known.run) {
    if (kept) {
      writes.push_back(
          [row = TurnRow{known.run->id(), evaluation.time, evaluation.reason, evaluation.message,
                         std::move(snapshot), std::move(conclusion)}](Database& db) {
            return InsertTurn(db, row);
          });
    }
    known.run->Add(evaluation);
  } else {
    if (!kept) {  // the writer has ended the run meanwhile
      snapshot = Document(evaluation.snapshot);
      conclusion = Document(decision);
    }
    Begin(known, evaluation, std::move(snapshot), std::move(conclusion), writes);
  }
  known.last.replicas = evaluation.current_replicas;
  Advance(known, evaluation, writes);
  Follow(known, evaluation, writes);
  Remember(known, ImageOf(memory, evaluation.time, evaluation.period), writes);
  Add(std::move(writes));
}

void FileLedger::Begin(AutoscalerRecord& known, const Evaluation& evaluation, std::string snapshot,
                       std::string conclusion, Writes& writes) {
  known.EndRun(writes);
  const DecisionId id = NewId(evaluation.time);
  known.run.emplace(id, evaluation);
  writes.push_back(
      [row = RowFor(id, evaluation, evaluation.dry_run ? Fate::kDryRun : Fate::kNone, true),
       snapshot = std::move(snapshot), conclusion = std::move(conclusion)](Database& db) -> Status {
        TRY(InsertDecision(db, row));
        TRY(InsertSnapshot(db, row.id, snapshot));
        return InsertConclusion(db, row.id, conclusion);
      });
}

void FileLedger::RecordRefusal(const Evaluation& evaluation) {
  const std::lock_guard lock(mutex_);
  AutoscalerRecord& known = Meet(evaluation.subject);
  Writes writes;
  known.NoteDelay(evaluation, writes);
  if (known.Continues(evaluation)) {
    known.run->Add(evaluation);
  } else {
    known.Rest(journal_, writes);
    const DecisionId id = NewId(evaluation.time);
    known.run.emplace(id, evaluation);
    DecisionRow row = RowFor(id, evaluation, Fate::kNone, true);
    row.engine = 0;
    writes.push_back([row = std::move(row)](Database& db) { return InsertDecision(db, row); });
  }
  Advance(known, evaluation, writes);
  Add(std::move(writes));
}

// What the heartbeat has stood for goes to disk before it is set back.
void FileLedger::Advance(const AutoscalerRecord& known, const Evaluation& evaluation,
                         Writes& writes) {
  const auto before = known.memory ? std::optional(known.memory->evaluated) : std::nullopt;
  if (!clock_.Advance(evaluation.time, evaluation.period, before)) {
    return;
  }
  for (auto& [uid, other] : known_) {
    if (&other != &known && other.memory && other.memory->live &&
        other.memory->evaluated > evaluation.time) {
      other.Rest(journal_, writes);
    }
  }
}

// Numbers grow with time. Where it is not known how far they have come, microseconds are far ahead
// of them.
DecisionId FileLedger::NewId(Time time) {
  if (next_id_ == 0) {
    next_id_ = std::max<DecisionId>(1, time.unix_nanoseconds() / 1'000);
    journal_ = Journal(next_id_);
    trimmed_ = next_id_;
  }
  return next_id_++;
}

// Without a store nobody could ask for it.
void FileLedger::Follow(AutoscalerRecord& known, const Evaluation& evaluation, Writes& writes) {
  if (!writer_) {
    return;
  }
  known.Follow(evaluation, journal_, writes);
  if (journal_.next() - trimmed_ >= std::max<std::int64_t>(kTrim, std::ssize(known_))) {
    TrimJournal(evaluation.time, writes);
  }
}

// Those that are not evaluated any more must not keep the journal's rows.
void FileLedger::TrimJournal(Time now, Writes& writes) {
  trimmed_ = journal_.next();
  std::int64_t keep_from = journal_.next();
  for (auto& [uid, known] : known_) {
    if (known.TrackDue(now)) {
      known.WriteSeries(journal_, writes);
    }
    if (known.unsaved) {
      keep_from = std::min(keep_from, known.unsaved->number);
    }
  }
  journal_.KeepFrom(keep_from);
}

Ledger::Intent FileLedger::RecordIntent(const Evaluation& evaluation) {
  std::string snapshot = Document(evaluation.snapshot);
  DecisionId id = 0;
  Writer::Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    AutoscalerRecord& known = Meet(evaluation.subject);
    Writes writes;
    known.NoteDelay(evaluation, writes);
    known.EndRun(writes);
    attempts_.erase(known.intent);
    id = known.intent = NewId(evaluation.time);
    attempts_[id] = {evaluation.subject.uid, evaluation.time, evaluation.current_replicas,
                     evaluation.desired_replicas, evaluation.period};
    known.last.replicas.reset();
    writes.push_back([row = RowFor(id, evaluation, Fate::kIntended, false),
                      timeline = TimelineFor(id, evaluation),
                      snapshot = std::move(snapshot)](Database& db) -> Status {
      TRY(InsertDecision(db, row));
      TRY(InsertTimeline(db, timeline));
      return InsertSnapshot(db, row.id, snapshot);
    });
    Advance(known, evaluation, writes);
    Follow(known, evaluation, writes);
    ticket = Add(std::move(writes));
  }
  if (!writer_) {
    return {id, no_store_};
  }
  return {id, writer_->Wait(ticket, options_.intent_timeout)};
}

void FileLedger::RecordOutcome(DecisionId id, const engine::Outcome& outcome, Time time,
                               const engine::Memory& memory, const JsonSource& decision) {
  std::string conclusion = Document(decision);

  const std::lock_guard lock(mutex_);
  const auto found = attempts_.find(id);
  if (found == attempts_.end()) {
    return;  // forgotten meanwhile, or settled before
  }
  const Attempt attempt = found->second;
  const Fate fate = FateOf(outcome.kind);
  Writes writes;
  writes.push_back([id, fate, error = outcome.message, time,
                    conclusion = std::move(conclusion)](Database& db) -> Status {
    TRY(SettleDecision(db, id, fate, error, time));
    return InsertConclusion(db, id, conclusion);
  });
  AutoscalerRecord& known = known_[attempt.uid];
  // That an earlier process knew the outcome may have got lost with records that were given up:
  // what was learnt since stays.
  if (!attempt.period && known.memory && known.memory->evaluated > attempt.evaluated) {
    Settled(id, attempt, fate, time, writes);
    Add(std::move(writes));
    return;
  }
  MemoryImage image = ImageOf(memory, attempt.evaluated, attempt.period.value_or(Duration{}));
  if (!attempt.period) {
    image = AtRest(std::move(image));
  }
  if (known.memory) {
    image.evaluated = std::max(image.evaluated, known.memory->evaluated);
  }
  Remember(known, std::move(image), writes);
  Settled(id, attempt, fate, time, writes);
  Add(std::move(writes));
}

void FileLedger::RecordFate(DecisionId id, const engine::Outcome& outcome, Time time) {
  const std::lock_guard lock(mutex_);
  const auto found = attempts_.find(id);
  if (found == attempts_.end()) {
    return;
  }
  const Fate fate = FateOf(outcome.kind);
  Writes writes;
  writes.push_back([id, fate, error = outcome.message, time](Database& db) {
    return CorrectFate(db, id, fate, error, time);
  });
  Settled(id, Attempt(found->second), fate, time, writes);
  Add(std::move(writes));
}

// What follows from the fate of an attempt beside its memory.
void FileLedger::Settled(DecisionId id, const Attempt& attempt, Fate fate, Time time,
                         Writes& writes) {
  if (fate == Fate::kUnknown) {
    return;
  }
  LastReplicas& last = known_[attempt.uid].last;
  const bool newest = !last.write || last.write->id < id;
  if (fate == Fate::kWritten) {
    writes.push_back([id, time](Database& db) { return MarkWritten(db, id, time); });
    if (newest) {
      last.write = ScaleWrite{id, attempt.from, attempt.to, attempt.evaluated, false};
    }
  }
  if (!last.replicas && newest) {
    last.replicas = fate == Fate::kWritten ? attempt.to : attempt.from;
  }
  attempts_.erase(id);
  std::erase_if(open_intents_, [id](const OpenIntent& intent) { return intent.id == id; });
}

void FileLedger::RecordReady(const std::string& uid, Time time) {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(uid);
  if (found == known_.end() || !found->second.last.write || found->second.last.write->ready) {
    return;
  }
  found->second.last.write->ready = true;
  Add({[id = found->second.last.write->id, time](Database& db) {
    return MarkReady(db, id, time);
  }});
}

void FileLedger::RecordForeignChange(const Subject& subject, const ForeignChange& change) {
  const std::lock_guard lock(mutex_);
  Add({[subject, change](Database& db) { return InsertForeignChange(db, subject, change); }});
}

void FileLedger::RecordLeader(const std::string& leader, bool own, Time since) {
  const std::lock_guard lock(mutex_);
  for (auto& [uid, known] : known_) {
    known.previous.reset();  // what comes next is not late
  }
  Add({[leader, own, since](Database& db) { return InsertTerm(db, leader, own, since); }});
}

void FileLedger::Forget(const std::string& uid) {
  const std::lock_guard lock(mutex_);
  if (known_.contains(uid)) {
    Erase(uid);
  }
}

void FileLedger::ForgetOthers(const std::set<std::string>& uids) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> gone;
  for (const auto& [uid, known] : known_) {
    if (!uids.contains(uid)) {
      gone.push_back(uid);
    }
  }
  std::ranges::for_each(gone, [this](const std::string& uid) { Erase(uid); });
}

void FileLedger::Erase(const std::string& uid) {
  AutoscalerRecord& known = known_.at(uid);
  Writes writes;
  known.EndRun(writes);
  known.WriteSeries(journal_, writes);
  writes.push_back([subject = known.subject](Database& db) { return EraseMemory(db, subject); });
  Add(std::move(writes));
  known_.erase(uid);
  std::erase_if(attempts_, [&](const auto& attempt) { return attempt.second.uid == uid; });
}

AutoscalerRecord& FileLedger::Meet(const Subject& subject) {
  AutoscalerRecord& known = known_[subject.uid];
  known.subject = subject;
  return known;
}

void FileLedger::Remember(AutoscalerRecord& known, MemoryImage image, Writes& writes) {
  known.Remember(std::move(image), writes);
  Watch(known);
}

void FileLedger::Watch(AutoscalerRecord& known) {
  const std::optional<Time> due = known.Due();
  if (due && (!known.deadline || *due < *known.deadline)) {
    known.deadline = due;
    deadlines_.push({*due, known.subject.uid});
  }
}

Writer::Ticket FileLedger::Add(Writes writes) {
  if (!writer_) {
    return 0;
  }
  return writer_->Add(std::move(writes), journal_.Take());
}

// ---- On the writer's thread

Time FileLedger::Aged() const {
  const std::lock_guard lock(mutex_);
  return clock_.aged();
}

// Autoscalers that are not evaluated any more must not be prolonged by the others' heartbeat.
void FileLedger::RestTheLate() {
  const std::lock_guard lock(mutex_);
  heartbeat_ = clock_.newest();
  Writes writes;
  while (!deadlines_.empty() && deadlines_.top().time < heartbeat_) {
    const Deadline deadline = deadlines_.top();
    deadlines_.pop();
    const auto found = known_.find(deadline.uid);
    if (found == known_.end() || found->second.deadline != deadline.time) {
      continue;  // it is gone, or has an earlier one
    }
    AutoscalerRecord& known = found->second;
    known.deadline.reset();
    if (const auto due = known.Due(); due && *due < heartbeat_) {
      known.memory->live ? known.Freeze(writes) : known.Rest(journal_, writes);
    }
    Watch(known);
  }
  if (!writes.empty()) {
    Add(std::move(writes));
  }
}

Status FileLedger::WriteHeartbeat(Database& database) {
  Time heartbeat;
  {
    const std::lock_guard lock(mutex_);
    heartbeat = heartbeat_;
  }
  return database.Run("UPDATE heartbeat SET evaluated = ? WHERE id = 1", heartbeat);
}

// What waited may have been dropped, or the database be a new one: runs begin again.
Status FileLedger::WriteEverything(Database& database) {
  const std::lock_guard lock(mutex_);
  TRY(CloseOpenRuns(database));
  for (auto& [uid, known] : known_) {
    known.run.reset();
    if (known.series) {
      known.unsaved = {journal_.next(), known.series->begin()};
    }
    if (known.memory) {
      known.written = *known.memory;
      TRY(RewriteMemory(database, known.subject, *known.memory));
    }
  }
  return Done{};
}

Result<OpenedStore> FileLedger::Replace() {
  ASSIGN_OR_RETURN(OpenedStore opened, ReplaceStore(path_));
  TRY(BringToRest(*opened.database, options_.process));
  const std::lock_guard lock(mutex_);
  set_aside_ = opened.set_aside;
  return opened;
}

// The file could not be opened at the start, or has to be looked at once more.
Result<OpenedStore> FileLedger::OpenLate() {
  ASSIGN_OR_RETURN(OpenedStore opened, OpenAndRest({}, ending_.get_token()));
  if (!read_) {
    TRY(Join(*opened.database));
    read_ = true;
  }
  return opened;
}

// Nothing of the file could be read at the start, and what waits was recorded without knowing it.
// Of the autoscalers that were evaluated since, this process knows better; open intents wait for
// the next start.
Status FileLedger::Join(Database& database) {
  ASSIGN_OR_RETURN(StoredState state, ReadState(database));
  const std::lock_guard lock(mutex_);
  const auto known_better = [&](const LoadedMemory& loaded) {
    const auto found = known_.find(loaded.subject.uid);
    return found != known_.end() && found->second.memory;
  };
  Writes writes;
  for (const LoadedMemory& loaded : state.memories) {
    if (known_better(loaded)) {
      writes.push_back([&](Database& db) { return EraseMemory(db, loaded.subject); });
    }
    if (const auto found = state.unsaved.find(WhoIs(loaded.subject.uid));
        found != state.unsaved.end()) {
      AutoscalerRecord before{.subject = loaded.subject};
      Journal journal;
      before.Resume(found->second, journal, writes);
      before.WriteSeries(journal, writes);
    }
  }
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database));
  for (const Writer::Write& write : writes) {
    TRY(write(database));
  }
  TRY(database.Run("DELETE FROM journal"));
  TRY(transaction.Commit());
  clock_.Join(state.heartbeat);
  if (next_id_ == 0 || next_id_ <= state.newest) {
    next_id_ = state.newest + 1;
    journal_ = Journal(std::max(journal_.next(), state.next_journal));
    trimmed_ = journal_.next();
  }
  for (LoadedMemory& loaded : state.memories) {
    if (!known_better(loaded)) {
      AutoscalerRecord& known = Meet(loaded.subject);
      known.last = state.replicas[loaded.subject.uid];
      known.memory = loaded.image;
      known.written = std::move(loaded.image);
    }
  }
  return Done{};
}

// ---- Asking

std::vector<OpenIntent> FileLedger::OpenIntents() const {
  const std::lock_guard lock(mutex_);
  return open_intents_;
}

std::optional<Recollection> FileLedger::Recall(const std::string& uid, Time now) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(uid);
  if (found == known_.end() || !found->second.memory) {
    return std::nullopt;
  }
  const MemoryImage& memory = *found->second.memory;
  return Recollection{MemoryOf(memory, now), memory.evaluated, found->second.last.replicas,
                      found->second.last.write};
}

Status FileLedger::Flush() {
  return writer_ ? writer_->Flush(options_.intent_timeout) : Status(no_store_);
}

Health FileLedger::health() const {
  const std::lock_guard lock(mutex_);
  const auto state = writer_ ? writer_->state() : Writer::State{no_store_, 0, 0};
  return {state.problem, state.waiting, state.dropped, set_aside_};
}

}  // namespace

std::unique_ptr<Ledger> Ledger::Make(const std::string& path, const LedgerOptions& options) {
  return std::make_unique<FileLedger>(path, options);
}

Result<std::unique_ptr<Ledger>> Ledger::Open(const std::string& path,
                                             const LedgerOptions& options) {
  auto ledger = Make(path, options);
  TRY(ledger->Start({}));
  return ledger;
}

std::unique_ptr<Ledger> Ledger::WithoutStore(Error problem) {
  return std::make_unique<FileLedger>(std::move(problem));
}

}  // namespace ballast::store
