#include "store/sqlite/open.h"

#include <filesystem>
#include <utility>

#include "store/sqlite/database_schema.h"
#include "store/sqlite/files.h"
#include "store/sqlite/set_aside.h"

namespace ballast::store {
namespace {

// Checks by reading only whether it is a ledger's file: opening another program's file for writing
// would change it.
Status Identify(const std::string& path) {
  if (HoldsNothing(path)) {
    return Done{};
  }
  ASSIGN_OR_RETURN(const auto database, Database::Open(path, Access::kRead));
  if (const auto version = SchemaVersion(*database); !version.ok()) {
    return version.error().In(path);
  }
  return Done{};
}

// Checks the tables that decisions depend on, which are small. Damage in the history is found when
// it is read.
Status CheckMemory(Database& database) {
  for (const char* check :
       {"PRAGMA quick_check(autoscalers)", "PRAGMA quick_check(recommendations)",
        "PRAGMA quick_check(scale_events)", "PRAGMA quick_check(used_samples)"}) {
    const auto found = database.Text(check);
    TRY(found);
    if (*found != "ok") {
      return Error{Code::kCorrupt, *found};
    }
  }
  return Done{};
}

Result<std::unique_ptr<Database>> OpenSound(const std::string& path) {
  TRY(Identify(path));
  ASSIGN_OR_RETURN(auto database, Database::Open(path, Access::kWrite));
  TRY(Migrate(*database));
  TRY(CheckMemory(*database));
  return database;
}

}  // namespace

Result<OpenedStore> OpenStore(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::exists(path, none)) {
    // A log may be what is left of one that was being moved; SQLite would delete it.
    TRY(SetAside(path, "corrupt"));
  }
  auto database = OpenSound(path);
  if (!database.ok() && database.error().code == Code::kCorrupt) {
    // A page that could not be read looks like a damaged one, so only what is found twice is
    // damage.
    database = OpenSound(path);
  }
  if (database.ok()) {
    return OpenedStore{std::move(database).value(), ""};
  }
  if (database.error().code == Code::kCorrupt) {
    return ReplaceStore(path);
  }
  return database.error();
}

Result<OpenedStore> ReplaceStore(const std::string& path) {
  ASSIGN_OR_RETURN(std::string aside, SetAside(path, "corrupt"));
  ASSIGN_OR_RETURN(auto database, OpenSound(path));
  return OpenedStore{std::move(database), std::move(aside)};
}

Result<std::unique_ptr<Database>> OpenForReading(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::exists(path, none)) {
    return Error{Code::kNotFound, path + ": no such file"};
  }
  if (HoldsNothing(path)) {
    return std::unique_ptr<Database>();
  }
  ASSIGN_OR_RETURN(auto database, Database::Open(path, Access::kRead));
  auto version = SchemaVersion(*database);
  // In a folder without write permission a WAL database cannot be shared with a writer. One without
  // a -wal was closed by its last process or is a copy, and can be read as it is.
  if (!version.ok() &&
      (version.error().code == Code::kUnavailable || version.error().code == Code::kFull) &&
      !std::filesystem::exists(path + "-wal")) {
    ASSIGN_OR_RETURN(database, Database::Open(path, Access::kImmutable));
    version = SchemaVersion(*database);
  }
  if (!version.ok()) {
    return version.error().In(path);
  }
  if (*version == 0) {
    return std::unique_ptr<Database>();
  }
  return database;
}

}  // namespace ballast::store
