#include "store/sqlite/partial_files.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "store/sqlite/files.h"

namespace ballast::store {

namespace fs = std::filesystem;

constexpr std::string_view kWaiting = ".ballast-restore";

std::string PartialOf(const std::string& path) { return path + std::string(kPartial); }

std::string OwnPartialOf(const std::string& path) {
  return PartialOf(path + "." + std::to_string(getpid()));
}

std::string WaitingFor(const std::string& store) { return store + std::string(kWaiting); }

bool IsWaiting(const std::string& path) { return path.ends_with(kWaiting); }

bool IsPartial(const std::string& path) { return path.ends_with(kPartial); }

void RemovePartials(const std::string& path) {
  const std::string prefix = fs::path(path).filename().string() + ".";
  std::error_code none;
  std::vector<fs::path> left;
  for (const auto& file : fs::directory_iterator(FolderOf(path), none)) {
    const std::string name = file.path().filename().string();
    if (name.starts_with(prefix) && IsPartial(name)) {
      left.push_back(file.path());
    }
  }
  for (const fs::path& file : left) {
    fs::remove(file, none);
  }
}

PartialFile::PartialFile(std::string path) : path_(std::move(path)) {
  std::error_code none;
  fs::remove(path_, none);
}

PartialFile::~PartialFile() {
  std::error_code none;
  fs::remove(path_, none);
}

}  // namespace ballast::store
