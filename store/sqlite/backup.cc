#include "store/sqlite/backup.h"

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "store/sqlite/files.h"
#include "store/sqlite/open.h"
#include "store/sqlite/sqlite.h"

namespace ballast::store {
namespace {

namespace fs = std::filesystem;

// A file that is removed unless it was renamed.
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

// Between the original's name and the process's id.
constexpr char kCopy[] = ".backup-";
constexpr char kPartial[] = ".partial";

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

std::string PartialOf(const std::string& to) { return to + kPartial; }

Status BackUp(const std::string& from, const std::string& to) {
  std::error_code none;
  if (fs::exists(to, none)) {
    return Error{Code::kInvalid, to + ": exists; name a new file, or remove this one"};
  }
  ASSIGN_OR_RETURN(const ReadableStore original, OpenForReading(from));
  if (!original.database) {
    return Error{Code::kInvalid, from + ": nothing was ever written to it"};
  }
  const PartialFile partial(PartialOf(to));
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

Result<std::ifstream> OpenCopy(const std::string& from) {
  const PartialFile copy(from + kCopy + std::to_string(getpid()));
  TRY(BackUp(from, copy.path()));
  std::ifstream in(copy.path(), std::ios::binary);
  if (!in) {
    return SystemError(copy.path());
  }
  return in;
}

void RemoveCopies(const std::string& of) {
  const std::string prefix = fs::path(of).filename().string() + kCopy;
  const fs::path folder = fs::path(of).parent_path();
  std::error_code none;
  std::vector<fs::path> left;
  for (const auto& file : fs::directory_iterator(folder.empty() ? "." : folder, none)) {
    std::string name = file.path().filename().string();
    if (name.ends_with(kPartial)) {
      name.resize(name.size() - std::strlen(kPartial));
    }
    if (name.starts_with(prefix) &&
        name.find_first_not_of("0123456789", prefix.size()) == std::string::npos) {
      left.push_back(file.path());
    }
  }
  for (const fs::path& file : left) {
    fs::remove(file, none);
  }
}

}  // namespace ballast::store
