#include "store/backup.h"

#include <cstdio>
#include <filesystem>
#include <memory>

#include "store/files.h"
#include "store/open.h"
#include "store/sqlite.h"

namespace ballast::store {
namespace {

namespace fs = std::filesystem;

// Removed unless it got its final name.
class PartialFile {
 public:
  explicit PartialFile(std::string path) : path_(std::move(path)) {}
  ~PartialFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Status Check(const std::string& path) {
  ASSIGN_OR_RETURN(const auto copy, Database::Open(path, Access::kImmutable));
  const auto verdict = copy->Text("PRAGMA quick_check(1)");
  TRY(verdict);
  if (*verdict != "ok") {
    return Error{Code::kCorrupt, "the copy is damaged: " + *verdict};
  }
  return Done{};
}

}  // namespace

Status BackUp(const std::string& from, const std::string& to) {
  std::error_code none;
  if (fs::exists(to, none)) {
    return Error{Code::kInvalid, to + ": exists; name a new file, or remove this one"};
  }
  ASSIGN_OR_RETURN(const ReadableStore original, OpenForReading(from));
  if (!original.database) {
    return Error{Code::kInvalid, from + ": nothing was ever written to it"};
  }
  const PartialFile partial(to + ".partial");
  fs::remove(partial.path(), none);
  // VACUUM INTO reads in one transaction: a consistent copy, however much is written meanwhile.
  if (auto copied = original.database->Run("VACUUM INTO ?", partial.path()); !copied.ok()) {
    return copied.error().In(to);
  }
  TRY(Check(partial.path()));
  TRY(Sync(partial.path()));
  if (std::rename(partial.path().c_str(), to.c_str()) != 0) {
    return SystemError(to);
  }
  const std::string folder = fs::path(to).parent_path().string();
  return Sync(folder.empty() ? "." : folder);
}

}  // namespace ballast::store
