#include "store/sqlite/restore.h"

#include <cstdio>
#include <filesystem>

#include "store/sqlite/backup.h"
#include "store/sqlite/files.h"

namespace ballast::store {

namespace fs = std::filesystem;

std::string CopyFor(const std::string& to) { return to + ".restored"; }

Result<std::string> Restore(const std::string& from, const std::string& to) {
  std::error_code none;
  if (fs::equivalent(from, to, none)) {
    return Error{Code::kInvalid, from + ": is the store itself"};
  }
  TRY(CheckFileSystem(to));
  ASSIGN_OR_RETURN(const FileLock lock, FileLock::Take(to));
  const std::string copy = CopyFor(to);
  fs::remove(copy, none);  // an earlier call was killed
  TRY(BackUp(from, copy));
  std::string former;
  if (fs::exists(to, none)) {
    ASSIGN_OR_RETURN(former, SetAside(to, "replaced"));
  }
  if (std::rename(copy.c_str(), to.c_str()) != 0) {
    return SystemError(to);
  }
  const fs::path folder = fs::path(to).parent_path();
  TRY(Sync(folder.empty() ? "." : folder.string()));
  return former;
}

}  // namespace ballast::store
