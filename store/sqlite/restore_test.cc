#include "store/sqlite/restore.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>

#include "store/sqlite/backup.h"
#include "store/sqlite/files.h"
#include "store/sqlite/partial_files.h"
#include "store/sqlite/reader.h"
#include "store/sqlite/set_aside.h"
#include "store/testing/open_ledger.h"
#include "store/testing/test_store.h"
#include "tests/support/test_patience.h"

namespace {

// How many bytes the folder of the path can have; 0: as many as the disk has.
std::uintmax_t capacity = 0;

std::uintmax_t SizeOfFiles(const std::filesystem::path& folder) {
  std::uintmax_t size = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    size += file.file_size();
  }
  return size;
}

}  // namespace

// Replaces the C library's statvfs.
extern "C" int statvfs(const char* path, struct statvfs* out) noexcept {
  struct statvfs64 info {};
  if (statvfs64(path, &info) != 0) {
    return -1;
  }
  static_assert(sizeof *out == sizeof info);
  std::memcpy(out, &info, sizeof *out);
  if (capacity != 0) {
    out->f_frsize = 1;
    out->f_blocks = capacity;
    out->f_bavail = capacity - std::min(capacity, SizeOfFiles(path));
  }
  return 0;
}

namespace ballast::store {
namespace {

namespace fs = std::filesystem;
using testing::EvaluationOf;
using testing::Folder;
using ::testing::HasSubstr;

// Adds a decision to the store at `path`.
void Decide(const std::string& path, const std::string& name) {
  auto ledger = testing::OpenLedger(path, {.intent_timeout = support::Patience()});
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

std::string Contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class RestoreTest : public ::testing::Test {
 protected:
  RestoreTest() {
    Decide(path_, "monday");
    EXPECT_TRUE(BackUp(path_, copy_).ok());
    Decide(path_, "tuesday");
  }
  ~RestoreTest() override { capacity = 0; }

  // Leaves so many bytes free beside the store.
  void LeaveFree(std::uintmax_t bytes) { capacity = SizeOfFiles(FolderOf(path_)) + bytes; }

  Result<Restored> RestoreText(const std::string& text) {
    std::istringstream in(text);
    return Restore(in, "the text", path_,
                   {.tell = [&](const Room& room) { told_ = Describe(room); }});
  }

  void ExpectUnchanged() {
    EXPECT_EQ(NamesIn(path_), "monday tuesday ");
    for (const auto& file : fs::directory_iterator(FolderOf(path_))) {
      EXPECT_FALSE(IsPartial(file.path())) << file.path();
      EXPECT_FALSE(IsSetAside(file.path())) << file.path();
    }
  }

  const Folder folder_;
  const std::string path_ = folder_.Path("db");
  const std::string copy_ = folder_.Path("copy");
  std::string told_;
};

TEST_F(RestoreTest, PutsTheCopyInPlaceAndKeepsWhatWasThere) {
  std::ofstream(PartialOf(path_)) << "left by one that was killed";
  const auto former = Restore(copy_, path_);
  ASSERT_TRUE(former.ok()) << former.error().message;
  EXPECT_EQ(NamesIn(path_), "monday ");
  EXPECT_THAT(former->former, HasSubstr(path_ + ".replaced-"));
  EXPECT_EQ(NamesIn(former->former), "monday tuesday ");
  EXPECT_EQ(NamesIn(copy_), "monday ");
  EXPECT_FALSE(fs::exists(PartialOf(path_)));
  Decide(path_, "wednesday");
  EXPECT_EQ(NamesIn(path_), "monday wednesday ") << "the operator goes on with it";
}

TEST_F(RestoreTest, WhereThereIsNothingYet) {
  const std::string empty = folder_.Path("new");
  const auto former = Restore(copy_, empty);
  ASSERT_TRUE(former.ok()) << former.error().message;
  EXPECT_EQ(former->former, "");
  EXPECT_FALSE(former->removed);
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
    const auto ledger = testing::OpenLedger(path_).value();
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
    EXPECT_EQ(former->former.empty(), moved == std::size(kFiles));
    for (std::size_t i = 1; i < std::size(kFiles); ++i) {
      EXPECT_FALSE(fs::exists(path_ + kFiles[i])) << kFiles[i];
      EXPECT_EQ(fs::exists(former->former + kFiles[i]), i >= moved) << kFiles[i];
    }
    EXPECT_EQ(NamesIn(path_), "monday ");
  }
}

TEST_F(RestoreTest, FromAStreamNeedsTheRoomOfTheCopyAlone) {
  const std::string text = Contents(copy_);
  fs::remove(copy_);
  LeaveFree(text.size());
  const std::uintmax_t before = SizeOfFiles(FolderOf(path_));
  capacity += fs::file_size(path_);  // so that what is replaced can stay
  const auto restored = RestoreText(text);
  ASSERT_TRUE(restored.ok()) << restored.error().message;
  EXPECT_LE(SizeOfFiles(FolderOf(path_)), before + text.size());
  EXPECT_EQ(NamesIn(path_), "monday ");
  EXPECT_EQ(NamesIn(restored->former), "monday tuesday ");
  EXPECT_THAT(told_, HasSubstr("takes " + std::to_string((text.size() + 999) / 1000) + " kB"));
}

TEST_F(RestoreTest, RefusesAStreamThatIsNoWholeCopy) {
  const std::string text = Contents(copy_);
  std::string damaged = text;
  damaged.replace(text.size() / 2, 4096, 4096, '\xff');
  const struct {
    const char* name;
    std::string text;
    const char* message;
  } kCases[] = {{"nothing", "", "the text is empty"},
                {"another file", std::string(8192, 'x'), "the text has no copy"},
                {"less than a header", text.substr(0, 99), "the text has no copy"},
                {"the beginning", text.substr(0, text.size() - 1), "ends early"},
                {"more", text + std::string(100'000, 'x'), "longer than it says"},
                {"damaged", damaged, ""}};
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const auto restored = RestoreText(c.text);
    ASSERT_FALSE(restored.ok());
    EXPECT_THAT(restored.error().message, HasSubstr(c.message));
    ExpectUnchanged();
  }
}

TEST_F(RestoreTest, RefusesWhatDoesNotFitAndSaysHowMuchDoes) {
  const std::string text = Contents(copy_);
  for (const bool stream : {true, false}) {
    LeaveFree(text.size() - 1);
    const auto restored = stream ? RestoreText(text) : Restore(copy_, path_);
    ASSERT_FALSE(restored.ok());
    EXPECT_EQ(restored.error().code, Code::kFull);
    EXPECT_THAT(restored.error().message,
                HasSubstr("takes " + std::to_string((text.size() + 999) / 1000) +
                          " kB beside the store, where " +
                          std::to_string((text.size() - 1) / 1000) + " kB are free"));
    ExpectUnchanged();
  }
}

TEST_F(RestoreTest, KeepsWhatItReplacesWhereTheStoreHasRoomToGrow) {
  const std::uintmax_t size = fs::file_size(path_);
  LeaveFree(fs::file_size(copy_) + size);
  const auto kept = Restore(copy_, path_);
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  EXPECT_TRUE(fs::exists(kept->former));
  EXPECT_FALSE(kept->removed);

  // What was replaced first makes room for the copy, and then what is replaced now for the store.
  Decide(path_, "wednesday");
  const std::uintmax_t needed = fs::file_size(copy_);
  LeaveFree(needed - std::min(needed, size));
  const auto removed = Restore(copy_, path_);
  ASSERT_TRUE(removed.ok()) << removed.error().message;
  EXPECT_TRUE(removed->removed);
  EXPECT_EQ(removed->former, "");
  EXPECT_EQ(NamesIn(path_), "monday ");
  for (const auto& file : fs::directory_iterator(FolderOf(path_))) {
    EXPECT_FALSE(IsSetAside(file.path())) << file.path();
  }
}

// To restore what a restore replaced is how to undo it.
TEST_F(RestoreTest, RemovesNotWhatItRestores) {
  const std::string former = Restore(copy_, path_).value().former;
  const std::string link = folder_.Path("link");
  fs::create_symlink(former, link);
  for (const std::string& from : {former, link}) {
    LeaveFree(fs::file_size(former) - 1);
    EXPECT_EQ(Restore(from, path_).error().code, Code::kFull);
    EXPECT_EQ(NamesIn(former), "monday tuesday ");
  }
  capacity = 0;
  ASSERT_TRUE(Restore(former, path_).ok());
  EXPECT_EQ(NamesIn(path_), "monday tuesday ");
}

TEST_F(RestoreTest, WaitsForTheNextStartOfTheOperator) {
  {
    const auto ledger = testing::OpenLedger(path_).value();
    ASSERT_TRUE(Restore(path_ + ".none", path_, {.at_start = true}).error().code ==
                Code::kNotFound);
    const auto restored = Restore(copy_, path_, {.at_start = true});
    ASSERT_TRUE(restored.ok()) << restored.error().message;
    EXPECT_EQ(restored->former, "");
    ledger->AppendDurably(Intended{EvaluationOf("wednesday", 0, 2, 5)});
  }
  EXPECT_EQ(NamesIn(path_), "monday tuesday wednesday ");
  std::string former;
  const auto restored = [&](const Result<Restored>& done) { former = done.value().former; };
  EXPECT_TRUE(testing::OpenLedger(path_, {}, {.restored = restored}).ok());
  EXPECT_EQ(NamesIn(path_), "monday ");
  ASSERT_NE(former, "");
  EXPECT_EQ(NamesIn(former), "monday tuesday wednesday ");
  EXPECT_TRUE(
      testing::OpenLedger(path_, {}, {.restored = [](const auto&) { ADD_FAILURE(); }}).ok());
}

TEST_F(RestoreTest, OnlyTheLastCopyWaits) {
  ASSERT_TRUE(BackUp(path_, folder_.Path("later")).ok());
  ASSERT_TRUE(Restore(copy_, path_, {.at_start = true}).ok());
  ASSERT_TRUE(Restore(folder_.Path("later"), path_, {.at_start = true}).ok());
  Decide(path_, "wednesday");
  EXPECT_EQ(NamesIn(path_), "monday tuesday wednesday ");
  ASSERT_TRUE(Restore(folder_.Path("later"), path_, {.at_start = true}).ok());
  ASSERT_TRUE(Restore(copy_, path_).ok());
  Decide(path_, "thursday");
  EXPECT_EQ(NamesIn(path_), "monday thursday ") << "what waited would undo the restore";
}

// The store is set aside, and the copy has not got its name yet.
TEST_F(RestoreTest, IsCompletedByTheNextStartIfItIsKilled) {
  ASSERT_TRUE(Restore(copy_, path_, {.at_start = true}).ok());
  fs::rename(path_, path_ + ".replaced-20260930T000000Z");
  Decide(path_, "wednesday");
  EXPECT_EQ(NamesIn(path_), "monday wednesday ");
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
  fs::copy(copy_, path_ + ".ballast-restore");
  fs::create_symlink(path_ + ".ballast-restore", folder_.Path("link"));
  for (const std::string& from : {path_ + ".ballast-restore", folder_.Path("link")}) {
    EXPECT_EQ(Restore(from, path_).error().code, Code::kInvalid);
  }
  fs::remove(path_ + ".ballast-restore");
  {
    const auto ledger = testing::OpenLedger(path_).value();
    EXPECT_EQ(Restore(copy_, path_).error().code, Code::kConflict) << "an operator runs on it";
  }
  EXPECT_EQ(NamesIn(path_), "monday tuesday ");
}

}  // namespace
}  // namespace ballast::store
