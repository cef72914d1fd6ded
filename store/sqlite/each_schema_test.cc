// Ledgers of every schema since the first release, as a program with that schema left them when it
// was killed: read as they are, and taken over with all that they have.
//
// The present schema's ledger is made anew until it is released; then it is never changed again,
// because files like it exist. This test leaves it in BALLAST_LEDGER:
//   BALLAST_LEDGER=ledger build/store/sqlite/store_schema_test --gtest_filter='Present*Read*'
//   sqlite3 ledger .dump, and before it the PRAGMAs with which the other files begin
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "api/decision/engine_version.h"
#include "store/sqlite/database_schema.h"
#include "store/sqlite/reader.h"
#include "store/sqlite/sqlite.h"
#include "store/testing/open_ledger.h"
#include "store/testing/test_store.h"

namespace ballast::store {
namespace {

using testing::At;
using testing::EvaluationOf;
using testing::Everything;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kConclusion;
using testing::kWritten;
using testing::Quick;
using testing::Recommended;
using ::testing::SizeIs;

// Instead of a schema: the ledger that this program leaves.
constexpr std::int64_t kNow = 0;

const HistoryQuery kWeb{.key = api::ObjectKey{"shop", "web"}};
const HistoryQuery kFlap{.key = api::ObjectKey{"lab", "flap"}};
const HistoryQuery kPolicies{.until = At(100), .kind = "AutoScalePolicy", .namespace_ = "shop"};
const char* const kSpec = R"({"maxReplicas":20})";

// Of shop/web after its evaluation at that time.
engine::Memory MemoryAt(double seconds) {
  engine::Memory memory = Recommended({{At(seconds), 5}, {At(0), 7}});
  memory.scale_ups = {{At(10), 3}};
  memory.used_samples = {{"Resource/cpu", At(5)}};
  memory.no_value_since = At(50);
  memory.suspect_since = At(60);
  memory.target = "d1";
  return memory;
}

EvaluationRecord Of(const std::string& name, double seconds, std::int32_t current,
                    std::int32_t desired, const std::string& reason = "DesiredWithinRange") {
  EvaluationRecord evaluation = EvaluationOf(name, seconds, current, desired, reason);
  evaluation.generation = 4;
  evaluation.readings = {{"Resource/cpu", "Utilization", 48'000, At(seconds - 5)}};
  evaluation.seen = At(seconds + 0.1);
  evaluation.decided = At(seconds + 0.2);
  return evaluation;
}

// What every ledger records. shop/web is scaled from 2 to 5, and stays there; shop/api is about to
// be scaled when the process is killed.
void Write(Ledger& ledger) {
  ledger.Append(TermSeen{"ballast-0", true, At(0)});
  const auto up = ledger.AppendDurably(Intended{Of("web", 10, 2, 5, "ScaleUpLimit")});
  ASSERT_TRUE(up.durable.ok());
  ledger.Append(Concluded{up.id, kWritten, At(11), MemoryAt(10), &kConclusion});
  ledger.Append(PodsReady{"uid-web", At(14)});
  const Subject web = Of("web", 0, 5, 5).subject;
  ledger.Append(EditSeen{web, {At(24), "spec.maxReplicas", "10", "20", "kubectl", At(23)}});
  ledger.Append(SpecSeen{web, kSpec});
  const auto stay = [&](double seconds) {
    EvaluationRecord evaluation = Of("web", seconds, 5, 5);
    evaluation.incomplete = true;
    ledger.Append(Evaluated{evaluation, MemoryAt(seconds), &kConclusion});
  };
  stay(25);
  // Of another namespace; the last of its runs are one, because there are too many (RunBudget).
  for (int i = 0; i < 14; ++i) {
    EvaluationRecord flap = EvaluationOf("flap", 26 + i, 5, 5, i % 2 == 0 ? "Even" : "Odd");
    flap.subject.key = {"lab", "flap"};
    flap.snapshot = i < 10 ? nullptr : flap.snapshot;
    ledger.Append(Evaluated{flap, Recommended({{flap.time, 5}}), nullptr});
  }
  stay(40);
  stay(55);
  EvaluationRecord hpa = Of("old", 60, 3, 4, "ObservedChange");
  hpa.subject.kind = "HorizontalPodAutoscaler";
  ledger.Append(Observed{hpa, {}});
  stay(70);
  const EvaluationRecord api = Of("api", 90, 3, 6, "ReadyForNewScale");
  ledger.Append(ForeignChangeSeen{api.subject, {At(80), 2, 3, "kubectl", At(79)}});
  stay(85);
  ASSERT_TRUE(ledger.AppendDurably(Intended{api}).durable.ok());
  stay(100);
  ASSERT_TRUE(ledger.Flush().ok());
}

class EachSchema : public ::testing::TestWithParam<std::int64_t> {
 protected:
  EachSchema() {
    if (GetParam() != kNow) {
      MakeFromFile();
      return;
    }
    const std::string written = folder_.Path("written");
    const auto ledger =
        testing::OpenLedger(written, Quick(), {.process = Process{At(-5), {"shop"}}}).value();
    Write(*ledger);
    // As a process that is killed now leaves it.
    Copy(written, path_);
    if (const char* kept = std::getenv("BALLAST_LEDGER")) {
      Copy(written, kept);
    }
  }

  // The database of testdata/schema-N.sql.
  void MakeFromFile() const {
    const char* data = std::getenv("BALLAST_TEST_DATA");
    std::ifstream file(std::filesystem::path(data == nullptr ? "." : data) /
                       ("schema-" + std::to_string(GetParam()) + ".sql"));
    const std::string sql{std::istreambuf_iterator<char>(file), {}};
    ASSERT_THAT(sql, HasSubstr("CREATE TABLE"));
    ASSERT_TRUE(Database::Open(path_, Access::kWrite).value()->Execute(sql).ok());
  }

  static void Copy(const std::string& from, const std::string& to) {
    for (const char* suffix : {"", "-wal"}) {
      std::filesystem::copy(from + suffix, to + suffix,
                            std::filesystem::copy_options::overwrite_existing);
    }
  }

  std::string Figure(const char* sql) const {
    return Database::Open(path_, Access::kRead).value()->Text(sql).value();
  }

  // What was recorded, by whichever program it is read.
  void ExpectHistory() const {
    const auto reader = Reader::Open(path_).value();
    const auto history = reader->Entries(kPolicies).value();
    ASSERT_THAT(history, SizeIs(3));
    EXPECT_EQ(history[0].disposition, Disposition::kWritten);
    EXPECT_EQ(history[0].concluded, Disposition::kWritten);
    EXPECT_EQ(history[0].settled, At(11));
    EXPECT_EQ(history[1].time, At(25));
    EXPECT_EQ(history[1].until, At(100));
    EXPECT_FALSE(history[1].evaluations);
    EXPECT_EQ(history[2].subject.key.Print(), "shop/api");
    for (const Entry& entry : history) {
      EXPECT_GT(entry.engine, 0);
    }

    const auto first = reader->Look(kWeb, At(20)).value();
    EXPECT_THAT(first.documents.snapshot, HasSubstr(R"("name":"web")"));
    EXPECT_THAT(first.documents.conclusion, Not(IsEmpty()));
    EXPECT_EQ(first.next->time, At(25));
    ASSERT_TRUE(first.timeline);
    EXPECT_EQ(first.timeline->written, At(11));
    EXPECT_EQ(first.timeline->ready, At(14));
    EXPECT_THAT(reader->ForeignChanges({.until = At(100)}).value(), SizeIs(1));

    const auto flaps = reader->Entries(kFlap).value();
    ASSERT_THAT(flaps, SizeIs(11));
    const auto reasons = Everything(*reader, kFlap).back().reasons;
    ASSERT_THAT(reasons, SizeIs(1));
    EXPECT_EQ(reasons[0].time, At(26 + 11));
    EXPECT_EQ(reasons[0].reason, "Odd");
    EXPECT_THAT(reasons[0].documents.snapshot, HasSubstr(R"("name":"flap")"));
    for (const double seconds : {25, 70, 85, 100}) {
      const auto point = reader->Look(kWeb, At(seconds)).value().point;
      ASSERT_TRUE(point);
      EXPECT_EQ(point->time, At(seconds));
      ASSERT_THAT(point->readings, SizeIs(1));
      EXPECT_EQ(point->readings[0].milli, 48'000);
    }
    EXPECT_THAT(reader->Entries({.until = At(100), .kind = "HorizontalPodAutoscaler"}).value(),
                SizeIs(1));
    const auto edits = reader->Edits({.until = At(100)}).value();
    ASSERT_THAT(edits, SizeIs(1));
    EXPECT_EQ(edits[0].decision, history[1].id);
    EXPECT_THAT(Everything(*reader, kPolicies), SizeIs(history.size()));
  }

  const testing::Folder folder_;
  const std::string path_ = folder_.Path("db");
};

TEST_P(EachSchema, IsReadAsItIs) {
  ASSERT_NO_FATAL_FAILURE(ExpectHistory());
  const auto reader = Reader::Open(path_).value();
  const auto history = reader->Entries(kPolicies).value();
  EXPECT_TRUE(history[1].open);
  EXPECT_EQ(history[2].disposition, Disposition::kIntended);
  const auto pause = reader->Explain(&history[0].subject, At(101), At(200)).value();
  EXPECT_FALSE(pause.leader);
  EXPECT_FALSE(pause.delay);
  EXPECT_FALSE(pause.unserved);
  const std::int64_t schema = GetParam() == kNow ? kSchemaVersion : GetParam();
  EXPECT_EQ(Figure("PRAGMA user_version"), std::to_string(schema));
  // Nobody may edit a migration that made files.
  const auto made = Database::Open(folder_.Path("made"), Access::kWrite).value();
  ASSERT_TRUE(Migrate(*made, kMigrations.first(static_cast<std::size_t>(schema))).ok());
  constexpr char kTables[] =
      "SELECT group_concat(sql, ';') FROM (SELECT sql FROM sqlite_schema WHERE type <> 'view'"
      " AND sql IS NOT NULL ORDER BY type, name)";
  EXPECT_EQ(Figure(kTables), made->Text(kTables).value());
}

TEST_P(EachSchema, IsTakenOverWithAllThatItHas) {
  {
    const auto ledger =
        testing::OpenLedger(path_, Quick(), {.process = Process{At(190), {"shop", "blog"}}})
            .value();
    EXPECT_EQ(ledger->health().set_aside, "");
    const auto open = ledger->OpenIntents();
    ASSERT_THAT(open, SizeIs(1));
    EXPECT_EQ(open[0].subject.key.Print(), "shop/api");
    EXPECT_EQ(open[0].from, 3);
    EXPECT_EQ(open[0].to, 6);
    EXPECT_THAT(open[0].snapshot, HasSubstr(R"("name":"api")"));
    const auto web = ledger->Recall("uid-web", At(200));
    ASSERT_TRUE(web);
    // As after any kill; the period is 15 s.
    engine::Memory memory = MemoryAt(100 + 15 + 5);
    EXPECT_EQ(web->memory, memory);
    EXPECT_TRUE(web->incomplete);
    EXPECT_EQ(web->last_evaluation, At(100));
    EXPECT_EQ(web->replicas, 5);
    EXPECT_EQ(web->last_write->to, 5);
    EXPECT_EQ(ledger->SpecOf("uid-web"), kSpec);

    // The present program goes on.
    ledger->Append(
        Concluded{open[0].id, {engine::Outcome::Kind::kUnknown, "?"}, At(205), {}, nullptr});
    ledger->Append(Resolved{open[0].id, kWritten, At(210)});
    EvaluationRecord evaluation = Of("web", 210, 5, 5);
    ledger->Append(Evaluated{evaluation, memory, nullptr});
    ledger->Append(ForeignChangeSeen{evaluation.subject, {At(211), 5, 9, "helm", At(211)}});
    ledger->Append(
        EditSeen{evaluation.subject, {At(211), "spec.minReplicas", "", "2", "helm", {}}});
    ledger->Append(TermSeen{"ballast-1", true, At(200)});
  }
  EXPECT_EQ(Figure("PRAGMA user_version"), std::to_string(kSchemaVersion));
  EXPECT_EQ(Figure("PRAGMA integrity_check"), "ok");
  // Rows that referred to the old decisions still do.
  EXPECT_EQ(Figure("SELECT count(*) FROM pragma_foreign_key_check"), "0");
  EXPECT_FALSE(Database::Open(path_, Access::kWrite)
                   .value()
                   ->Execute("DELETE FROM decisions WHERE id = 1")
                   .ok());

  ASSERT_NO_FATAL_FAILURE(ExpectHistory());
  const auto reader = Reader::Open(path_).value();
  const auto history = reader->Entries({.kind = "AutoScalePolicy", .namespace_ = "shop"}).value();
  ASSERT_THAT(history, SizeIs(4));
  EXPECT_FALSE(history[1].open);
  EXPECT_EQ(history[2].disposition, Disposition::kWritten);
  EXPECT_EQ(history[2].concluded, Disposition::kUnknown);
  EXPECT_EQ(history.back().time, At(210));
  EXPECT_EQ(history.back().engine, engine::kEngineVersion);
  EXPECT_THAT(reader->ForeignChanges({}).value(), SizeIs(2));
  EXPECT_THAT(reader->Edits({}).value(), SizeIs(2));
  EXPECT_EQ(Figure("SELECT namespaces || ' ' || ((started - found) / 1000000000) FROM processes"
                   " ORDER BY id DESC"),
            "shop,blog 90");
  EXPECT_EQ(Figure("SELECT group_concat(leader) FROM terms_utc"), "ballast-0,ballast-1");
  EXPECT_EQ(Figure("SELECT count(*) || ' ' || count(ready_ms) FROM timelines_utc WHERE kind ="
                   " 'AutoScalePolicy'"),
            "2 1");
}

INSTANTIATE_TEST_SUITE_P(Released, EachSchema,
                         ::testing::Range(std::int64_t{1}, kSchemaVersion + 1));
INSTANTIATE_TEST_SUITE_P(Present, EachSchema, ::testing::Values(kNow));

}  // namespace
}  // namespace ballast::store
