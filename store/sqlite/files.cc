#include "store/sqlite/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

namespace ballast::store {
namespace {

// statfs(2): file systems whose locks or shared memory do not work between nodes.
struct FileSystem {
  std::uint32_t magic;
  const char* name;
};
constexpr FileSystem kNetwork[] = {
    {0x6969, "NFS"},     {0xFF534D42, "CIFS"},  {0xFE534D42, "SMB2"},
    {0x517B, "SMB"},     {0x01021997, "9p"},    {0x00C36400, "Ceph"},
    {0x5346414F, "AFS"}, {0x7461636F, "OCFS2"}, {0x0BD00BD0, "Lustre"},
};

std::string Folder(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

// Pause between two attempts to take a lock that another process holds.
constexpr std::chrono::milliseconds kLook{50};

// The files of a SQLite database after its path.
constexpr const char* kFiles[] = {"", "-wal", "-journal", "-shm"};

// How many files are kept besides the one that is set aside now.
constexpr std::size_t kKeptAside = 1;

// False: another process holds the lock.
Result<bool> TryLock(int descriptor, const std::string& name) {
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
    return true;
  }
  return errno == EWOULDBLOCK ? Result<bool>(false) : SystemError(name);
}

std::string HolderOf(int descriptor) {
  std::array<char, 32> holder{};
  const auto length = pread(descriptor, holder.data(), holder.size() - 1, 0);
  return length > 0 ? holder.data() : "?";
}

// The name up to the time and the number that SetAside ended it with, of a file or of one beside
// it: "20260102T030405Z", "20260102T030405Z.2-wal". Empty: others named it.
std::string_view SetOf(std::string_view name) {
  constexpr std::string_view kTime = "00000000T000000Z";
  for (const std::string_view file : kFiles) {
    name.remove_suffix(name.ends_with(file) ? file.size() : 0);
  }
  constexpr std::string_view kDigits = "0123456789";
  const auto fits = [&](char pattern, char c) {
    return pattern == '0' ? kDigits.find(c) != std::string_view::npos : c == pattern;
  };
  if (name.size() < kTime.size() || !std::equal(kTime.begin(), kTime.end(), name.begin(), fits)) {
    return {};
  }
  const std::string_view number = name.substr(kTime.size());
  const bool numbered = number.size() > 1 && number.starts_with(".") &&
                        number.find_first_not_of(kDigits, 1) == std::string_view::npos;
  return number.empty() || numbered ? name : std::string_view();
}

// Removes what of PATH was set aside for that reason, except for `aside` and the newest others.
void RemoveSetAside(const std::string& path, const std::string& why, const std::string& aside) {
  namespace fs = std::filesystem;
  const std::string prefix = fs::path(path).filename().string() + "." + why + "-";
  std::error_code none;
  std::set<std::string> names;  // sorted, and therefore in the order of time
  for (const auto& file : fs::directory_iterator(Folder(path), none)) {
    const std::string name = file.path().filename().string();
    if (!name.starts_with(prefix)) {
      continue;
    }
    if (const auto set = SetOf(std::string_view(name).substr(prefix.size())); !set.empty()) {
      names.insert((fs::path(Folder(path)) / (prefix + std::string(set))).string());
    }
  }
  names.erase((fs::path(Folder(path)) / fs::path(aside).filename()).string());
  for (; names.size() > kKeptAside; names.erase(names.begin())) {
    for (const char* file : kFiles) {
      fs::remove(*names.begin() + file, none);
    }
  }
}

bool HasFiles(const std::string& path) {
  return std::ranges::any_of(kFiles, [&](const char* file) {
    std::error_code none;
    return std::filesystem::exists(path + file, none);
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

Result<FileLock> FileLock::Take(const std::string& path, const LockWait& wait,
                                const std::stop_token& stop) {
  const std::string name = path + ".lock";
  FileLock lock(open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (lock.descriptor_ < 0) {
    return SystemError(name);
  }
  ASSIGN_OR_RETURN(bool taken, TryLock(lock.descriptor_, name));
  if (!taken && wait.limit > kLook && wait.waiting) {
    wait.waiting(HolderOf(lock.descriptor_));
  }
  for (auto left = wait.limit; !taken && left >= kLook && !stop.stop_requested(); left -= kLook) {
    wait.pause ? wait.pause(kLook) : std::this_thread::sleep_for(kLook);
    ASSIGN_OR_RETURN(taken, TryLock(lock.descriptor_, name));
  }
  if (!taken) {
    return Error{Code::kConflict, path + ": process " + HolderOf(lock.descriptor_) +
                                      " has this store open; one operator at a time may write it"};
  }
  const std::string pid = std::to_string(getpid());
  if (ftruncate(lock.descriptor_, 0) != 0 ||
      pwrite(lock.descriptor_, pid.data(), pid.size(), 0) < 0) {
    // Without the pid only the message of a second operator is less helpful.
  }
  return lock;
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock::~FileLock() {
  if (descriptor_ >= 0) {
    close(descriptor_);
  }
}

Status CheckFileSystem(const std::string& path) {
  struct statfs info {};
  if (statfs(Folder(path).c_str(), &info) != 0) {
    return SystemError(Folder(path));
  }
  for (const auto& network : kNetwork) {
    if (static_cast<std::uint32_t>(info.f_type) == network.magic) {
      return Error{Code::kInvalid,
                   path + ": lies on a network file system (" + network.name +
                       "), where SQLite's write-ahead log does not work; use a local disk or a "
                       "ReadWriteOncePod volume"};
    }
  }
  return Done{};
}

Error SystemError(const std::string& path) {
  const int number = errno;
  return {number == ENOSPC || number == EDQUOT ? Code::kFull : Code::kUnavailable,
          path + ": " + std::strerror(number)};
}

Status Sync(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return SystemError(path);
  }
  const Status synced = fsync(descriptor) == 0 ? Status(Done{}) : SystemError(path);
  close(descriptor);
  return synced;
}

bool HoldsNothing(const std::string& path) {
  constexpr std::uintmax_t kPage = 4096;
  std::error_code none;
  const auto size = std::filesystem::file_size(path, none);
  return none || size == 0 || (size <= kPage && std::filesystem::exists(path + "-journal", none));
}

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
  (void)Sync(Folder(path));
  RemoveSetAside(path, why, aside);
  return aside;
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
