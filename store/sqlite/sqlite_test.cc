#include "store/sqlite/sqlite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include "store/testing/test_store.h"

namespace ballast::store {
namespace {

using ::testing::HasSubstr;

TEST(Database, GivesBackWhatWasBound) {
  const testing::Folder folder;
  auto database = Database::Open(folder.Path("db"), Access::kWrite);
  ASSERT_TRUE(database.ok()) << database.error().message;
  Database& db = **database;
  ASSERT_TRUE(db.Execute("CREATE TABLE t (a INTEGER, b TEXT, c BLOB, d INTEGER) STRICT").ok());
  const std::string text("a\0b", 3);
  const std::string blob("\0\xff", 2);
  ASSERT_TRUE(db.Run("INSERT INTO t VALUES (?, ?, ?, ?)", std::numeric_limits<std::int64_t>::min(),
                     text, Bytes{blob}, std::optional<std::int64_t>())
                  .ok());
  auto row = db.Prepare("SELECT a, b, c, d FROM t");
  ASSERT_TRUE(row.ok());
  auto step = row->Step();
  ASSERT_TRUE(step.ok());
  ASSERT_TRUE(*step);
  EXPECT_EQ(row->Integer(0), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(row->Text(1), text);
  EXPECT_EQ(row->Blob(2), blob);
  EXPECT_TRUE(row->IsNull(3));
  step = row->Step();
  ASSERT_TRUE(step.ok());
  EXPECT_FALSE(*step);
}

TEST(Database, SetsWhatCrashSafetyNeeds) {
  const testing::Folder folder;
  auto database = Database::Open(folder.Path("db"), Access::kWrite);
  ASSERT_TRUE(database.ok());
  const struct {
    const char* pragma;
    const char* value;
  } kCases[] = {
      {"PRAGMA journal_mode", "wal"}, {"PRAGMA synchronous", "2"}, {"PRAGMA foreign_keys", "1"},
      {"PRAGMA mmap_size", "0"},      {"PRAGMA auto_vacuum", "2"}, {"PRAGMA trusted_schema", "0"},
      {"PRAGMA secure_delete", "0"},
  };
  for (const auto& c : kCases) {
    const auto value = (*database)->Text(c.pragma);
    ASSERT_TRUE(value.ok()) << c.pragma;
    EXPECT_EQ(*value, c.value) << c.pragma;
  }
}

TEST(Database, ErrorsSayWhatKindTheyAre) {
  const testing::Folder folder;
  const auto missing = Database::Open(folder.Path("no/such/folder/db"), Access::kWrite);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, Code::kUnavailable);
  EXPECT_THAT(missing.error().message, HasSubstr("no/such/folder/db"));

  std::ofstream(folder.Path("text")) << std::string(5000, 'x');
  const auto garbage = Database::Open(folder.Path("text"), Access::kWrite);
  ASSERT_FALSE(garbage.ok());
  EXPECT_EQ(garbage.error().code, Code::kCorrupt);

  auto database = Database::Open(folder.Path("db"), Access::kWrite);
  ASSERT_TRUE(database.ok());
  Database& db = **database;
  EXPECT_EQ(db.Execute("nonsense").error().code, Code::kInternal);
  ASSERT_TRUE(db.Execute("CREATE TABLE t (a BLOB); PRAGMA max_page_count = 10").ok());
  EXPECT_EQ(db.Run("INSERT INTO t VALUES (zeroblob(100000))").error().code, Code::kFull);
  EXPECT_TRUE(db.Run("INSERT INTO t VALUES (1)").ok());

  auto reader = Database::Open(folder.Path("db"), Access::kRead);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ((*reader)->Run("INSERT INTO t VALUES (2)").error().code, Code::kUnavailable);
}

TEST(Transaction, IsRolledBackUnlessCommitted) {
  const testing::Folder folder;
  auto database = Database::Open(folder.Path("db"), Access::kWrite);
  ASSERT_TRUE(database.ok());
  Database& db = **database;
  ASSERT_TRUE(db.Execute("CREATE TABLE t (a INTEGER)").ok());
  for (const bool commit : {false, true}) {
    auto transaction = Transaction::Begin(db);
    ASSERT_TRUE(transaction.ok());
    ASSERT_TRUE(db.Run("INSERT INTO t VALUES (1)").ok());
    if (commit) {
      ASSERT_TRUE(transaction->Commit().ok());
    }
  }
  EXPECT_EQ(*db.Integer("SELECT count(*) FROM t"), 1);
}

TEST(Database, ImmutableReadsACopyWithOddName) {
  const testing::Folder folder;
  const std::string path = folder.Path("a?b#c%20d");
  {
    auto database = Database::Open(path, Access::kWrite);
    ASSERT_TRUE(database.ok());
    ASSERT_TRUE((*database)->Execute("CREATE TABLE t (a); INSERT INTO t VALUES (7)").ok());
  }
  auto copy = Database::Open(path, Access::kImmutable);
  ASSERT_TRUE(copy.ok()) << copy.error().message;
  EXPECT_EQ(*(*copy)->Integer("SELECT a FROM t"), 7);
  EXPECT_FALSE(std::filesystem::exists(path + "-shm"));
}

}  // namespace
}  // namespace ballast::store
