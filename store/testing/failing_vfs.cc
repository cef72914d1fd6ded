#include "store/testing/failing_vfs.h"

#include <sqlite3.h>

#include <cstring>
#include <limits>
#include <mutex>
#include <new>

namespace ballast::store::testing {

struct FailingVfs::State {
  sqlite3_vfs* real = nullptr;
  sqlite3_vfs mine{};
  sqlite3_io_methods methods{};

  std::mutex mutex;  // guards: all below
  std::int64_t first = 0;
  std::int64_t count = 0;
  Failing how = Failing::kDevice;
  std::int64_t calls = 0;
  std::int64_t failed = 0;

  // Counts a call; returns the code with which it fails, or SQLITE_OK.
  int Count(int device, bool takes_space) {
    const std::lock_guard lock(mutex);
    if (how == Failing::kGarbage) {
      return SQLITE_OK;
    }
    ++calls;
    const bool fails = calls >= first && calls - first < count;
    if (!fails || (how == Failing::kSpace && !takes_space)) {
      return SQLITE_OK;
    }
    ++failed;
    return how == Failing::kSpace ? SQLITE_FULL : device;
  }

  // Counts a read if reads are to yield garbage; returns whether this one does.
  bool CountGarbage() {
    const std::lock_guard lock(mutex);
    if (how != Failing::kGarbage) {
      return false;
    }
    ++calls;
    const bool garbage = calls >= first && calls - first < count;
    failed += garbage ? 1 : 0;
    return garbage;
  }
};

namespace {

using State = FailingVfs::State;

// SQLite allocates szOsFile bytes: this, followed by the real VFS's file.
struct File {
  sqlite3_file base;
  State* state;
};

State& StateOf(sqlite3_file* file) { return *reinterpret_cast<File*>(file)->state; }
sqlite3_file* Real(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<File*>(file) + 1);
}
State& StateOf(sqlite3_vfs* vfs) { return *static_cast<State*>(vfs->pAppData); }

enum class Takes { kNothing, kSpace };

// A method of a file that may fail with `device`, and otherwise calls the real one.
template <auto method, int device, Takes takes = Takes::kNothing>
struct Method;
template <typename... Args, int (*sqlite3_io_methods::*method)(sqlite3_file*, Args...), int device,
          Takes takes>
struct Method<method, device, takes> {
  static int Call(sqlite3_file* file, Args... args) {
    if (const int code = StateOf(file).Count(device, takes == Takes::kSpace); code != SQLITE_OK) {
      return code;
    }
    return (Real(file)->pMethods->*method)(Real(file), args...);
  }
};

// A method that only calls the real one.
template <auto method>
struct Plain;
template <typename R, typename... Args, R (*sqlite3_io_methods::*method)(sqlite3_file*, Args...)>
struct Plain<method> {
  static R Call(sqlite3_file* file, Args... args) {
    return (Real(file)->pMethods->*method)(Real(file), args...);
  }
};

int Read(sqlite3_file* file, void* data, int size, sqlite3_int64 offset) {
  State& state = StateOf(file);
  if (const int code = state.Count(SQLITE_IOERR_READ, false); code != SQLITE_OK) {
    return code;
  }
  const int read = Real(file)->pMethods->xRead(Real(file), data, size, offset);
  if (read == SQLITE_OK && state.CountGarbage()) {
    std::memset(data, 0xff, static_cast<std::size_t>(size));
  }
  return read;
}

int Sync(sqlite3_file* file, int /*flags*/) {
  return StateOf(file).Count(SQLITE_IOERR_FSYNC, false);
}

// Closing and unlocking never fail, since SQLite does not expect a lock to remain.
sqlite3_io_methods Methods() {
  using M = sqlite3_io_methods;
  M m{};
  m.iVersion = 2;  // without memory maps
  m.xClose = Plain<&M::xClose>::Call;
  m.xRead = Read;
  m.xWrite = Method<&M::xWrite, SQLITE_IOERR_WRITE, Takes::kSpace>::Call;
  m.xTruncate = Method<&M::xTruncate, SQLITE_IOERR_TRUNCATE>::Call;
  m.xSync = Sync;
  m.xFileSize = Method<&M::xFileSize, SQLITE_IOERR_FSTAT>::Call;
  m.xLock = Method<&M::xLock, SQLITE_IOERR_LOCK>::Call;
  m.xUnlock = Plain<&M::xUnlock>::Call;
  m.xCheckReservedLock = Method<&M::xCheckReservedLock, SQLITE_IOERR_CHECKRESERVEDLOCK>::Call;
  m.xFileControl = Plain<&M::xFileControl>::Call;
  m.xSectorSize = Plain<&M::xSectorSize>::Call;
  m.xDeviceCharacteristics = Plain<&M::xDeviceCharacteristics>::Call;
  m.xShmMap = Method<&M::xShmMap, SQLITE_IOERR_SHMMAP, Takes::kSpace>::Call;
  m.xShmLock = Plain<&M::xShmLock>::Call;
  m.xShmBarrier = Plain<&M::xShmBarrier>::Call;
  m.xShmUnmap = Plain<&M::xShmUnmap>::Call;
  return m;
}

int OpenFile(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  State& state = StateOf(vfs);
  file->pMethods = nullptr;
  if (const int code = state.Count(SQLITE_CANTOPEN, false); code != SQLITE_OK) {
    return code;
  }
  new (file) File{{nullptr}, &state};
  const int opened = state.real->xOpen(state.real, name, Real(file), flags, out_flags);
  if (Real(file)->pMethods != nullptr) {
    file->pMethods = &state.methods;
  }
  return opened;
}

int DeleteFile(sqlite3_vfs* vfs, const char* name, int /*sync*/) {
  State& state = StateOf(vfs);
  if (const int code = state.Count(SQLITE_IOERR_DELETE, false); code != SQLITE_OK) {
    return code;
  }
  return state.real->xDelete(state.real, name, 0);
}

int AccessFile(sqlite3_vfs* vfs, const char* name, int flags, int* out) {
  State& state = StateOf(vfs);
  if (const int code = state.Count(SQLITE_IOERR_ACCESS, false); code != SQLITE_OK) {
    return code;
  }
  return state.real->xAccess(state.real, name, flags, out);
}

int FullPath(sqlite3_vfs* vfs, const char* name, int size, char* out) {
  sqlite3_vfs* real = StateOf(vfs).real;
  return real->xFullPathname(real, name, size, out);
}

}  // namespace

FailingVfs::FailingVfs() : state_(std::make_unique<State>()) {
  sqlite3_initialize();
  state_->real = sqlite3_vfs_find(nullptr);
  state_->methods = Methods();
  sqlite3_vfs& mine = state_->mine;
  mine = *state_->real;  // random numbers, sleep and clock of the real one
  mine.szOsFile = static_cast<int>(sizeof(File)) + state_->real->szOsFile;
  mine.pNext = nullptr;
  mine.zName = "failing";
  mine.pAppData = state_.get();
  mine.xOpen = OpenFile;
  mine.xDelete = DeleteFile;
  mine.xAccess = AccessFile;
  mine.xFullPathname = FullPath;
  sqlite3_vfs_register(&mine, 1);
}

FailingVfs::~FailingVfs() {
  sqlite3_vfs_unregister(&state_->mine);
  sqlite3_vfs_register(state_->real, 1);
}

void FailingVfs::Fail(std::int64_t first, std::int64_t count, Failing how) {
  const std::lock_guard lock(state_->mutex);
  state_->first = first;
  state_->count = count;
  state_->how = how;
  state_->calls = 0;
  state_->failed = 0;
}

void FailingVfs::Heal() { Fail(std::numeric_limits<std::int64_t>::max(), 0, Failing::kDevice); }

std::int64_t FailingVfs::calls() const {
  const std::lock_guard lock(state_->mutex);
  return state_->calls;
}

std::int64_t FailingVfs::failed() const {
  const std::lock_guard lock(state_->mutex);
  return state_->failed;
}

}  // namespace ballast::store::testing
