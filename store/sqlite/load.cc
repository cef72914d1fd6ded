#include "store/sqlite/load.h"

#include <memory>
#include <utility>

#include "store/sqlite/decisions.h"
#include "store/sqlite/journal_rows.h"
#include "store/sqlite/memory_rows.h"
#include "store/sqlite/observation_rows.h"
#include "store/sqlite/open.h"
#include "store/sqlite/processes.h"

namespace ballast::store {
namespace {

// Copies of the tables of memory that EndHeldMemories changes, which need no disk: temporary tables
// hide those of the same name.
constexpr char kCopies[] =
    "CREATE TEMP TABLE autoscalers AS SELECT * FROM main.autoscalers;"
    "CREATE TEMP TABLE recommendations AS SELECT * FROM main.recommendations;";

Result<StoredState> ReadCopies(Database& database) {
  TRY(database.Execute(kCopies));
  TRY(EndHeldMemories(database, kSlack, kLate));
  return ReadState(database);
}

Result<StoredState> ReadAsOthersDo(const std::string& path) {
  ASSIGN_OR_RETURN(const auto database, OpenForReading(path));
  if (!database) {
    return Error{Code::kNotFound, path + ": nothing was ever written to it"};
  }
  return ReadCopies(*database);
}

}  // namespace

Status BringToRest(Database& database, const std::optional<Process>& process) {
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database));
  TRY(EndHeldMemories(database, kSlack, kLate));
  TRY(CloseOpenRuns(database));
  TRY(CloseOwnTerm(database));
  if (process) {
    TRY(InsertProcess(database, *process));
  }
  return transaction.Commit();
}

Result<StoredState> ReadState(Database& database) {
  StoredState state;
  ASSIGN_OR_RETURN(const auto heartbeat, database.Integer("SELECT evaluated FROM heartbeat"));
  state.heartbeat = Time::FromUnixNanoseconds(heartbeat);
  ASSIGN_OR_RETURN(state.newest, NewestDecision(database));
  ASSIGN_OR_RETURN(state.intents, UnsettledIntents(database));
  ASSIGN_OR_RETURN(state.memories, LoadMemories(database));
  ASSIGN_OR_RETURN(state.replicas, LoadLastReplicas(database));
  ASSIGN_OR_RETURN(state.specs, LoadSpecs(database));
  const auto next = NextJournalNumber(database);
  auto unsaved = next.ok() ? ReadUnsaved(database) : Result<UnsavedEntries>(next.error());
  if (unsaved.ok()) {
    state.next_journal = *next;
    state.unsaved = std::move(unsaved).value();
    TrustJournal(state);
  } else if (unsaved.error().code != Code::kCorrupt) {
    return unsaved.error();
  }
  // The rest does not depend on the journal. If that is damaged, the next write to it will find it.
  return state;
}

Result<StoredState> ReadStateAsItIs(const std::string& path) {
  auto state = ReadAsOthersDo(path);
  if (!state.ok() &&
      (state.error().code == Code::kFull || state.error().code == Code::kUnavailable)) {
    ASSIGN_OR_RETURN(const auto alone, Database::Open(path, Access::kAlone));
    return ReadCopies(*alone);
  }
  return state;
}

}  // namespace ballast::store
