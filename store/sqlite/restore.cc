#include "store/sqlite/restore.h"

#include <cstdio>
#include <filesystem>

#include "store/sqlite/backup.h"
#include "store/sqlite/files.h"
#include "store/sqlite/partial_files.h"
#include "store/sqlite/set_aside.h"

namespace ballast::store {

namespace fs = std::filesystem;

Result<std::string> Restore(const std::string& from, const std::string& to) {
  std::error_code none;
  if (fs::equivalent(from, to, none)) {
    return Error{Code::kInvalid, from + ": is the store itself"};
  }
  if (IsPartial(from)) {
    return Error{Code::kInvalid, from + ": is not a whole copy"};
  }
  TRY(CheckFileSystem(to));
  ASSIGN_OR_RETURN(const FileLock lock, FileLock::Take(to));
  const PartialFile copy(PartialOf(to));
  TRY(WriteCopy(from, copy.path()));
  ASSIGN_OR_RETURN(std::string former, SetAside(to, "replaced"));
  if (std::rename(copy.path().c_str(), to.c_str()) != 0) {
    return SystemError(to);
  }
  TRY(Sync(FolderOf(to)));
  return former;
}

}  // namespace ballast::store
