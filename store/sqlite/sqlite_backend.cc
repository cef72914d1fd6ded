#include "store/sqlite/sqlite_backend.h"

#include <utility>
#include <variant>

#include "store/sqlite/decisions.h"
#include "store/sqlite/journal_rows.h"
#include "store/sqlite/load.h"
#include "store/sqlite/memory_rows.h"
#include "store/sqlite/observation_rows.h"
#include "store/sqlite/open.h"
#include "store/sqlite/partial_files.h"
#include "store/sqlite/processes.h"
#include "store/sqlite/reach.h"
#include "store/sqlite/sqlite.h"
#include "store/sqlite/thinning.h"

namespace ballast::store {
namespace {

// Applies a change to the database.
struct RowApplier {
  Database& database;

  Status operator()(const DecisionAdded& added) const { return InsertDecision(database, added); }
  Status operator()(const ReasonAdded& added) const { return InsertReason(database, added); }
  Status operator()(const RunClosed& closed) const { return CloseRun(database, closed); }
  Status operator()(const RunReopened& reopened) const { return ReopenRun(database, reopened); }
  Status operator()(const DecisionSettled& settled) const {
    return SettleDecision(database, settled);
  }
  Status operator()(const DispositionCorrected& corrected) const {
    return CorrectDisposition(database, corrected);
  }
  Status operator()(const WriteConfirmed& confirmed) const {
    return MarkWritten(database, confirmed);
  }
  Status operator()(const PodsGotReady& ready) const { return MarkReady(database, ready); }
  Status operator()(const MemoryChanged& changed) const {
    return WriteMemory(database, changed.subject, changed.from, changed.to);
  }
  Status operator()(const MemoryReplaced& replaced) const {
    return RewriteMemory(database, replaced.subject, replaced.image);
  }
  Status operator()(const MemoryErased& erased) const {
    return EraseMemory(database, erased.subject);
  }
  Status operator()(const SeriesSaved& saved) const { return WriteSeries(database, saved); }
  Status operator()(const DelayAdded& noted) const { return InsertDelay(database, noted); }
  Status operator()(const ForeignChangeAdded& changed) const {
    return InsertForeignChange(database, changed);
  }
  Status operator()(const EditAdded& changed) const { return InsertEdit(database, changed); }
  Status operator()(const SpecReplaced& kept) const { return WriteSpec(database, kept); }
  Status operator()(const TermAdded& begun) const { return InsertTerm(database, begun); }
  Status operator()(const OpenRunsClosed&) const { return CloseOpenRuns(database); }
};

class SqliteBackend final : public Backend {
 public:
  SqliteBackend(std::string path, SqliteOptions options)
      : path_(std::move(path)), options_(std::move(options)) {}

  Result<Opened> Open(const std::stop_token& stop) override;
  Result<StoredState> Read() override { return ReadStateAsItIs(path_); }
  Result<Applied> Apply(const Batch& batch) override;
  Result<Thinned> Thin(const Retention& retention, Time now) override;

 private:
  Result<std::string> OpenFile(const std::stop_token& stop);
  Result<std::string> Replace();
  void TakeWaiting();
  // Commits one transaction. `dropped`: if not null, changes that are defects (kInternal) are left
  // out and counted there.
  Status Commit(const Batch& batch, std::int64_t* dropped);
  Status ApplyChanges(const Batch& batch, std::int64_t* dropped);
  Result<Thinned> ThinNow(const Retention& retention, Time now);

  const std::string path_;
  SqliteOptions options_;
  std::optional<FileLock> lock_;
  std::unique_ptr<Database> database_;
  bool rested_ = false;     // what earlier processes left in the file has been brought to rest
  bool suspect_ = false;    // the last Thin found damage
  bool condemned_ = false;  // damage was found twice: replace the file
  Thinning thinning_;
};

// Takes the lock, opens the file and brings it to rest, as far as that is not done yet. Returns
// where a damaged file was moved to, or "".
Result<std::string> SqliteBackend::OpenFile(const std::stop_token& stop) {
  if (database_) {
    return std::string();
  }
  if (condemned_) {
    return Replace();
  }
  TRY(CheckFileSystem(path_));
  if (!lock_) {
    const LockWait wait = std::exchange(options_.lock_wait, {});
    ASSIGN_OR_RETURN(FileLock taken, FileLock::Take(path_, wait, stop));
    lock_.emplace(std::move(taken));
    RemovePartials(path_);
    TakeWaiting();
  }
  ASSIGN_OR_RETURN(OpenedStore opened, OpenStore(path_));
  if (!rested_) {
    TRY(BringToRest(*opened.database, options_.process));
    rested_ = true;
  }
  database_ = std::move(opened.database);
  return std::move(opened.set_aside);
}

// Tried once: after that the ledger may know what the present store has.
void SqliteBackend::TakeWaiting() {
  auto restored = RestoreWaiting(path_);
  if (restored.ok() && !*restored) {
    return;
  }
  if (options_.restored) {
    options_.restored(restored.ok() ? Result<Restored>(std::move(**restored)) : restored.error());
  }
}

Result<std::string> SqliteBackend::Replace() {
  database_.reset();
  ASSIGN_OR_RETURN(OpenedStore opened, ReplaceStore(path_));
  TRY(BringToRest(*opened.database, options_.process));
  rested_ = true;
  condemned_ = false;
  database_ = std::move(opened.database);
  return std::move(opened.set_aside);
}

Result<Backend::Opened> SqliteBackend::Open(const std::stop_token& stop) {
  for (int damaged = 0;; ++damaged) {
    auto set_aside = OpenFile(stop);
    auto state = set_aside.ok() ? ReadState(*database_) : Result<StoredState>(set_aside.error());
    if (state.ok()) {
      return Opened{std::move(state).value(), std::move(set_aside).value()};
    }
    database_.reset();
    if (state.error().code != Code::kCorrupt || damaged == 2) {
      return state.error();
    }
    condemned_ = damaged == 1;
  }
}

Result<Backend::Applied> SqliteBackend::Apply(const Batch& batch) {
  int damaged = 0;
  bool each_alone = false;
  for (;;) {
    Applied applied;
    auto set_aside = OpenFile({});
    Status committed = set_aside.ok() ? Status(Done{}) : Status(set_aside.error());
    if (committed.ok()) {
      if (!set_aside->empty()) {
        applied.set_aside = std::move(*set_aside);
        return applied;
      }
      committed = Commit(batch, each_alone ? &applied.dropped : nullptr);
    }
    if (committed.ok()) {
      return applied;
    }
    const Code code = committed.error().code;
    if (code == Code::kCorrupt && damaged < 2) {
      database_.reset();
      condemned_ = ++damaged == 2;
    } else if (code == Code::kInternal && !each_alone) {
      each_alone = true;  // only now, since savepoints cost time and are rarely needed
    } else {
      return committed.error();
    }
  }
}

Status SqliteBackend::Commit(const Batch& batch, std::int64_t* dropped) {
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(*database_));
  TRY(ApplyChanges(batch, dropped));
  TRY(WriteJournal(*database_, batch.notes));
  if (batch.heartbeat) {
    TRY(database_->Run("UPDATE heartbeat SET evaluated = ? WHERE id = 1", *batch.heartbeat));
  }
  return transaction.Commit();
}

Status SqliteBackend::ApplyChanges(const Batch& batch, std::int64_t* dropped) {
  const RowApplier make{*database_};
  for (const Change& change : batch.changes) {
    if (dropped == nullptr) {
      TRY(std::visit(make, change));
      continue;
    }
    ASSIGN_OR_RETURN(Savepoint savepoint, Savepoint::Begin(*database_));
    const Status made = std::visit(make, change);
    if (made.ok()) {
      TRY(savepoint.Keep());
    } else if (made.error().code == Code::kInternal) {
      ++*dropped;
    } else {
      return made;
    }
  }
  return Done{};
}

Result<Backend::Thinned> SqliteBackend::Thin(const Retention& retention, Time now) {
  if (!database_) {
    return Thinned{};
  }
  const auto thinned = ThinNow(retention, now);
  const bool damaged = !thinned.ok() && thinned.error().code == Code::kCorrupt;
  if (damaged) {
    database_.reset();  // the next commit opens it again
    condemned_ = suspect_;
  }
  suspect_ = damaged;
  return thinned;
}

Result<Backend::Thinned> SqliteBackend::ThinNow(const Retention& retention, Time now) {
  const Result<std::uintmax_t> room = options_.room(path_);
  const bool cramped = room.ok() && *room < kLeastRoom;
  ASSIGN_OR_RETURN(const bool more, store::Thin(*database_, retention, now, cramped, thinning_));
  ASSIGN_OR_RETURN(const auto reach, ReadReach(*database_));
  return Thinned{more, reach ? std::optional(reach->since) : std::nullopt};
}

}  // namespace

std::unique_ptr<Backend> MakeSqliteBackend(const std::string& path, const SqliteOptions& options) {
  return std::make_unique<SqliteBackend>(path, options);
}

}  // namespace ballast::store
