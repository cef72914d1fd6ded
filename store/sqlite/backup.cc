#include "store/sqlite/backup.h"

#include <cstdio>
#include <filesystem>
#include <memory>

#include "store/sqlite/database_schema.h"
#include "store/sqlite/files.h"
#include "store/sqlite/open.h"
#include "store/sqlite/partial_files.h"
#include "store/sqlite/set_aside.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {
namespace {

namespace fs = std::filesystem;

Error NothingIn(const std::string& path) {
  return {Code::kInvalid, path + ": nothing was ever written to it"};
}

}  // namespace

Status CheckCopy(const std::string& path) {
  ASSIGN_OR_RETURN(const auto copy, Database::Open(path, Access::kImmutable));
  const auto version = SchemaVersion(*copy);
  TRY(version);
  if (*version == 0) {
    return NothingIn(path);
  }
  const auto verdict = copy->Text("PRAGMA quick_check(1)");
  TRY(verdict);
  if (*verdict != "ok") {
    return Error{Code::kCorrupt, "the copy is damaged: " + *verdict};
  }
  return Sync(path);
}

Status WriteCopy(const std::string& from, const std::string& to) {
  ASSIGN_OR_RETURN(const auto original, OpenForReading(from));
  if (!original) {
    return NothingIn(from);
  }
  // VACUUM INTO reads in one transaction: a consistent copy, however much is written meanwhile.
  if (auto copied = original->Run("VACUUM INTO ?", to); !copied.ok()) {
    return copied.error().In(to);
  }
  return CheckCopy(to);
}

Status BackUp(const std::string& from, const std::string& to) {
  std::error_code none;
  if (fs::exists(to, none)) {
    return Error{Code::kInvalid, to + ": exists; name a new file, or remove this one"};
  }
  if (IsPartial(to) || IsSetAside(to) || IsWaiting(to)) {
    return Error{Code::kInvalid, to + ": only files that Ballast may remove have such names"};
  }
  const PartialFile partial(PartialOf(to));
  TRY(WriteCopy(from, partial.path()));
  if (std::rename(partial.path().c_str(), to.c_str()) != 0) {
    return SystemError(to);
  }
  return Sync(FolderOf(to));
}

Result<std::ifstream> OpenCopy(const std::string& from) {
  const PartialFile copy(OwnPartialOf(from));
  TRY(WriteCopy(from, copy.path()));
  std::ifstream in(copy.path(), std::ios::binary);
  if (!in) {
    return SystemError(copy.path());
  }
  return in;
}

}  // namespace ballast::store
