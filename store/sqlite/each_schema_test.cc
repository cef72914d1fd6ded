// Ledgers of every schema, as a program with that schema left them when it was killed: read as they
// are, and taken over with all that they have.
//
// Before a new migration is appended, testdata needs the file of the schema that is the newest
// until then, written by a program with that schema. This test leaves it in BALLAST_LEDGER:
//   BALLAST_LEDGER=ledger build-asan/store/sqlite/store_migration_test
//   --gtest_filter='Present*Read*' sqlite3 ledger .dump, and the PRAGMAs with which the other files
//   begin
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "api/decision/engine_version.h"
#include "store/sqlite/database_schema.h"
#include "store/sqlite/reader.h"
#include "store/sqlite/sqlite.h"
#include "store/sqlite/sqlite_ledger.h"
#include "store/testing/earlier_ledger.h"
#include "store/testing/test_store.h"

namespace ballast::store {
namespace {

using testing::At;
using testing::EvaluationOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kConclusion;
using testing::kWritten;
using testing::Quick;
using testing::Recommended;
using ::testing::SizeIs;

// The schemas that added what the tests look for.
constexpr std::int64_t kSurroundings = 2;
constexpr std::int64_t kTurns = 4;
constexpr std::int64_t kJournal = 5;
constexpr std::int64_t kProcesses = 7;
constexpr std::int64_t kObserved = 8;
constexpr std::int64_t kEdits = 9;
constexpr std::int64_t kSpecs = 10;
constexpr std::int64_t kFallback = 11;
constexpr std::int64_t kSuspicion = 12;
constexpr std::int64_t kIncomplete = 13;

const HistoryQuery kWeb{.key = api::ObjectKey{"shop", "web"}};
const HistoryQuery kFlap{.key = api::ObjectKey{"lab", "flap"}};
const HistoryQuery kPolicies{.until = At(100), .kind = "AutoScalePolicy", .namespace_ = "shop"};
const char* const kSpec = R"({"maxReplicas":20})";

// Of shop/web after its evaluation at that time.
engine::Memory MemoryAt(double seconds) {
  engine::Memory memory = Recommended({{At(seconds), 5}, {At(0), 7}});
  memory.scale_ups = {{At(10), 3}};
  memory.used_samples = {{"Resource/cpu", At(5)}};
  return memory;
}

engine::Memory NewestMemory(double seconds) {
  engine::Memory memory = MemoryAt(seconds);
  memory.no_value_since = At(50);
  memory.suspect_since = At(60);
  return memory;
}

Evaluation Of(const std::string& name, double seconds, std::int32_t current, std::int32_t desired,
              const std::string& reason = "DesiredWithinRange") {
  Evaluation evaluation = EvaluationOf(name, seconds, current, desired, reason);
  evaluation.generation = 4;
  evaluation.readings = {{"Resource/cpu", "Utilization", 48'000, At(seconds - 5)}};
  evaluation.seen = At(seconds + 0.1);
  evaluation.decided = At(seconds + 0.2);
  return evaluation;
}

// What every ledger records. shop/web is scaled from 2 to 5, and stays there; shop/api is about to
// be scaled when the process is killed. The first schema has no more; for what later ones added
// there is a record each.
void Write(Ledger& ledger) {
  ledger.Append(LeaderChanged{"ballast-0", true, At(0)});
  const auto up = ledger.AppendDurably(Intended{Of("web", 10, 2, 5, "ScaleUpLimit")});
  ASSERT_TRUE(up.durable.ok());
  ledger.Append(Concluded{up.id, kWritten, At(11), MemoryAt(10), &kConclusion});
  ledger.Append(PodsReady{"uid-web", At(14)});
  const Subject web = Of("web", 0, 5, 5).subject;
  ledger.Append(Edited{web, {At(24), "spec.maxReplicas", "10", "20", "kubectl", At(23)}});
  ledger.Append(SpecSeen{web, kSpec});
  const auto stay = [&](double seconds) {
    Evaluation evaluation = Of("web", seconds, 5, 5);
    evaluation.incomplete = true;
    ledger.Append(Evaluated{evaluation, NewestMemory(seconds), &kConclusion});
  };
  stay(25);
  // Of another namespace; the last of its runs are one, because there are too many (RunBudget).
  for (int i = 0; i < 14; ++i) {
    Evaluation flap = EvaluationOf("flap", 26 + i, 5, 5, i % 2 == 0 ? "Even" : "Odd");
    flap.subject.key = {"lab", "flap"};
    flap.snapshot = i < 10 ? nullptr : flap.snapshot;
    ledger.Append(Evaluated{flap, Recommended({{flap.time, 5}}), nullptr});
  }
  stay(40);
  stay(55);
  Evaluation hpa = Of("old", 60, 3, 4, "ObservedChange");
  hpa.subject.kind = "HorizontalPodAutoscaler";
  ledger.Append(Observed{hpa, {}});
  stay(70);
  const Evaluation api = Of("api", 90, 3, 6, "ReadyForNewScale");
  ledger.Append(ForeignlyChanged{api.subject, {At(80), 2, 3, "kubectl", At(79)}});
  stay(85);
  ASSERT_TRUE(ledger.AppendDurably(Intended{api}).durable.ok());
  stay(100);
  ASSERT_TRUE(ledger.Flush().ok());
}

class EachSchema : public ::testing::TestWithParam<std::int64_t> {
 protected:
  EachSchema() {
    if (GetParam() < kSchemaVersion) {
      const Status made = testing::MakeEarlierLedger(GetParam(), path_);
      EXPECT_TRUE(made.ok()) << made.error().message;
      return;
    }
    const std::string written = folder_.Path("written");
    const auto ledger =
        OpenLedger(written, Quick(), {.process = Process{At(-5), {"shop"}}}).value();
    Write(*ledger);
    // As a process that is killed now leaves it.
    for (const char* suffix : {"", "-wal"}) {
      std::filesystem::copy(written + suffix, path_ + suffix);
    }
    if (const char* kept = std::getenv("BALLAST_LEDGER")) {
      for (const char* suffix : {"", "-wal"}) {
        std::filesystem::copy(written + suffix, std::string(kept) + suffix,
                              std::filesystem::copy_options::overwrite_existing);
      }
    }
  }

  static bool Since(std::int64_t schema) { return GetParam() >= schema; }
  static std::size_t OneSince(std::int64_t schema) { return Since(schema) ? 1 : 0; }

  // The ledger of schema 2 has runs for two reasons more, and not the last evaluation.
  static bool IsSecond() { return GetParam() == 2; }
  static Time Heartbeat() { return IsSecond() ? At(85) : At(100); }
  static std::size_t Run() { return IsSecond() ? 3 : 1; }  // the open run's place in the history
  static std::size_t Size() { return Run() + 2; }

  std::string Figure(const char* sql) const {
    return Database::Open(path_, Access::kRead).value()->Text(sql).value();
  }

  // What was recorded, by whichever program it is read.
  void ExpectHistory() const {
    const auto reader = Reader::Open(path_).value();
    const auto history = reader->Entries(kPolicies).value();
    ASSERT_THAT(history, SizeIs(Size()));
    EXPECT_EQ(history[0].fate, Fate::kWritten);
    EXPECT_EQ(history[0].concluded, Fate::kWritten);
    EXPECT_EQ(history[0].settled, At(11));
    EXPECT_EQ(history[1].time, At(25));
    EXPECT_EQ(history[Run()].until, Heartbeat());
    EXPECT_FALSE(history[Run()].evaluations);
    EXPECT_EQ(history[Run() + 1].subject.key.Print(), "shop/api");
    for (const Entry& entry : history) {
      EXPECT_EQ(entry.engine > 0, Since(kProcesses));
    }

    const auto first = reader->Look(kWeb, At(20)).value();
    EXPECT_THAT(first.documents.snapshot, HasSubstr(R"("name":"web")"));
    EXPECT_THAT(first.documents.conclusion, Not(IsEmpty()));
    EXPECT_EQ(first.next->time, At(25));
    ASSERT_EQ(first.timeline.has_value(), Since(kSurroundings));
    if (first.timeline) {
      EXPECT_EQ(first.timeline->written, At(11));
      EXPECT_EQ(first.timeline->ready, At(14));
    }
    EXPECT_THAT(reader->ForeignChanges({.until = At(100)}).value(),
                SizeIs(OneSince(kSurroundings)));

    const auto flaps = reader->Entries(kFlap).value();
    EXPECT_THAT(flaps, SizeIs(Since(kTurns) ? 11 : 0));
    if (!flaps.empty()) {
      const auto turns = reader->Turns(flaps.back()).value();
      ASSERT_THAT(turns, SizeIs(1));
      EXPECT_EQ(turns[0].time, At(26 + 11));
      EXPECT_EQ(turns[0].reason, "Odd");
      EXPECT_THAT(turns[0].documents.snapshot, HasSubstr(R"("name":"flap")"));
    }
    if (Since(kJournal)) {
      for (const double seconds : {25, 70, 85, 100}) {
        const auto point = reader->Look(kWeb, At(seconds)).value().point;
        ASSERT_TRUE(point);
        EXPECT_EQ(point->time, At(seconds));
        ASSERT_THAT(point->readings, SizeIs(1));
        EXPECT_EQ(point->readings[0].milli, 48'000);
      }
    }
    EXPECT_THAT(reader->Entries({.until = At(100), .kind = "HorizontalPodAutoscaler"}).value(),
                SizeIs(OneSince(kObserved)));
    const auto edits = reader->Edits({.until = At(100)}).value();
    ASSERT_THAT(edits, SizeIs(OneSince(kEdits)));
    if (!edits.empty()) {
      EXPECT_EQ(edits[0].decision, history[1].id);
    }
    std::size_t visited = 0;
    const auto visit = [&](const Entry&, const Documents&) -> Status {
      ++visited;
      return Done{};
    };
    EXPECT_TRUE(reader->ForEach(kPolicies, visit).ok());
    EXPECT_EQ(visited, Size());
  }

  const testing::Folder folder_;
  const std::string path_ = folder_.Path("db");
};

TEST_P(EachSchema, IsReadAsItIs) {
  ASSERT_NO_FATAL_FAILURE(ExpectHistory());
  const auto reader = Reader::Open(path_).value();
  const auto history = reader->Entries(kPolicies).value();
  EXPECT_TRUE(history[Run()].open);
  EXPECT_EQ(history[Run() + 1].fate, Fate::kIntended);
  // No process is on record in earlier ones, so it is not known when one ran.
  const auto pause = reader->Explain(&history[0].subject, At(101), At(200)).value();
  EXPECT_FALSE(pause.leader);
  EXPECT_FALSE(pause.delay);
  EXPECT_FALSE(pause.unserved);
  EXPECT_EQ(Figure("PRAGMA user_version"), std::to_string(GetParam()));
}

TEST_P(EachSchema, IsTakenOverWithAllThatItHas) {
  {
    const auto ledger =
        OpenLedger(path_, Quick(), {.process = Process{At(190), {"shop", "blog"}}}).value();
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
    const auto after_heartbeat = [](double seconds) {
      return Heartbeat() + Duration::Milliseconds(static_cast<std::int64_t>(seconds * 1'000));
    };
    engine::Memory memory = MemoryAt(0);
    memory.recommendations[0].time = after_heartbeat(15 + 5);
    if (Since(kFallback)) {
      memory.no_value_since = At(50);
    }
    if (Since(kSuspicion)) {
      memory.suspect_since = At(60);
    }
    EXPECT_EQ(web->memory, memory);
    EXPECT_EQ(web->incomplete, Since(kIncomplete));
    EXPECT_EQ(web->last_evaluation, Since(kJournal) ? Heartbeat() : after_heartbeat(-2 * 15 - 0.5));
    EXPECT_EQ(web->replicas, 5);
    EXPECT_EQ(web->last_write->to, 5);
    EXPECT_EQ(ledger->SpecOf("uid-web"), Since(kSpecs) ? kSpec : "");

    // The present program goes on, also with what only later schemas can store.
    ledger->Append(
        Concluded{open[0].id, {engine::Outcome::Kind::kUnknown, "?"}, At(205), {}, nullptr});
    ledger->Append(Resolved{open[0].id, kWritten, At(210)});
    Evaluation evaluation = Of("web", 210, 5, 5);
    ledger->Append(Evaluated{evaluation, memory, nullptr});
    ledger->Append(ForeignlyChanged{evaluation.subject, {At(211), 5, 9, "helm", At(211)}});
    ledger->Append(Edited{evaluation.subject, {At(211), "spec.minReplicas", "", "2", "helm", {}}});
    ledger->Append(LeaderChanged{"ballast-1", true, At(200)});
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
  ASSERT_THAT(history, SizeIs(Size() + 1));
  EXPECT_FALSE(history[Run()].open);
  EXPECT_EQ(history[Run() + 1].fate, Fate::kWritten);
  EXPECT_EQ(history[Run() + 1].concluded, Fate::kUnknown);
  EXPECT_EQ(history.back().time, At(210));
  EXPECT_EQ(history.back().engine, engine::kEngineVersion);
  EXPECT_THAT(reader->ForeignChanges({}).value(), SizeIs(OneSince(kSurroundings) + 1));
  EXPECT_THAT(reader->Edits({}).value(), SizeIs(OneSince(kEdits) + 1));
  EXPECT_EQ(Figure("SELECT namespaces || ' ' || ((started - found) / 1000000000) FROM processes"
                   " ORDER BY id DESC"),
            IsSecond() ? "shop,blog 105" : "shop,blog 90");
  EXPECT_EQ(Figure("SELECT group_concat(leader) FROM leaders"),
            Since(kSurroundings) ? "ballast-0,ballast-1" : "ballast-1");
  EXPECT_EQ(Figure("SELECT count(*) || ' ' || count(ready_ms) FROM scalings WHERE kind ="
                   " 'AutoScalePolicy'"),
            Since(kSurroundings) ? "2 1" : "2 0");
}

INSTANTIATE_TEST_SUITE_P(Earlier, EachSchema, ::testing::Range(std::int64_t{1}, kSchemaVersion));
INSTANTIATE_TEST_SUITE_P(Present, EachSchema, ::testing::Values(kSchemaVersion));

}  // namespace
}  // namespace ballast::store
