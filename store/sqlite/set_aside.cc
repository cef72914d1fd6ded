#include "store/sqlite/set_aside.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <map>
#include <string_view>

#include "api/base/digit.h"
#include "store/sqlite/files.h"

namespace ballast::store {
namespace {

namespace fs = std::filesystem;

// The files of a SQLite database after its path.
constexpr const char* kFiles[] = {"", "-wal", "-journal", "-shm"};

// How many sets of one reason are kept besides the one that is set aside now.
constexpr std::size_t kOthers = 1;

// The name up to the time and the number that SetAside ended it with, of a file or of one beside
// it: "20260102T030405Z", "20260102T030405Z.2-wal". Empty: others named it.
std::string_view SetOf(std::string_view name) {
  constexpr std::string_view kTime = "00000000T000000Z";
  for (const std::string_view file : kFiles) {
    name.remove_suffix(name.ends_with(file) ? file.size() : 0);
  }
  const auto fits = [](char pattern, char c) { return pattern == '0' ? IsDigit(c) : c == pattern; };
  if (name.size() < kTime.size() || !std::equal(kTime.begin(), kTime.end(), name.begin(), fits)) {
    return {};
  }
  const std::string_view number = name.substr(kTime.size());
  const bool numbered = number.starts_with(".") && IsAllDigits(number.substr(1));
  return number.empty() || numbered ? name : std::string_view();
}

bool HasFiles(const std::string& path) {
  return std::ranges::any_of(kFiles, [&](const char* file) {
    std::error_code none;
    return fs::exists(path + file, none);
  });
}

std::string UtcNow() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, sizeof "20260102T030405Z"> text{};
  std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &parts);
  return text.data();
}

}  // namespace

Result<std::string> SetAside(const std::string& path, const std::string& why) {
  if (!HasFiles(path)) {
    return std::string();
  }
  const std::string prefix = path + "." + why + "-";
  std::string aside = prefix + UtcNow();
  for (int i = 2; HasFiles(aside); ++i) {
    aside = prefix + UtcNow() + "." + std::to_string(i);
  }
  // The database first: without its log it would be an earlier one, or damaged. What a kill leaves
  // here is beside no database, and moved by the next call.
  for (const char* file : kFiles) {
    if (std::rename((path + file).c_str(), (aside + file).c_str()) != 0 && errno != ENOENT) {
      return SystemError(path + file);
    }
  }
  (void)Sync(FolderOf(path));
  auto others = ListSetAside(path, why);
  std::erase_if(others, [&](const Aside& other) { return other.path == aside; });
  for (; others.size() > kOthers; others.erase(others.begin())) {
    RemoveSetAside(others.front().path);
  }
  return aside;
}

std::vector<Aside> ListSetAside(const std::string& path, const std::string& why) {
  const std::string prefix = fs::path(path).filename().string() + "." + why + "-";
  std::error_code none;
  std::map<std::string, std::uintmax_t> bytes;  // sorted, and therefore in the order of time
  for (const auto& file : fs::directory_iterator(FolderOf(path), none)) {
    const std::string name = file.path().filename().string();
    if (!name.starts_with(prefix)) {
      continue;
    }
    if (const auto set = SetOf(std::string_view(name).substr(prefix.size())); !set.empty()) {
      const std::uintmax_t size = file.file_size(none);
      bytes[path + "." + why + "-" + std::string(set)] += none ? 0 : size;
    }
  }
  std::vector<Aside> all;
  for (const auto& [set, size] : bytes) {
    all.push_back({set, size});
  }
  return all;
}

void RemoveSetAside(const std::string& aside) {
  for (const char* file : kFiles) {
    std::error_code none;
    fs::remove(aside + file, none);
  }
}

bool IsSetAside(const std::string& path) {
  for (const std::string_view reason : {".corrupt-", ".replaced-"}) {
    const std::size_t at = path.rfind(reason);
    if (at != std::string::npos &&
        !SetOf(std::string_view(path).substr(at + reason.size())).empty()) {
      return true;
    }
  }
  return false;
}

}  // namespace ballast::store
