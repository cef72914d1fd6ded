// Files of earlier versions: read as they are, and migrated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "api/decision/engine_version.h"
#include "store/sqlite/database_schema.h"
#include "store/sqlite/migration.h"
#include "store/sqlite/reader.h"
#include "store/sqlite/sqlite.h"
#include "store/sqlite/sqlite_ledger.h"
#include "store/testing/test_store.h"

namespace ballast::store {
namespace {

using testing::At;
using testing::EvaluationOf;
using ::testing::IsEmpty;
using testing::kWritten;
using testing::Quick;
using testing::Recommended;
using ::testing::SizeIs;

// The store of testdata/schema-1.sql, as its operator left it when it was killed.
class FirstSchema : public ::testing::Test {
 protected:
  FirstSchema() {
    const char* folder = std::getenv("BALLAST_TEST_DATA");
    std::ifstream file(std::filesystem::path(folder == nullptr ? "." : folder) / "schema-1.sql");
    const std::string sql{std::istreambuf_iterator<char>(file), {}};
    EXPECT_FALSE(sql.empty());
    const auto database = Database::Open(path_, Access::kWrite).value();
    const Status made = database->Execute(sql);
    EXPECT_TRUE(made.ok()) << made.error().message;
  }

  std::string Figure(const char* sql) const {
    return Database::Open(path_, Access::kRead).value()->Text(sql).value();
  }
  std::vector<Entry> History() const { return (*Reader::Open(path_))->Entries({}).value(); }

  const testing::Folder folder_;
  const std::string path_ = folder_.Path("db");
};

TEST_F(FirstSchema, IsReadAsItIs) {
  const auto reader = Reader::Open(path_).value();
  const auto history = reader->Entries({}).value();
  ASSERT_THAT(history, SizeIs(3));
  EXPECT_EQ(history[0].fate, Fate::kWritten);
  EXPECT_EQ(history[0].settled, At(11));
  EXPECT_TRUE(history[1].open);
  EXPECT_EQ(history[1].until, At(100));
  EXPECT_EQ(history[2].subject.key.Print(), "shop/api");

  const auto seen = reader->Look({.key = api::ObjectKey{"shop", "web"}}, At(20)).value();
  EXPECT_EQ(seen.documents.snapshot, R"({"name":"web"})");
  EXPECT_EQ(seen.documents.conclusion, "{}");
  EXPECT_EQ(seen.next->id, 2);
  EXPECT_FALSE(seen.timeline);
  EXPECT_FALSE(seen.point);
  EXPECT_THAT(reader->ForeignChanges({}).value(), IsEmpty());
  EXPECT_THAT(reader->Edits({}).value(), IsEmpty());
  EXPECT_THAT(seen.edits, IsEmpty());
  EXPECT_EQ(history[0].engine, 0);
  EXPECT_EQ(history[0].concluded, Fate::kWritten);
  const auto pause = reader->Explain(&history[0].subject, At(0), At(100)).value();
  EXPECT_FALSE(pause.leader);
  EXPECT_FALSE(pause.delay);
  EXPECT_FALSE(pause.unserved);
  EXPECT_EQ(pause.down, Duration{});
  std::size_t visited = 0;
  EXPECT_TRUE(reader
                  ->ForEach({},
                            [&](const Entry&, const Documents&) -> Status {
                              ++visited;
                              return Done{};
                            })
                  .ok());
  EXPECT_EQ(visited, 3U);
  EXPECT_EQ(Figure("PRAGMA user_version"), "1");
}

TEST_F(FirstSchema, IsTakenOverWithAllThatItHas) {
  {
    const auto ledger =
        OpenLedger(path_, Quick(), {.process = Process{At(190), {"shop", "blog"}}}).value();
    EXPECT_EQ(ledger->health().set_aside, "");
    const auto open = ledger->OpenIntents();
    ASSERT_THAT(open, SizeIs(1));
    EXPECT_EQ(open[0].id, 3);
    EXPECT_EQ(open[0].snapshot, R"({"name":"api"})");
    const auto web = ledger->Recall("uid-web", At(200));
    ASSERT_TRUE(web);
    // As after any kill: the heartbeat was at 100 s, and the period is 15 s.
    engine::Memory memory = Recommended({{At(100 + 15 + 5), 5}, {At(0), 7}});
    memory.scale_ups = {{At(10), 3}};
    memory.used_samples = {{"Resource/cpu", At(5)}};
    EXPECT_EQ(web->memory, memory);
    EXPECT_EQ(web->last_evaluation, At(100 - 2 * 15 - 0.5));
    EXPECT_EQ(web->replicas, 5);
    EXPECT_EQ(web->last_write->to, 5);

    // Records that only later schemas can store.
    ledger->Append(Concluded{3, {engine::Outcome::Kind::kUnknown, "?"}, At(205), {}, nullptr});
    ledger->Append(Resolved{3, kWritten, At(210)});
    auto evaluation = EvaluationOf("web", 210, 5, 5);
    evaluation.generation = 4;
    evaluation.readings = {{"Resource/cpu", "Utilization", 48'000, At(205)}};
    ledger->Append(Evaluated{evaluation, memory, nullptr});
    ledger->Append(ForeignlyChanged{evaluation.subject, {At(211), 5, 9, "kubectl", At(211)}});
    ledger->Append(Edited{evaluation.subject, {At(211), "spec.minReplicas", "", "2", "helm", {}}});
    ledger->Append(LeaderChanged{"ballast-0", true, At(200)});
  }
  EXPECT_EQ(Figure("PRAGMA integrity_check"), "ok");
  const auto history = History();
  ASSERT_THAT(history, SizeIs(4));
  EXPECT_EQ(history[1].until, At(100));
  EXPECT_FALSE(history[1].open);
  EXPECT_FALSE(history[1].evaluations);
  EXPECT_EQ(history[2].fate, Fate::kWritten);
  EXPECT_EQ(history[2].concluded, Fate::kUnknown);
  EXPECT_EQ(history[2].engine, 0);
  EXPECT_EQ(history[3].engine, engine::kEngineVersion);
  EXPECT_EQ(Figure("SELECT namespaces || ' ' || ((started - found) / 1000000000) FROM processes"),
            "shop,blog 90");
  EXPECT_EQ(Figure("SELECT count(*) || ' ' || sum(generation) FROM decisions"), "4 4");
  EXPECT_EQ(Figure("SELECT count(*) || ' ' || sum(evaluations) FROM tracks"), "1 1");
  EXPECT_EQ(Figure("SELECT count(*) FROM extremes"), "1");
  EXPECT_EQ(Figure("SELECT manager FROM changes_by_others"), "kubectl");
  EXPECT_EQ(Figure("SELECT field || before || ' ' || after || ' ' || manager FROM edits"),
            "spec.minReplicas 2 helm");
  EXPECT_EQ(Figure("SELECT leader FROM leaders"), "ballast-0");
  // Rows that referred to the old decisions still do.
  EXPECT_EQ(Figure("SELECT count(*) FROM pragma_foreign_key_check"), "0");
  const auto database = Database::Open(path_, Access::kWrite).value();
  EXPECT_FALSE(database->Execute("DELETE FROM decisions WHERE id = 1").ok());
  // The old scale events have no timeline.
  EXPECT_EQ(Figure("SELECT count(*) || ' ' || count(ready_ms) FROM scalings"), "2 0");
}

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

// A file of the version before edits were recorded.
TEST(Migration, AddsEditsSpecsFallbacksAndSuspicions) {
  const testing::Folder folder;
  const std::string path = folder.Path("db");
  const auto record = [&](const Record& one) { OpenLedger(path, Quick()).value()->Append(one); };
  record(Evaluated{EvaluationOf("web", 0, 5, 5), {}, nullptr});
  ASSERT_TRUE(Database::Open(path, Access::kWrite)
                  .value()
                  ->Execute("DROP VIEW edits; DROP TABLE changed_fields; DROP TABLE specs;"
                            " ALTER TABLE autoscalers DROP COLUMN no_value_since;"
                            " ALTER TABLE autoscalers DROP COLUMN suspect_since;"
                            " PRAGMA user_version = 8")
                  .ok());
  const HistoryQuery web{.key = api::ObjectKey{"shop", "web"}};
  EXPECT_THAT((*Reader::Open(path))->Edits(web).value(), IsEmpty());
  EXPECT_THAT((*Reader::Open(path))->Look(web, At(1)).value().edits, IsEmpty());
  const Subject subject = EvaluationOf("web", 0, 5, 5).subject;
  record(Edited{subject, {At(9), "spec.mode", "", "DryRun", "", {}}});
  record(SpecSeen{subject, "{}"});
  EXPECT_THAT((*Reader::Open(path))->Edits(web).value(), SizeIs(1));
  EXPECT_THAT((*Reader::Open(path))->Entries(web).value(), SizeIs(1));
  EXPECT_EQ(OpenLedger(path, Quick()).value()->SpecOf(subject.uid), "{}");
}

}  // namespace
}  // namespace ballast::store
