#include "store/sqlite/restore.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "store/sqlite/backup.h"
#include "store/sqlite/files.h"
#include "store/sqlite/partial_files.h"
#include "store/sqlite/reader.h"
#include "store/sqlite/sqlite_ledger.h"
#include "store/testing/test_store.h"
#include "tests/support/test_patience.h"

namespace ballast::store {
namespace {

namespace fs = std::filesystem;
using testing::EvaluationOf;
using testing::Folder;
using ::testing::HasSubstr;

// Adds a decision to the store at `path`.
void Decide(const std::string& path, const std::string& name) {
  auto ledger = OpenLedger(path, {.intent_timeout = support::Patience()});
  ASSERT_TRUE(ledger.ok()) << ledger.error().message;
  (*ledger)->AppendDurably(Intended{EvaluationOf(name, 0, 2, 5)});
}

std::string NamesIn(const std::string& path) {
  std::string names;
  const auto reader = Reader::Open(path).value();
  const auto entries = reader->Entries({}).value();
  for (const Entry& entry : entries) {
    names += entry.subject.key.name + " ";
  }
  return names;
}

class RestoreTest : public ::testing::Test {
 protected:
  RestoreTest() {
    Decide(path_, "monday");
    EXPECT_TRUE(BackUp(path_, copy_).ok());
    Decide(path_, "tuesday");
  }

  const Folder folder_;
  const std::string path_ = folder_.Path("db");
  const std::string copy_ = folder_.Path("copy");
};

TEST_F(RestoreTest, PutsTheCopyInPlaceAndKeepsWhatWasThere) {
  std::ofstream(PartialOf(path_)) << "left by one that was killed";
  const auto former = Restore(copy_, path_);
  ASSERT_TRUE(former.ok()) << former.error().message;
  EXPECT_EQ(NamesIn(path_), "monday ");
  EXPECT_THAT(*former, HasSubstr(path_ + ".replaced-"));
  EXPECT_EQ(NamesIn(*former), "monday tuesday ");
  EXPECT_EQ(NamesIn(copy_), "monday ");
  EXPECT_FALSE(fs::exists(PartialOf(path_)));
  Decide(path_, "wednesday");
  EXPECT_EQ(NamesIn(path_), "monday wednesday ") << "the operator goes on with it";
}

TEST_F(RestoreTest, WhereThereIsNothingYet) {
  const std::string empty = folder_.Path("new");
  const auto former = Restore(copy_, empty);
  ASSERT_TRUE(former.ok()) << former.error().message;
  EXPECT_EQ(*former, "");
  EXPECT_EQ(NamesIn(empty), "monday ");
}

TEST_F(RestoreTest, TakesACopyBesideTheStoreHoweverItIsNamed) {
  for (const char* name : {"db.restored", "db.received", "db.backup-7", "db.replaced-1"}) {
    const std::string beside = folder_.Path(name);
    fs::copy(copy_, beside);
    const auto former = Restore(beside, path_);
    ASSERT_TRUE(former.ok()) << name << ": " << former.error().message;
    EXPECT_EQ(NamesIn(path_), "monday ") << name;
    EXPECT_EQ(NamesIn(beside), "monday ") << name;
  }
}

TEST_F(RestoreTest, ReplacesADamagedStore) {
  std::ofstream(path_, std::ios::trunc) << std::string(8192, 'x');
  const auto former = Restore(copy_, path_);
  ASSERT_TRUE(former.ok()) << former.error().message;
  EXPECT_EQ(NamesIn(path_), "monday ");
}

// What a person leaves who moves the damaged file alone, and what a kill leaves between two
// renames: files of the former database beside no database, or beside each other.
TEST_F(RestoreTest, MovesTheLogOfTheFormerStoreAlsoWithoutIt) {
  {
    const auto ledger = OpenLedger(path_).value();
    ledger->AppendDurably(Intended{EvaluationOf("wednesday", 0, 2, 5)});
    fs::copy(path_, folder_.Path("left"));
    fs::copy(path_ + "-wal", folder_.Path("left-wal"));
  }
  const char* const kFiles[] = {"", "-wal", "-journal", "-shm"};
  std::ofstream(folder_.Path("left-journal")) << "of the former";
  std::ofstream(folder_.Path("left-shm")) << "of the former";
  for (std::size_t moved = 0; moved <= std::size(kFiles); ++moved) {
    SCOPED_TRACE(moved);
    for (std::size_t i = 0; i < std::size(kFiles); ++i) {
      fs::remove(path_ + kFiles[i]);
      if (i >= moved) {
        fs::copy(folder_.Path("left") + kFiles[i], path_ + kFiles[i]);
      }
    }
    const auto former = Restore(copy_, path_);
    ASSERT_TRUE(former.ok()) << former.error().message;
    EXPECT_EQ(former->empty(), moved == std::size(kFiles));
    for (std::size_t i = 1; i < std::size(kFiles); ++i) {
      EXPECT_FALSE(fs::exists(path_ + kFiles[i])) << kFiles[i];
      EXPECT_EQ(fs::exists(*former + kFiles[i]), i >= moved) << kFiles[i];
    }
    EXPECT_EQ(NamesIn(path_), "monday ");
  }
}

TEST_F(RestoreTest, RefusesAndChangesNothing) {
  const auto none = Restore(folder_.Path("none"), path_);
  EXPECT_EQ(none.error().code, Code::kNotFound);
  std::ofstream(folder_.Path("text")) << std::string(8192, 'x');
  EXPECT_FALSE(Restore(folder_.Path("text"), path_).ok());
  std::ofstream(folder_.Path("empty")).close();
  EXPECT_THAT(Restore(folder_.Path("empty"), path_).error().message,
              HasSubstr("nothing was ever written"));
  EXPECT_EQ(Restore(path_, path_).error().code, Code::kInvalid);
  fs::copy(copy_, PartialOf(copy_));
  EXPECT_EQ(Restore(PartialOf(copy_), path_).error().code, Code::kInvalid);
  {
    const auto ledger = OpenLedger(path_).value();
    EXPECT_EQ(Restore(copy_, path_).error().code, Code::kConflict) << "an operator runs on it";
  }
  EXPECT_EQ(NamesIn(path_), "monday tuesday ");
}

}  // namespace
}  // namespace ballast::store
