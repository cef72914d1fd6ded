#include "store/testing/failing_vfs.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

namespace ballast::store::testing {
namespace {

constexpr std::size_t kSector = 512;

}  // namespace

struct FailingVfs::State {
  // A write, or a cut at `offset`, since the last sync.
  struct Unsynced {
    bool cuts = false;
    std::size_t offset = 0;
    std::string before;  // what it replaced, as far as there was anything
    std::string after;
    std::size_t size_before = 0;  // of the file

    void Undo(std::string& file) const {
      file.resize(size_before);
      if (!before.empty()) {
        file.replace(offset, before.size(), before);
      }
    }
    // The first `count` bytes of it.
    void Redo(std::string& file, std::size_t count) const {
      if (cuts) {
        file.resize(std::min(file.size(), offset));
      } else {
        file.resize(std::max(file.size(), offset + count));
        file.replace(offset, count, after, 0, count);
      }
    }
  };

  struct Watched {
    FailingVfs::Judge judge;
    std::map<std::string, std::vector<Unsynced>> unsynced;  // by path
  };

  sqlite3_vfs* real = nullptr;
  sqlite3_vfs mine{};
  sqlite3_io_methods methods{};

  std::mutex mutex;  // guards: all below
  std::int64_t first = 0;
  std::int64_t count = 0;
  Failing how = Failing::kDevice;
  std::int64_t calls = 0;
  std::int64_t failed = 0;
  std::map<std::string, Watched> folders;

  // That the file is in; null: none is watched.
  Watched* Find(const char* name) {
    const std::lock_guard lock(mutex);
    const std::string folder =
        name == nullptr ? "" : std::filesystem::path(name).parent_path().string();
    const auto found = folders.find(folder);
    return found == folders.end() ? nullptr : &found->second;
  }

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
using Unsynced = State::Unsynced;
using Watched = State::Watched;

// SQLite allocates szOsFile bytes: this, followed by the real VFS's file.
struct File {
  sqlite3_file base;
  State* state;
  Watched* watched;                 // its folder; null: it is not watched
  std::vector<Unsynced>* unsynced;  // of the folder's
};

State& StateOf(sqlite3_file* file) { return *reinterpret_cast<File*>(file)->state; }
sqlite3_file* Real(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<File*>(file) + 1);
}
State& StateOf(sqlite3_vfs* vfs) { return *static_cast<State*>(vfs->pAppData); }

// The code with which the call fails, `device` or for lack of space, or SQLITE_OK.
int Verdict(State& state, const Watched* watched, int device, FailingVfs::Call call) {
  if (watched == nullptr) {
    return state.Count(device, call.takes_space);
  }
  const auto failing = watched->judge(call);
  return !failing ? SQLITE_OK : *failing == Failing::kSpace ? SQLITE_FULL : device;
}

int Verdict(sqlite3_file* file, int device, FailingVfs::Call call) {
  return Verdict(StateOf(file), reinterpret_cast<File*>(file)->watched, device, call);
}

// What is about to be done to the file, if it is watched.
void Remember(sqlite3_file* file, bool cuts, sqlite3_int64 offset, std::string_view after) {
  std::vector<Unsynced>* const unsynced = reinterpret_cast<File*>(file)->unsynced;
  if (unsynced == nullptr) {
    return;
  }
  sqlite3_int64 size = 0;
  Real(file)->pMethods->xFileSize(Real(file), &size);
  const sqlite3_int64 end =
      cuts ? size : std::min(size, offset + static_cast<sqlite3_int64>(after.size()));
  std::string before(static_cast<std::size_t>(std::max<sqlite3_int64>(end - offset, 0)), '\0');
  if (!before.empty()) {
    Real(file)->pMethods->xRead(Real(file), before.data(), static_cast<int>(before.size()), offset);
  }
  unsynced->push_back({cuts, static_cast<std::size_t>(offset), std::move(before),
                       std::string(after), static_cast<std::size_t>(size)});
}

enum class Takes { kNothing, kSpace };

// A method of a file that may fail with `device`, and otherwise calls the real one.
template <auto method, int device, Takes takes = Takes::kNothing>
struct Method;
template <typename... Args, int (*sqlite3_io_methods::*method)(sqlite3_file*, Args...), int device,
          Takes takes>
struct Method<method, device, takes> {
  static int Call(sqlite3_file* file, Args... args) {
    if (const int code = Verdict(file, device, {.takes_space = takes == Takes::kSpace});
        code != SQLITE_OK) {
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
  if (const int code = Verdict(file, SQLITE_IOERR_READ, {}); code != SQLITE_OK) {
    return code;
  }
  const int read = Real(file)->pMethods->xRead(Real(file), data, size, offset);
  if (read == SQLITE_OK && StateOf(file).CountGarbage()) {
    std::memset(data, 0xff, static_cast<std::size_t>(size));
  }
  return read;
}

int Write(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) {
  if (const int code = Verdict(file, SQLITE_IOERR_WRITE, {.takes_space = true});
      code != SQLITE_OK) {
    return code;
  }
  Remember(file, false, offset, {static_cast<const char*>(data), static_cast<std::size_t>(size)});
  return Real(file)->pMethods->xWrite(Real(file), data, size, offset);
}

int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (const int code = Verdict(file, SQLITE_IOERR_TRUNCATE, {}); code != SQLITE_OK) {
    return code;
  }
  Remember(file, true, size, {});
  return Real(file)->pMethods->xTruncate(Real(file), size);
}

int Sync(sqlite3_file* file, int /*flags*/) {
  const int code = Verdict(file, SQLITE_IOERR_FSYNC, {.syncs = true});
  std::vector<Unsynced>* const unsynced = reinterpret_cast<File*>(file)->unsynced;
  if (code == SQLITE_OK && unsynced != nullptr) {
    unsynced->clear();
  }
  return code;
}

// Closing and unlocking never fail, since SQLite does not expect a lock to remain.
sqlite3_io_methods Methods() {
  using M = sqlite3_io_methods;
  M m{};
  m.iVersion = 2;  // without memory maps
  m.xClose = Plain<&M::xClose>::Call;
  m.xRead = Read;
  m.xWrite = Write;
  m.xTruncate = Truncate;
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
  Watched* const watched = state.Find(name);
  file->pMethods = nullptr;
  if (const int code = Verdict(state, watched, SQLITE_CANTOPEN, {}); code != SQLITE_OK) {
    return code;
  }
  new (file)
      File{{nullptr}, &state, watched, watched == nullptr ? nullptr : &watched->unsynced[name]};
  const int opened = state.real->xOpen(state.real, name, Real(file), flags, out_flags);
  if (Real(file)->pMethods != nullptr) {
    file->pMethods = &state.methods;
  }
  return opened;
}

int DeleteFile(sqlite3_vfs* vfs, const char* name, int /*sync*/) {
  State& state = StateOf(vfs);
  Watched* const watched = state.Find(name);
  if (const int code = Verdict(state, watched, SQLITE_IOERR_DELETE, {}); code != SQLITE_OK) {
    return code;
  }
  if (watched != nullptr) {
    watched->unsynced[name].clear();
  }
  return state.real->xDelete(state.real, name, 0);
}

int AccessFile(sqlite3_vfs* vfs, const char* name, int flags, int* out) {
  State& state = StateOf(vfs);
  if (const int code = Verdict(state, state.Find(name), SQLITE_IOERR_ACCESS, {});
      code != SQLITE_OK) {
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

void FailingVfs::Watch(const std::string& folder, Judge judge) {
  const std::lock_guard lock(state_->mutex);
  state_->folders[folder].judge = std::move(judge);
}

void FailingVfs::Copy(const std::string& folder, const std::string& to, const Below& below) {
  const std::lock_guard lock(state_->mutex);
  const State::Watched& watched = state_->folders[folder];
  std::filesystem::create_directories(to);
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    names.push_back(file.path().filename().string());
  }
  std::ranges::sort(names);  // so that what is drawn depends on nothing else
  for (const std::string& name : names) {
    const std::string path = folder + "/" + name;
    if (name.ends_with("-shm") || name.ends_with(".lock")) {
      continue;  // of processes that run
    }
    std::ifstream in(path, std::ios::binary);
    std::string content{std::istreambuf_iterator<char>(in), {}};
    const auto found = watched.unsynced.find(path);
    if (below && found != watched.unsynced.end()) {
      const std::vector<State::Unsynced>& writes = found->second;
      std::for_each(writes.rbegin(), writes.rend(), [&](const auto& one) { one.Undo(content); });
      for (const State::Unsynced& one : writes) {
        const std::uint64_t sectors = one.after.size() / kSector;
        const std::uint64_t disposition = below(3);
        if (disposition == 1) {
          one.Redo(content, one.after.size());
        } else if (disposition == 2 && sectors > 0) {
          one.Redo(content, below(sectors) * kSector);
        }
      }
    }
    std::ofstream(to + "/" + name, std::ios::binary) << content;
  }
}

std::int64_t FailingVfs::calls() const {
  const std::lock_guard lock(state_->mutex);
  return state_->calls;
}

std::int64_t FailingVfs::failed() const {
  const std::lock_guard lock(state_->mutex);
  return state_->failed;
}

}  // namespace ballast::store::testing
