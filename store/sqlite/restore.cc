#include "store/sqlite/restore.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "store/sqlite/backup.h"
#include "store/sqlite/files.h"
#include "store/sqlite/partial_files.h"
#include "store/sqlite/set_aside.h"

namespace ballast::store {
namespace {

namespace fs = std::filesystem;

constexpr char kReplaced[] = "replaced";

// "34 MB", or of little "34 kB"; rounded up if `up`.
std::string Amount(std::uintmax_t bytes, bool up) {
  constexpr std::uintmax_t kFew = 10'000'000;
  const std::uintmax_t unit = bytes < kFew ? 1'000 : 1'000'000;
  const bool more = up && bytes % unit != 0;
  return std::to_string(bytes / unit + (more ? 1 : 0)) + (bytes < kFew ? " kB" : " MB");
}

// The first bytes of a SQLite database, which say how many there are.
class DatabaseHeader {
 public:
  explicit DatabaseHeader(std::istream& from) {
    from.read(bytes_.data(), bytes_.size());
    length_ = static_cast<std::size_t>(from.gcount());
  }

  std::string_view text() const { return {bytes_.data(), length_}; }

  // Of the database; 0: it is none.
  std::uintmax_t size() const {
    if (length_ < bytes_.size() || !text().starts_with(kMagic)) {
      return 0;
    }
    const std::uintmax_t page = Number(16, 2);
    return (page == 1 ? 65'536 : page) * Number(28, 4);
  }

 private:
  static constexpr std::string_view kMagic{"SQLite format 3\0", 16};

  std::uintmax_t Number(std::size_t at, std::size_t length) const {
    std::uintmax_t number = 0;
    for (const char byte : text().substr(at, length)) {
      number = number << 8 | static_cast<unsigned char>(byte);
    }
    return number;
  }

  std::array<char, 100> bytes_{};
  std::size_t length_ = 0;
};

// Writes the rest of the stream, too, and checks what it has then.
Status Receive(std::istream& from, const DatabaseHeader& header, const std::string& to) {
  std::ofstream out(to, std::ios::binary | std::ios::trunc);
  out << header.text();
  std::uintmax_t received = header.text().size();
  for (std::array<char, 65'536> block{}; from && out && received <= header.size();) {
    from.read(block.data(), block.size());
    out.write(block.data(), from.gcount());
    received += static_cast<std::uintmax_t>(from.gcount());
  }
  out.close();
  if (!out) {
    return SystemError(to);
  }
  if (received != header.size()) {
    return Error{Code::kCorrupt, received < header.size()
                                     ? "the copy ends early: it is not all there"
                                     : "the copy is longer than it says: backup did not make it"};
  }
  return CheckCopy(to);
}

// Where a copy comes from.
struct CopySource {
  std::string path;                                    // empty: a stream
  std::function<Result<std::uintmax_t>()> size;        // how much is to be written
  std::function<Status(const std::string& to)> write;  // checked, and on disk
};

// Removes some of what was set aside, the first ones first, until so many bytes are free. Returns
// how many.
std::size_t RemoveUntil(std::uintmax_t wanted, std::uintmax_t free, const std::vector<Aside>& all) {
  std::size_t removed = 0;
  for (; removed < all.size() && free < wanted; ++removed) {
    RemoveSetAside(all[removed].path);
    free += all[removed].bytes;
  }
  return removed;
}

// Says how much room there is, and makes as much as is needed, of what was replaced earlier and is
// not to be restored now.
Status MakeRoom(const CopySource& source, const std::string& to, std::uintmax_t needed,
                const RestoreOptions& options) {
  ASSIGN_OR_RETURN(const std::uintmax_t free, FreeRoom(to));
  const Room room{needed, free};
  if (options.tell) {
    options.tell(room);
  }
  std::vector<Aside> replaced = ListSetAside(to, kReplaced);
  std::erase_if(replaced, [&](const Aside& aside) {
    std::error_code none;
    return fs::equivalent(aside.path, source.path, none);
  });
  std::uintmax_t possible = free;
  for (const Aside& aside : replaced) {
    possible += aside.bytes;
  }
  if (possible < needed) {
    return Error{Code::kFull, "the copy " + Describe(room) +
                                  ": enlarge the volume, or remove what else is on it"};
  }
  RemoveUntil(needed, free, replaced);
  return Done{};
}

// Of the stores that were replaced, `former` goes last.
Restored KeepWhatFits(const std::string& to, const std::string& former) {
  std::vector<Aside> replaced = ListSetAside(to, kReplaced);
  const auto last = std::ranges::find(replaced, former, &Aside::path);
  const auto free = FreeRoom(to);
  if (last == replaced.end() || !free.ok()) {
    return {former, false};
  }
  std::rotate(last, std::next(last), replaced.end());
  const bool removed = RemoveUntil(replaced.back().bytes, *free, replaced) == replaced.size();
  return {removed ? "" : former, removed};
}

Result<Restored> PlaceWaiting(const std::string& to) {
  ASSIGN_OR_RETURN(const std::string former, SetAside(to, kReplaced));
  if (std::rename(WaitingFor(to).c_str(), to.c_str()) != 0) {
    return SystemError(to);
  }
  TRY(Sync(FolderOf(to)));
  return KeepWhatFits(to, former);
}

Result<Restored> RestoreFrom(const CopySource& source, const std::string& to,
                             const RestoreOptions& options) {
  TRY(CheckFileSystem(to));
  std::optional<FileLock> lock;
  if (!options.at_start) {
    ASSIGN_OR_RETURN(FileLock taken, FileLock::Take(to));
    lock.emplace(std::move(taken));
    RemovePartials(to);
  }
  const PartialFile copy(OwnPartialOf(to));
  ASSIGN_OR_RETURN(const std::uintmax_t needed, source.size());
  std::error_code none;
  fs::remove(WaitingFor(to), none);  // it would undo this one, or is replaced by it
  TRY(MakeRoom(source, to, needed, options));
  TRY(source.write(copy.path()));
  if (std::rename(copy.path().c_str(), WaitingFor(to).c_str()) != 0) {
    return SystemError(WaitingFor(to));
  }
  TRY(Sync(FolderOf(to)));
  return options.at_start ? Restored{} : PlaceWaiting(to);
}

Result<std::uintmax_t> SizeWithLog(const std::string& path) {
  std::error_code none;
  const std::uintmax_t size = fs::file_size(path, none);
  if (none) {
    return Error{Code::kNotFound, path + ": no such file"};
  }
  const std::uintmax_t log = fs::file_size(path + "-wal", none);
  return size + (none ? 0 : log);
}

}  // namespace

std::string Describe(const Room& room) {
  return "takes " + Amount(room.needed, true) + " beside the store, where " +
         Amount(room.free, false) + " are free";
}

Result<Restored> Restore(const std::string& from, const std::string& to,
                         const RestoreOptions& options) {
  std::error_code none;
  if (fs::equivalent(from, to, none)) {
    return Error{Code::kInvalid, from + ": is the store itself"};
  }
  const std::string source = fs::weakly_canonical(from, none);  // it may be a link
  if (IsPartial(source) || IsWaiting(source)) {
    return Error{Code::kInvalid, from + ": a restore is under way with it"};
  }
  return RestoreFrom({from, [&] { return SizeWithLog(from); },
                      [&](const std::string& copy) { return WriteCopy(from, copy); }},
                     to, options);
}

Result<Restored> Restore(std::istream& from, const std::string& name, const std::string& to,
                         const RestoreOptions& options) {
  std::optional<DatabaseHeader> header;
  return RestoreFrom(
      {"",
       [&]() -> Result<std::uintmax_t> {
         header.emplace(from);
         if (header->size() == 0) {
           return Error{
               Code::kInvalid,
               name + (header->text().empty() ? " is empty" : " has no copy that backup made")};
         }
         return header->size();
       },
       [&](const std::string& copy) { return Receive(from, *header, copy); }},
      to, options);
}

Result<std::optional<Restored>> RestoreWaiting(const std::string& to) {
  std::error_code none;
  if (!fs::exists(WaitingFor(to), none)) {
    return std::optional<Restored>();
  }
  ASSIGN_OR_RETURN(Restored restored, PlaceWaiting(to));
  return std::optional(std::move(restored));
}

}  // namespace ballast::store
