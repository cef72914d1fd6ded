// The conversion of files of earlier versions, in steps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "store/sqlite/database_schema.h"
#include "store/sqlite/migration.h"
#include "store/sqlite/reader.h"
#include "store/sqlite/sqlite.h"
#include "store/sqlite/sqlite_ledger.h"
#include "store/testing/earlier_ledger.h"
#include "store/testing/test_store.h"

namespace ballast::store {
namespace {

using testing::At;
using testing::EvaluationOf;
using testing::Quick;
using ::testing::SizeIs;

// The store of testdata/schema-1.sql, as its operator left it when it was killed.
class FirstSchema : public ::testing::Test {
 protected:
  FirstSchema() {
    const Status made = testing::MakeEarlierLedger(1, path_);
    EXPECT_TRUE(made.ok()) << made.error().message;
  }

  std::string Figure(const char* sql) const {
    return Database::Open(path_, Access::kRead).value()->Text(sql).value();
  }
  std::vector<Entry> History() const { return (*Reader::Open(path_))->Entries({}).value(); }

  const testing::Folder folder_;
  const std::string path_ = folder_.Path("db");
};

// A thousand decisions of two autoscalers in turn, of which two steps of a hundred are moved before
// the interruption.
TEST_F(FirstSchema, GoesOnWithAConversionThatWasInterrupted) {
  constexpr int kDecisions = 1'000;
  const auto all = [&] {
    return Figure(
        "SELECT count(*) || ' ' || sum(id) || ' ' || sum(time / 1000000000) FROM"
        " decisions");
  };
  ASSERT_TRUE(Database::Open(path_, Access::kWrite)
                  .value()
                  ->Execute("WITH RECURSIVE i(n) AS (SELECT 4 UNION ALL SELECT n + 1 FROM i"
                            " WHERE n < 1000) INSERT INTO decisions SELECT n, n % 2 + 1,"
                            " 1800000000000000000 + n * 1000000000, 1800000000000000000, 1, 1, 1,"
                            " 'R', 'M', 'none', '', NULL FROM i")
                  .ok());
  const std::string before = all();
  {
    // As a process that is killed after two steps leaves it.
    const auto database = Database::Open(path_, Access::kWrite).value();
    ASSERT_TRUE(MigrateSchema(*database).ok());
    EXPECT_EQ(LeftToMove(*database).value(), kDecisions);
    EXPECT_TRUE(MoveDecisions(*database, 100).value());
    EXPECT_TRUE(MoveDecisions(*database, 100).value());
  }
  std::int64_t told = 0;
  {
    const auto converting = [&](std::int64_t decisions) { told = decisions; };
    const auto ledger = OpenLedger(path_, Quick(), {.converting = converting}).value();
    EXPECT_THAT(ledger->OpenIntents(), SizeIs(1));
    EXPECT_GT(ledger->AppendDurably(Intended{EvaluationOf("web", 2'000, 1, 2)}).id, kDecisions);
  }
  EXPECT_EQ(told, kDecisions - 200);
  EXPECT_EQ(Figure("SELECT count(*) FROM decisions WHERE id > 1000"), "1");
  ASSERT_TRUE(Database::Open(path_, Access::kWrite)
                  .value()
                  ->Execute("DELETE FROM timelines; DELETE FROM snapshots WHERE decision > 1000;"
                            " DELETE FROM decisions WHERE id > 1000")
                  .ok());
  EXPECT_EQ(all(), before);
  EXPECT_EQ(Figure("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(Figure("SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%unclustered%'"), "0");
}

// SIGTERM during the conversion: the next process converts what is left.
TEST_F(FirstSchema, AConversionEndsWhenItIsToStop) {
  std::stop_source stop;
  const auto converting = [&](std::int64_t) { stop.request_stop(); };
  const Status stopped =
      MakeLedger(path_, Quick(), {.converting = converting})->Start(stop.get_token());
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, Code::kUnavailable);
  EXPECT_EQ(LeftToMove(*Database::Open(path_, Access::kRead).value()).value(), 3);
  EXPECT_THAT(OpenLedger(path_, Quick()).value()->OpenIntents(), SizeIs(1));
  EXPECT_THAT(History(), SizeIs(3));
}

}  // namespace
}  // namespace ballast::store
