// Files as a crash, a failing disk or a person may leave them: the operator starts, keeps what is
// sound, sets aside what is damaged, and works.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "store/sqlite/files.h"
#include "store/sqlite/reader.h"
#include "store/sqlite/sqlite.h"
#include "store/testing/open_ledger.h"
#include "store/testing/test_store.h"

namespace {

// The type that statfs(2) returns; 0: the real one.
long pretended_file_system = 0;
// Of this path alone; empty: of each.
std::string pretended_path;

}  // namespace

// Replaces the C library's statfs.
extern "C" int statfs(const char* path, struct statfs* out) noexcept {
  struct statfs64 info {};
  if (statfs64(path, &info) != 0) {
    return -1;
  }
  std::memcpy(out, &info, sizeof *out);
  static_assert(sizeof *out == sizeof info);
  if (pretended_file_system != 0 && (pretended_path.empty() || pretended_path == path)) {
    out->f_type = pretended_file_system;
  }
  return 0;
}

namespace ballast::store {
namespace {

using testing::At;
using testing::EvaluationOf;
using testing::Folder;
using ::testing::HasSubstr;
using testing::kWritten;
using testing::Quick;
using testing::Recommended;
using ::testing::SizeIs;

constexpr std::size_t kPage = 4096;

std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void Write(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

void Scale(Ledger& ledger, int times) {
  for (int i = 0; i < times; ++i) {
    const auto intent = ledger.AppendDurably(Intended{EvaluationOf("web", i, i, i + 1)});
    EXPECT_TRUE(intent.durable.ok());
    engine::Memory memory = Recommended({{At(i), i + 1}});
    memory.scale_ups = {{At(i), 1}};
    ledger.Append(Concluded{intent.id, kWritten, At(i), memory, nullptr});
  }
}

// Checks that the operator can start with the file at `path` and work.
std::unique_ptr<Ledger> ExpectUsable(const std::string& path) {
  auto ledger = testing::OpenLedger(path, Quick());
  EXPECT_TRUE(ledger.ok()) << ledger.error().message;
  if (!ledger.ok()) {
    return nullptr;
  }
  EXPECT_TRUE((*ledger)->AppendDurably(Intended{EvaluationOf("api", 1000, 1, 2)}).durable.ok());
  (void)(*ledger)->Recall("uid-web", At(1000));
  return std::move(*ledger);
}

// The content of a store whose operator was killed, so that the newest evaluations are in the
// journal; without a -wal.
std::string LeftByAKill(const Folder& folder) {
  const std::string path = folder.Path("db");
  const auto ledger = testing::OpenLedger(path, Quick()).value();
  Scale(*ledger, 30);
  EXPECT_TRUE(ledger->Flush().ok());
  const std::string left = folder.Path("left");
  std::filesystem::copy(path, left);
  std::filesystem::copy(path + "-wal", left + "-wal");
  EXPECT_TRUE(Database::Open(left, Access::kWrite)
                  .value()
                  ->Integer("SELECT count(*) FROM journal")
                  .value() > 0);
  return Content(left);
}

TEST(DamagedStore, AnyPageTornOrOverwritten) {
  const Folder folder;
  const std::string sound = LeftByAKill(folder);
  ASSERT_EQ(sound.size() % kPage, 0U);
  const struct {
    const char* name;
    std::size_t from;
    std::size_t length;
    char byte;
  } kCases[] = {{"second half lost", kPage / 2, kPage / 2, '\0'},
                {"first half lost", 0, kPage / 2, '\0'},
                {"overwritten", 0, kPage, '\x5a'},
                {"header of the page", 0, 12, '\xff'}};
  int set_aside = 0;
  for (const auto& c : kCases) {
    for (std::size_t page = 0; page < sound.size() / kPage; ++page) {
      SCOPED_TRACE(std::string(c.name) + ", page " + std::to_string(page));
      const std::string damaged_path = folder.Path("damaged");
      std::string damaged = sound;
      damaged.replace(page * kPage + c.from, c.length, c.length, c.byte);
      Write(damaged_path, damaged);
      if (const auto ledger = ExpectUsable(damaged_path)) {
        set_aside += ledger->health().set_aside.empty() ? 0 : 1;
      }
      for (const auto& entry : std::filesystem::directory_iterator(folder.Path(""))) {
        if (entry.path().filename().string().starts_with("damaged")) {
          std::filesystem::remove(entry.path());
        }
      }
    }
  }
  EXPECT_GT(set_aside, 0);
}

TEST(DamagedStore, ALogThatEndsAnywhereGivesAPrefix) {
  const Folder folder;
  const std::string path = folder.Path("db");
  auto ledger = testing::OpenLedger(path, Quick());
  ASSERT_TRUE(ledger.ok());
  Scale(**ledger, 12);
  ASSERT_TRUE((*ledger)->Flush().ok());
  const std::string database = Content(path);
  const std::string log = Content(path + "-wal");
  ASSERT_GT(log.size(), 10 * kPage);
  std::size_t longest = 0;
  for (std::size_t length = 0; length <= log.size(); length += 7001) {
    for (const bool garbled : {false, true}) {
      SCOPED_TRACE("length " + std::to_string(length) + (garbled ? ", garbled behind" : ""));
      const std::string torn = folder.Path("torn" + std::to_string(length) + (garbled ? "g" : ""));
      Write(torn, database);
      Write(torn + "-wal",
            log.substr(0, length) + (garbled ? std::string(log.size() - length, '\x5a') : ""));
      const auto recovered = testing::OpenLedger(torn, Quick());
      ASSERT_TRUE(recovered.ok()) << recovered.error().message;
      EXPECT_EQ((*recovered)->health().set_aside, "");
      const auto history = *(*Reader::Open(torn))->Entries({});
      for (std::size_t i = 0; i < history.size(); ++i) {
        EXPECT_EQ(history[i].current_replicas, static_cast<std::int32_t>(i));
        EXPECT_TRUE(history[i].disposition == Disposition::kWritten || i + 1 == history.size());
      }
      longest = std::max(longest, history.size());
    }
  }
  EXPECT_GE(longest, 11U);
}

TEST(DamagedStore, ALogOfAnotherDatabaseIsNotBelieved) {
  const Folder folder;
  const std::string one = folder.Path("one");
  const std::string other = folder.Path("other");
  std::string stale;
  {
    auto ledger = testing::OpenLedger(one, Quick());
    ASSERT_TRUE(ledger.ok());
    Scale(**ledger, 12);
    ASSERT_TRUE((*ledger)->Flush().ok());
    stale = Content(one + "-wal");
  }
  { Scale(**testing::OpenLedger(other, Quick()), 2); }
  Write(other + "-wal", stale);
  const auto ledger = ExpectUsable(other);
  ASSERT_NE(ledger, nullptr);
  // SQLite replays a complete log even if it is another database's. Then the database is either
  // that of the log, or damaged and set aside, never a mixture.
  const auto history = *(*Reader::Open(other))->Entries({});
  ASSERT_FALSE(history.empty());
  for (std::size_t i = 0; i + 1 < history.size(); ++i) {
    EXPECT_EQ(history[i].current_replicas, static_cast<std::int32_t>(i));
  }
}

// Gives up root's right to ignore file permissions, if the tests run as root.
class Unprivileged {
 public:
  Unprivileged() : before_(geteuid()) {
    if (before_ == 0) {
      EXPECT_EQ(seteuid(65534), 0);
    }
  }
  ~Unprivileged() { EXPECT_EQ(seteuid(before_), 0); }

 private:
  const uid_t before_;
};

TEST(UnusableStore, WithoutTheRightToWrite) {
  const Folder folder;
  std::filesystem::create_directory(folder.Path("open"));
  std::filesystem::create_directory(folder.Path("closed"));
  chmod(folder.Path("").c_str(), 0755);
  chmod(folder.Path("open").c_str(), 0777);
  chmod(folder.Path("closed").c_str(), 0555);
  const std::string path = folder.Path("open/db");
  { Scale(**testing::OpenLedger(path, Quick()), 2); }
  chmod(path.c_str(), 0444);
  chmod((path + ".lock").c_str(), 0666);
  const Unprivileged now;
  for (const auto& where : {path, folder.Path("closed/db")}) {
    const auto ledger = testing::OpenLedger(where, Quick());
    ASSERT_TRUE(ledger.ok()) << where;
    const auto problem = (*ledger)->health().problem;
    ASSERT_TRUE(problem) << where;
    EXPECT_EQ(problem->code, Code::kUnavailable) << where;
    EXPECT_THAT(problem->message, HasSubstr(where));
    EXPECT_EQ((*ledger)->Recall("uid-web", At(100)).has_value(), where == path);
  }
  EXPECT_THAT(*(*Reader::Open(path))->Entries({}), SizeIs(2));
}

TEST(UnusableStore, OnANetworkFileSystem) {
  const Folder folder;
  const struct {
    long magic;
    const char* name;
  } kCases[] = {{0x6969, "NFS"},
                {0xFF534D42, "CIFS"},
                {0x01021997, "9p"},
                {0x47504653, "GPFS"},
                {0x19830326, "BeeGFS"}};
  for (const auto& c : kCases) {
    pretended_file_system = c.magic;
    const auto ledger = testing::OpenLedger(folder.Path("db"), Quick());
    pretended_file_system = 0;
    ASSERT_FALSE(ledger.ok()) << c.name;
    EXPECT_EQ(ledger.error().code, Code::kInvalid);
    EXPECT_THAT(ledger.error().message, HasSubstr(c.name));
    EXPECT_FALSE(std::filesystem::exists(folder.Path("db")));
  }
}

TEST(UnusableStore, ALinkIsWhereItLeads) {
  const Folder folder;
  std::ofstream(folder.Path("elsewhere")).close();
  std::filesystem::create_symlink(folder.Path("elsewhere"), folder.Path("db"));
  pretended_path = folder.Path("db");
  pretended_file_system = 0x6969;
  const auto ledger = testing::OpenLedger(folder.Path("db"), Quick());
  pretended_file_system = 0;
  pretended_path.clear();
  ASSERT_FALSE(ledger.ok());
  EXPECT_EQ(ledger.error().code, Code::kInvalid);
}

}  // namespace
}  // namespace ballast::store
