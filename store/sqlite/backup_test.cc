#include "store/sqlite/backup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "store/sqlite/partial_files.h"
#include "store/sqlite/reader.h"
#include "store/testing/open_ledger.h"
#include "store/testing/test_store.h"

namespace ballast::store {
namespace {

namespace fs = std::filesystem;
using testing::EvaluationOf;
using testing::Folder;
using ::testing::HasSubstr;

std::unique_ptr<Ledger> Opened(const std::string& path) {
  auto ledger = testing::OpenLedger(path, testing::Quick());
  EXPECT_TRUE(ledger.ok()) << ledger.error().message;
  return std::move(ledger).value();
}

std::vector<Entry> HistoryOf(const std::string& path) {
  auto reader = Reader::Open(path);
  EXPECT_TRUE(reader.ok()) << reader.error().message;
  return (*reader)->Entries({}).value();
}

std::string Contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(BackUp, IsOneMomentOfAStoreThatIsBeingWritten) {
  const Folder folder;
  const std::string path = folder.Path("db");
  auto ledger = Opened(path);
  const auto intend = [&](int i) {
    ledger->AppendDurably(Intended{EvaluationOf("web", i, i, i + 1)});
  };
  intend(0);
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    for (int i = 1; !stop; ++i) {
      intend(i);
    }
  });
  std::size_t before = 0;
  for (int i = 0; i < 5; ++i) {
    const std::string copy = folder.Path("copy-" + std::to_string(i));
    const Status done = BackUp(path, copy);
    ASSERT_TRUE(done.ok()) << done.error().message;
    // The copy has everything up to some intent, each with its snapshot, and nothing after it.
    std::int32_t next = 0;
    auto reader = Reader::Open(copy);
    ASSERT_TRUE(reader.ok());
    ASSERT_TRUE((*reader)
                    ->ForEach({},
                              [&](const FullEntry& one) -> Status {
                                EXPECT_EQ(one.entry.current_replicas, next++);
                                EXPECT_EQ(one.documents.snapshot,
                                          testing::JsonOf(testing::SnapshotOf("web")));
                                return Done{};
                              })
                    .ok());
    EXPECT_GE(static_cast<std::size_t>(next), before);
    before = static_cast<std::size_t>(next);
  }
  stop = true;
  writer.join();
  EXPECT_GT(before, 0U);
  EXPECT_FALSE(ledger->health().problem);
}

TEST(BackUp, LeavesTheOriginalAsItIs) {
  const Folder folder;
  const std::string path = folder.Path("db");
  auto ledger = Opened(path);
  ledger->AppendDurably(Intended{EvaluationOf("web", 0, 2, 5)});
  ASSERT_TRUE(ledger->Flush().ok());
  const std::string database = Contents(path);
  const std::string wal = Contents(path + "-wal");
  ASSERT_FALSE(wal.empty());
  ASSERT_TRUE(BackUp(path, folder.Path("copy")).ok());
  EXPECT_EQ(Contents(path), database);
  EXPECT_EQ(Contents(path + "-wal"), wal);
  EXPECT_EQ(HistoryOf(folder.Path("copy")).size(), 1U);
  EXPECT_FALSE(fs::exists(folder.Path("copy-wal")));
}

TEST(BackUp, AStartRemovesOnlyWhatAKilledOneLeft) {
  const Folder folder;
  const std::string path = folder.Path("db");
  const std::string left[] = {PartialOf(path), path + ".ballast-restore",
                              PartialOf(folder.Path("db.backup-monday"))};
  const char* const kPeoples[] = {"db.backup-20260930", "db.backup-7",   "db.backup-12.partial",
                                  "db.backup-mine",     "db.backup",     "db.partial",
                                  "db.restored",        "db.received",   "db.ballast-partial.mine",
                                  "dbs.backup-7",       "other.partial", "ballast-partial"};
  for (const std::string& name : left) {
    std::ofstream(name) << "left";
  }
  for (const char* name : kPeoples) {
    std::ofstream(folder.Path(name)) << "somebody's";
  }
  Opened(path);
  for (const std::string& name : left) {
    EXPECT_FALSE(fs::exists(name)) << name;
  }
  for (const char* name : kPeoples) {
    EXPECT_EQ(Contents(folder.Path(name)), "somebody's") << name;
  }
}

TEST(BackUp, LeavesPeoplesFilesBesideTheCopyAlone) {
  const Folder folder;
  const std::string path = folder.Path("db");
  Opened(path)->AppendDurably(Intended{EvaluationOf("web", 0, 2, 5)});
  std::ofstream(folder.Path("copy.partial")) << "somebody's";
  std::ofstream(PartialOf(folder.Path("copy"))) << "left by one that was killed";
  ASSERT_TRUE(BackUp(path, folder.Path("copy")).ok());
  EXPECT_EQ(Contents(folder.Path("copy.partial")), "somebody's");
  EXPECT_FALSE(fs::exists(PartialOf(folder.Path("copy"))));
}

// Or else it would be taken for what a killed process left.
TEST(BackUp, RefusesTheNamesOfItsOwnFiles) {
  const Folder folder;
  const std::string path = folder.Path("db");
  Opened(path)->AppendDurably(Intended{EvaluationOf("web", 0, 2, 5)});
  for (const std::string& name :
       {PartialOf(folder.Path("copy")), PartialOf(path), path + ".replaced-20260930T000000Z",
        path + ".corrupt-20260930T000000Z.2"}) {
    EXPECT_EQ(BackUp(path, name).error().code, Code::kInvalid) << name;
    EXPECT_FALSE(fs::exists(name)) << name;
  }
}

TEST(BackUp, ACopyThatIsReadHasNoName) {
  const Folder folder;
  const std::string path = folder.Path("db");
  Opened(path)->AppendDurably(Intended{EvaluationOf("web", 0, 2, 5)});
  auto copy = OpenCopy(path);
  ASSERT_TRUE(copy.ok()) << copy.error().message;
  for (const auto& file : fs::directory_iterator(fs::path(path).parent_path())) {
    EXPECT_FALSE(file.path().string().ends_with(kPartial)) << file.path();
  }
  std::ofstream(folder.Path("read"), std::ios::binary) << copy->rdbuf();
  EXPECT_EQ(HistoryOf(folder.Path("read")).size(), 1U);
}

TEST(BackUp, RefusesWhatItCannotDo) {
  const Folder folder;
  const std::string path = folder.Path("db");
  const std::string copy = folder.Path("copy");
  EXPECT_EQ(BackUp(path, copy).error().code, Code::kNotFound);
  std::ofstream(path).close();
  EXPECT_THAT(BackUp(path, copy).error().message, HasSubstr("nothing was ever written"));
  Opened(path)->AppendDurably(Intended{EvaluationOf("web", 0, 2, 5)});
  EXPECT_FALSE(BackUp(path, folder.Path("none/copy")).ok());
  std::ofstream(copy) << "somebody's";
  EXPECT_EQ(BackUp(path, copy).error().code, Code::kInvalid);
  EXPECT_EQ(Contents(copy), "somebody's");
  EXPECT_FALSE(fs::exists(PartialOf(copy)));
}

}  // namespace
}  // namespace ballast::store
