#include "store/sqlite/sqlite_backend.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "store/fold/ledger_state.h"
#include "store/in_memory/in_memory_backend.h"
#include "store/sqlite/sqlite.h"
#include "store/sqlite/thinning.h"
#include "store/testing/any_record.h"
#include "store/testing/failing_vfs.h"
#include "store/testing/picture.h"
#include "store/testing/test_store.h"

namespace ballast::store {
namespace {

using testing::At;

// A change that refers to a decision that does not exist.
ReasonAdded Defect(int number) { return {number + 1, At(0), "A", "", {}}; }

TEST(SqliteBackend, AChangeThatFailsByItselfCostsOnlyItself) {
  const testing::Folder folder;
  const std::string path = folder.Path("db");
  constexpr int kChanges = 100'000;  // too many to repeat the batch for each defect
  const Subject web{"uid-web", "AutoScalePolicy", {"shop", "web"}};
  Batch batch;
  for (int i = 0; i < kChanges; ++i) {
    if (i % 10 == 9) {
      batch.changes.emplace_back(Defect(i));
    } else {
      batch.changes.emplace_back(ForeignChangeAdded{web, {At(i), i, i + 1, "kubectl", {}}});
    }
  }
  const auto backend = MakeSqliteBackend(path, {});
  ASSERT_TRUE(backend->Open({}).ok());
  const auto applied = backend->Apply(batch);
  ASSERT_TRUE(applied.ok()) << applied.error().message;
  EXPECT_EQ(applied->dropped, kChanges / 10);
  const auto database = Database::Open(path, Access::kRead).value();
  EXPECT_EQ(database->Integer("SELECT count(*) FROM foreign_changes").value(),
            kChanges - kChanges / 10);
  EXPECT_EQ(database->Integer("SELECT count(*) FROM reasons").value(), 0);
}

// As long as there is history to delete, what is new takes its place.
TEST(SqliteBackend, GrowsNoMoreOnADiskThatIsNearlyFull) {
  const testing::FailingVfs disk;  // fails nothing here, but does not wait for the disk
  const testing::Folder folder;
  const std::string path = folder.Path("db");
  std::uintmax_t room = kLeastRoom;
  const auto backend =
      MakeSqliteBackend(path, {.room = [&](const auto&) { return Result<std::uintmax_t>(room); }});
  LedgerState state;
  state.Adopt(backend->Open({}).value().state);
  int now = 0;
  const auto thin = [&] {
    while (backend->Thin({}, At(now)).value().more) {
    }
  };
  const auto record = [&](int count) {
    for (const int until = now + count; now < until; ++now) {
      Batch batch = state.Apply(Intended{testing::EvaluationOf("web", now, 5, 6)},
                                {std::string(100'000, '.'), ""});
      batch.Append(state.Apply(Concluded{state.newest(), testing::kWritten, At(now), {}, nullptr}));
      ASSERT_TRUE(backend->Apply(batch).ok());
      thin();
    }
  };
  record(100);
  const auto database = Database::Open(path, Access::kRead).value();
  const auto count = [&](const char* sql) { return database->Integer(sql).value(); };
  const std::int64_t pages = count("PRAGMA page_count");
  EXPECT_EQ(count("SELECT count(*) FROM decisions"), 100);
  room = kLeastRoom - 1;
  thin();
  record(200);
  EXPECT_LE(count("PRAGMA page_count"), pages);
  EXPECT_EQ(count("SELECT max(id) FROM decisions"), 300);
  EXPECT_GT(count("SELECT count(*) FROM decisions"), 20);
}

// Random records in any order, each batch applied to both: they load the same state.
TEST(SqliteBackend, LoadsWhatTheOneInMemoryDoes) {
  const testing::FailingVfs disk;  // fails nothing here, but does not wait for the disk
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto below = [&](unsigned limit) { return static_cast<int>(random() % limit); };
    const testing::Folder folder;
    const std::string path = folder.Path("db");
    auto sqlite = MakeSqliteBackend(path, {});
    InMemoryBackend memory;
    LedgerState state;
    state.Adopt(sqlite->Open({}).value().state);
    int now = 0;
    for (int i = 0; i < 200; ++i) {
      now += below(40) == 0 ? below(8'000) - 4'000 : below(20);
      const Batch batch = state.Apply(testing::AnyRecord(state, random, now));
      for (const Batch& made : {batch, below(3) == 0 ? state.Beat() : Batch{}}) {
        ASSERT_TRUE(sqlite->Apply(made).ok());
        ASSERT_TRUE(memory.Apply(made).ok());
      }
    }
    sqlite.reset();
    EXPECT_EQ(testing::PictureOf(MakeSqliteBackend(path, {})->Open({}).value().state),
              testing::PictureOf(memory.Open({}).value().state));
  }
}

}  // namespace
}  // namespace ballast::store
