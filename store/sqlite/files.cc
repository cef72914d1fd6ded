#include "store/sqlite/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
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
    {0x6969, "NFS"},        {0xFF534D42, "CIFS"}, {0xFE534D42, "SMB2"},   {0x517B, "SMB"},
    {0x01021997, "9p"},     {0x00C36400, "Ceph"}, {0x5346414F, "AFS"},    {0x7461636F, "OCFS2"},
    {0x0BD00BD0, "Lustre"}, {0x47504653, "GPFS"}, {0x19830326, "BeeGFS"},
};

// Pause between two attempts to take a lock that another process holds.
constexpr std::chrono::milliseconds kLook{50};

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

std::string FolderOf(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

Status CheckFileSystem(const std::string& path) {
  std::error_code none;
  // The file may be a link to another file system.
  const std::string place = std::filesystem::exists(path, none) ? path : FolderOf(path);
  struct statfs info {};
  if (statfs(place.c_str(), &info) != 0) {
    return SystemError(place);
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

Result<std::uintmax_t> FreeRoom(const std::string& path) {
  struct statvfs info {};
  if (statvfs(FolderOf(path).c_str(), &info) != 0) {
    return SystemError(FolderOf(path));
  }
  // One without a size has no limit, such as a tmpfs that was given none.
  return info.f_blocks == 0 ? std::numeric_limits<std::uintmax_t>::max()
                            : std::uintmax_t{info.f_bavail} * info.f_frsize;
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

}  // namespace ballast::store
