#include "store/ledger.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "store/compress.h"
#include "store/decisions.h"
#include "store/files.h"
#include "store/memory.h"
#include "store/open.h"
#include "store/writer.h"

namespace ballast::store {
namespace {

// How often the heartbeat goes to disk while nothing else does.
constexpr std::chrono::milliseconds kHeartbeat{1'000};
// What a crash may add to or take from an autoscaler's last evaluation beyond its period: a
// heartbeat is on disk within kSlack of its evaluations, and an evaluation that is late by more
// than kLate has been noticed and written down within twice that.
constexpr Duration kSlack = Duration::Seconds(5);
constexpr Duration kLate = Duration::Milliseconds(500);

// Consecutive evaluations that came to the same.
struct Run {
  DecisionId id = 0;
  Evaluation first;
  Time until;
  std::int64_t evaluations = 1;
};

// Evaluations further apart than this do not follow each other.
Duration LongestPause(Duration period) { return {period.nanoseconds * 2}; }

Duration operator+(Duration a, Duration b) { return {a.nanoseconds + b.nanoseconds}; }

bool Continues(const Run& run, const Evaluation& next) {
  return run.first.current_replicas == next.current_replicas &&
         run.first.desired_replicas == next.desired_replicas && run.first.dry_run == next.dry_run &&
         run.first.reason == next.reason && next.time >= run.until &&
         next.time - run.until <= LongestPause(next.period);
}

struct Known {
  Subject subject;
  std::optional<MemoryImage> memory;
  MemoryImage written;  // what the database has, once all that waits is written
  std::optional<Run> run;
  DecisionId intent = 0;  // the newest; 0 is none
  // When decisions that changed nothing were last kept with their snapshots, by reason.
  std::map<std::string, Time> kept;
};

// What RecordOutcome has to know of an intent.
struct Attempt {
  std::string uid;
  Time evaluated;
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

DecisionRow RowFor(DecisionId id, const Evaluation& evaluation, Fate fate, bool run) {
  return {id,
          evaluation.subject,
          evaluation.time,
          run,
          evaluation.current_replicas,
          evaluation.desired_replicas,
          evaluation.reason,
          evaluation.message,
          fate};
}

std::string Document(const JsonSource& source) { return source ? Compress(source()) : ""; }

class FileLedger final : public Ledger {
 public:
  explicit FileLedger(Error problem) : no_store_(std::move(problem)) {}
  FileLedger(std::string path, const LedgerOptions& options, FileLock lock)
      : options_(options), path_(std::move(path)), lock_(std::move(lock)) {}
  ~FileLedger() override;

  Status Start(OpenedStore opened);

  std::vector<OpenIntent> OpenIntents() const override;
  std::optional<Recollection> Recall(const std::string& uid, Time now) const override;
  void RecordEvaluation(const Evaluation& evaluation, const engine::Memory& memory,
                        const JsonSource& decision) override;
  Intent RecordIntent(const Evaluation& evaluation) override;
  void RecordOutcome(DecisionId id, const engine::Outcome& outcome, Time time,
                     const engine::Memory& memory, const JsonSource& decision) override;
  void Forget(const std::string& uid) override;
  Status Flush() override;
  Health health() const override;

 private:
  using Writes = std::vector<Writer::Write>;

  bool WorthKeeping(const Evaluation& evaluation) const;
  Known& Meet(const Subject& subject);
  void Remember(Known& known, MemoryImage image, Writes& writes);
  void EndRun(Known& known, Writes& writes);
  void Rest(Known& known, Writes& writes);
  Writer::Ticket Add(Writes writes);

  Status WriteHeartbeat(Database& database);
  void RestTheLate();
  Status WriteEverything(Database& database);
  Result<std::unique_ptr<Database>> Replace();

  const LedgerOptions options_;
  const std::optional<Error> no_store_;
  const std::string path_;
  const std::optional<FileLock> lock_;

  mutable std::mutex mutex_;  // guards all below but writer_; taken before the writer's own
  std::unordered_map<std::string, Known> known_;  // by uid
  std::unordered_map<DecisionId, Attempt> attempts_;
  std::vector<OpenIntent> open_intents_;
  DecisionId next_id_ = 1;
  Time newest_ = Time(0, 0);   // evaluation of the fleet
  Time scanned_ = Time(0, 0);  // `newest_` when those that are late were last looked for
  std::string set_aside_;
  std::unique_ptr<Writer> writer_;  // none without a store
};

// ---- Beginning and end

Status FileLedger::Start(OpenedStore opened) {
  Database& database = *opened.database;
  {
    ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database));
    TRY(Settle(database, kSlack, kLate + kLate));
    TRY(CloseOpenRuns(database));
    TRY(transaction.Commit());
  }
  ASSIGN_OR_RETURN(const DecisionId newest, NewestDecision(database));
  next_id_ = newest + 1;
  ASSIGN_OR_RETURN(open_intents_, UnsettledIntents(database));
  for (const OpenIntent& intent : open_intents_) {
    attempts_[intent.id] = {intent.subject.uid, intent.time, std::nullopt};
    Meet(intent.subject);
  }
  ASSIGN_OR_RETURN(auto memories, LoadMemories(database));
  for (LoadedMemory& loaded : memories) {
    Known& known = Meet(loaded.subject);
    known.memory = loaded.image;
    known.written = std::move(loaded.image);
  }
  set_aside_ = std::move(opened.set_aside);
  writer_ = std::make_unique<Writer>(
      std::move(opened.database),
      Writer::Hooks{.last = [this](Database& db) { return WriteHeartbeat(db); },
                    .everything = [this](Database& db) { return WriteEverything(db); },
                    .replace = [this] { return Replace(); }},
      Writer::Pace{options_.commit_delay, options_.retry_delay});
  return Done{};
}

FileLedger::~FileLedger() {
  if (!writer_) {
    return;
  }
  Writes writes;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [uid, known] : known_) {
      Rest(known, writes);
    }
    Add(std::move(writes));
  }
  writer_.reset();
}

// ---- Recording

void FileLedger::RecordEvaluation(const Evaluation& evaluation, const engine::Memory& memory,
                                  const JsonSource& decision) {
  const bool keep = WorthKeeping(evaluation);
  std::string snapshot = keep ? Document(evaluation.snapshot) : "";
  std::string conclusion = keep ? Document(decision) : "";

  const std::lock_guard lock(mutex_);
  Known& known = Meet(evaluation.subject);
  Writes writes;
  if (known.run && Continues(*known.run, evaluation)) {
    known.run->until = evaluation.time;
    ++known.run->evaluations;
  } else {
    EndRun(known, writes);
    const DecisionId id = next_id_++;
    known.run = Run{id, evaluation, evaluation.time, 1};
    known.run->first.snapshot = nullptr;
    writes.push_back([row = RowFor(id, evaluation, evaluation.dry_run ? Fate::kDryRun : Fate::kNone,
                                   true)](Database& db) { return InsertDecision(db, row); });
    if (keep) {
      known.kept[evaluation.reason] = evaluation.time;
      writes.push_back([id, snapshot = std::move(snapshot),
                        conclusion = std::move(conclusion)](Database& db) -> Status {
        TRY(InsertSnapshot(db, id, snapshot));
        return InsertConclusion(db, id, conclusion);
      });
    }
  }
  Remember(known, ImageOf(memory, evaluation.time, evaluation.period), writes);
  Add(std::move(writes));
}

Ledger::Intent FileLedger::RecordIntent(const Evaluation& evaluation) {
  std::string snapshot = Document(evaluation.snapshot);
  DecisionId id = 0;
  Writer::Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    Known& known = Meet(evaluation.subject);
    Writes writes;
    EndRun(known, writes);
    known.kept.clear();
    attempts_.erase(known.intent);
    id = known.intent = next_id_++;
    attempts_[id] = {evaluation.subject.uid, evaluation.time, evaluation.period};
    writes.push_back([row = RowFor(id, evaluation, Fate::kIntended, false),
                      snapshot = std::move(snapshot)](Database& db) -> Status {
      TRY(InsertDecision(db, row));
      return InsertSnapshot(db, row.id, snapshot);
    });
    ticket = Add(std::move(writes));
  }
  if (!writer_) {
    return {id, *no_store_};
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
  Known& known = known_[attempt.uid];
  MemoryImage image = ImageOf(memory, attempt.evaluated, attempt.period.value_or(Duration{}));
  if (!attempt.period) {
    image = AtRest(std::move(image));
  }
  if (known.memory) {
    image.evaluated = std::max(image.evaluated, known.memory->evaluated);
  }
  Remember(known, std::move(image), writes);
  Add(std::move(writes));
  if (fate != Fate::kUnknown) {
    attempts_.erase(found);
    std::erase_if(open_intents_, [id](const OpenIntent& intent) { return intent.id == id; });
  }
}

void FileLedger::Forget(const std::string& uid) {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(uid);
  if (found == known_.end()) {
    return;
  }
  Writes writes;
  EndRun(found->second, writes);
  writes.push_back(
      [subject = found->second.subject](Database& db) { return EraseMemory(db, subject); });
  Add(std::move(writes));
  known_.erase(found);
  std::erase_if(attempts_, [&](const auto& attempt) { return attempt.second.uid == uid; });
}

// Any change of verdict is recorded; with its snapshot if it asks for a change, or for a reason
// that has not been explained lately: between two reasons the verdict may go back and forth.
bool FileLedger::WorthKeeping(const Evaluation& evaluation) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(evaluation.subject.uid);
  if (!writer_ || found == known_.end()) {
    return writer_ != nullptr;
  }
  const Known& known = found->second;
  if (known.run && Continues(*known.run, evaluation)) {
    return false;
  }
  const auto kept = known.kept.find(evaluation.reason);
  return evaluation.current_replicas != evaluation.desired_replicas || kept == known.kept.end() ||
         evaluation.time - kept->second >= options_.snapshot_interval;
}

Known& FileLedger::Meet(const Subject& subject) {
  Known& known = known_[subject.uid];
  known.subject = subject;
  return known;
}

void FileLedger::Remember(Known& known, MemoryImage image, Writes& writes) {
  newest_ = std::max(newest_, image.evaluated);
  if (!Covers(known.written, image)) {
    writes.push_back([subject = known.subject, from = std::move(known.written),
                      to = image](Database& db) { return WriteMemory(db, subject, from, to); });
    known.written = image;
  }
  known.memory = std::move(image);
}

void FileLedger::EndRun(Known& known, Writes& writes) {
  if (known.run) {
    writes.push_back([id = known.run->id, until = known.run->until,
                      evaluations = known.run->evaluations](Database& db) {
      return CloseRun(db, id, until, evaluations);
    });
    known.run.reset();
  }
}

// Writes down exactly what the heartbeat stood for.
void FileLedger::Rest(Known& known, Writes& writes) {
  EndRun(known, writes);
  if (known.memory && known.memory->live) {
    Remember(known, AtRest(*known.memory), writes);
  }
}

Writer::Ticket FileLedger::Add(Writes writes) {
  if (!writer_) {
    return 0;
  }
  if (writes.empty()) {
    writer_->Wake(kHeartbeat);
    return 0;
  }
  return writer_->Add(std::move(writes));
}

// ---- On the writer's thread

Status FileLedger::WriteHeartbeat(Database& database) {
  Time newest;
  {
    const std::lock_guard lock(mutex_);
    if (newest_ - scanned_ >= kLate) {
      scanned_ = newest_;
      RestTheLate();
    }
    newest = newest_;
  }
  return database.Run("UPDATE heartbeat SET evaluated = ? WHERE id = 1", newest.unix_nanoseconds());
}

// Autoscalers that are not evaluated any more must not be prolonged by the others' heartbeat.
void FileLedger::RestTheLate() {
  Writes writes;
  for (auto& [uid, known] : known_) {
    if (known.memory && known.memory->live &&
        newest_ - known.memory->evaluated > known.memory->period + kLate) {
      Rest(known, writes);
    }
  }
  if (!writes.empty()) {
    writer_->Add(std::move(writes));
  }
}

// What waited may have been dropped, or the database be a new one: runs begin again.
Status FileLedger::WriteEverything(Database& database) {
  const std::lock_guard lock(mutex_);
  TRY(CloseOpenRuns(database));
  for (auto& [uid, known] : known_) {
    known.run.reset();
    if (known.memory) {
      known.written = *known.memory;
      TRY(RewriteMemory(database, known.subject, *known.memory));
    }
  }
  return Done{};
}

Result<std::unique_ptr<Database>> FileLedger::Replace() {
  ASSIGN_OR_RETURN(OpenedStore opened, ReplaceStore(path_, options_.max_bytes));
  const std::lock_guard lock(mutex_);
  set_aside_ = opened.set_aside;
  return std::move(opened.database);
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
  return Recollection{MemoryOf(memory, now), memory.evaluated};
}

Status FileLedger::Flush() {
  return writer_ ? writer_->Flush(options_.intent_timeout) : Status(*no_store_);
}

Health FileLedger::health() const {
  const auto state = writer_ ? writer_->state() : Writer::State{no_store_, 0, 0};
  const std::lock_guard lock(mutex_);
  return {state.problem, state.waiting, state.dropped, set_aside_};
}

}  // namespace

Result<std::unique_ptr<Ledger>> Ledger::Open(const std::string& path,
                                             const LedgerOptions& options) {
  TRY(CheckFileSystem(path));
  ASSIGN_OR_RETURN(FileLock lock, FileLock::Take(path));
  auto ledger = std::make_unique<FileLedger>(path, options, std::move(lock));
  ASSIGN_OR_RETURN(OpenedStore opened, OpenStore(path, options.max_bytes));
  auto started = ledger->Start(std::move(opened));
  if (!started.ok() && started.error().code == Code::kCorrupt) {
    ASSIGN_OR_RETURN(opened, ReplaceStore(path, options.max_bytes));
    started = ledger->Start(std::move(opened));
  }
  TRY(started);
  return std::unique_ptr<Ledger>(std::move(ledger));
}

std::unique_ptr<Ledger> Ledger::WithoutStore(Error problem) {
  return std::make_unique<FileLedger>(std::move(problem));
}

}  // namespace ballast::store
