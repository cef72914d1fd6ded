#include "tests/faults/ledger_file.h"

#include <filesystem>
#include <utility>

#include "store/sqlite/sqlite_backend.h"

namespace ballast::faults {
namespace {

// SQLite's default from the first file on.
store::testing::FailingVfs& Vfs() {
  static auto* const vfs = new store::testing::FailingVfs;
  return *vfs;
}

}  // namespace

LedgerFile::LedgerFile(int disk, Dice& dice) : name_("disk-" + std::to_string(disk)), dice_(dice) {
  std::filesystem::create_directories(Folder());
  Vfs();  // made here, where no other fiber can come in between
}

std::unique_ptr<store::Backend> LedgerFile::Open(const store::Process& process, Judge judge) {
  Vfs().Watch(std::filesystem::absolute(Folder()), std::move(judge));
  return store::MakeSqliteBackend(Path(), {.process = process});
}

void LedgerFile::Cut(bool loses_power) {
  const std::string former = std::filesystem::absolute(Folder());
  ++copies_;
  Vfs().Copy(former, Folder(),
             loses_power ? [this](std::uint64_t below) { return dice_.Below(below); }
                         : store::testing::FailingVfs::Below());
}

Result<store::StoredState> LedgerFile::Read() const {
  // A copy, since SQLite tidies up what it reads.
  const std::string copy = name_ + ".read";
  std::filesystem::remove_all(copy);
  std::filesystem::copy(Folder(), copy);
  return store::MakeSqliteBackend(copy + "/ballast.db", {})->Read();
}

}  // namespace ballast::faults
