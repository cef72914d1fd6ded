#include "store/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "api/decision/engine_version.h"
#include "store/backend.h"
#include "store/in_memory/in_memory_backend.h"
#include "store/sqlite/reader.h"
#include "store/sqlite/sqlite.h"
#include "store/testing/failing_vfs.h"
#include "store/testing/open_ledger.h"
#include "store/testing/test_store.h"

namespace ballast::store {
namespace {

using testing::At;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using testing::EvaluationOf;
using testing::FailingVfs;
using testing::Folder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kConclusion;
using testing::kWritten;
using testing::Quick;
using testing::Recommended;
using ::testing::SizeIs;

std::unique_ptr<Ledger> Opened(const std::string& path, const LedgerOptions& options = Quick()) {
  auto ledger = testing::OpenLedger(path, options);
  EXPECT_TRUE(ledger.ok()) << ledger.error().message;
  return std::move(ledger).value();
}

std::vector<Entry> HistoryOf(const std::string& path, const HistoryQuery& query = {}) {
  auto reader = Reader::Open(path);
  EXPECT_TRUE(reader.ok()) << reader.error().message;
  auto entries = (*reader)->Entries(query);
  EXPECT_TRUE(entries.ok()) << entries.error().message;
  return std::move(entries).value();
}

// A value of the database that Reader does not return.
std::string Figure(const std::string& path, const char* sql) {
  return Database::Open(path, Access::kRead).value()->Text(sql).value();
}

engine::Memory ScaledUp(double seconds, std::int32_t to, std::int32_t change) {
  engine::Memory memory = Recommended({{At(seconds), to}});
  memory.scale_ups = {{At(seconds), change}};
  return memory;
}

TEST(Ledger, KeepsAnIntentItsOutcomeAndTheMemory) {
  const Folder folder;
  const std::string path = folder.Path("db");
  const auto memory = ScaledUp(0, 5, 3);
  DecisionId id = 0;
  {
    auto ledger = Opened(path);
    EXPECT_FALSE(ledger->Recall("uid-web", At(0)));
    const auto intent = ledger->AppendDurably(Intended{EvaluationOf("web", 0, 2, 5, "ScaleUp")});
    EXPECT_TRUE(intent.durable.ok());
    id = intent.id;
    EXPECT_THAT(HistoryOf(path), SizeIs(1));  // a Reader returns it at once
    EXPECT_EQ(HistoryOf(path)[0].disposition, Disposition::kIntended);
    EXPECT_FALSE(ledger->Recall("uid-web", At(0)));
    ledger->Append(Concluded{id, kWritten, At(1), memory, &kConclusion});
    EXPECT_EQ(ledger->Recall("uid-web", At(1))->memory, memory);
  }
  auto ledger = Opened(path);
  EXPECT_THAT(ledger->OpenIntents(), IsEmpty());
  EXPECT_EQ(ledger->Recall("uid-web", At(1))->memory, memory);
  EXPECT_EQ(ledger->Recall("uid-web", At(1))->last_evaluation, At(0));
  const auto history = HistoryOf(path);
  ASSERT_THAT(history, SizeIs(1));
  EXPECT_EQ(history[0].id, id);
  EXPECT_EQ(history[0].current_replicas, 2);
  EXPECT_EQ(history[0].desired_replicas, 5);
  EXPECT_EQ(history[0].reason, "ScaleUp");
  EXPECT_EQ(history[0].disposition, Disposition::kWritten);
  EXPECT_EQ(history[0].settled, At(1));
  EXPECT_GT(ledger->AppendDurably(Intended{EvaluationOf("web", 15, 5, 6)}).id, id);
}

TEST(Ledger, EqualEvaluationsAreOneRun) {
  const Folder folder;
  const std::string path = folder.Path("db");
  {
    auto ledger = Opened(path);
    const auto evaluate = [&](double seconds, const std::string& reason, bool is_kept) {
      const EvaluationRecord evaluation = EvaluationOf("web", seconds, 5, 5, reason);
      EXPECT_EQ(ledger->KeepsDocuments(evaluation), is_kept) << seconds;
      ledger->Append(Evaluated{evaluation, Recommended({{At(seconds), 5}}), &kConclusion});
    };
    evaluate(0, "A", true);
    evaluate(15, "A", false);
    evaluate(30, "A", false);
    evaluate(45, "B", true);
    evaluate(1000, "B", true);  // after a long pause: another run
    ASSERT_TRUE(ledger->Flush().ok());
    const auto history = HistoryOf(path);
    ASSERT_THAT(history, SizeIs(3));
    EXPECT_TRUE(history[2].open);
    EXPECT_FALSE(history[2].evaluations);
    // Of the first evaluation of each run.
    EXPECT_EQ(Figure(path, "SELECT count(*) FROM snapshots"), "3");
  }
  const auto history = HistoryOf(path);
  ASSERT_THAT(history, SizeIs(3));
  EXPECT_EQ(history[0].time, At(0));
  EXPECT_EQ(history[0].until, At(30));
  EXPECT_EQ(history[0].evaluations, 3);
  EXPECT_EQ(history[1].evaluations, 1);
  EXPECT_FALSE(history[2].open);
  EXPECT_EQ(history[2].evaluations, 1);

  const auto only = HistoryOf(path, {api::ObjectKey{"shop", "web"}, At(31), At(46)});
  ASSERT_THAT(only, SizeIs(1));
  EXPECT_EQ(only[0].reason, "B");
  EXPECT_THAT(HistoryOf(path, {api::ObjectKey{"shop", "other"}, {}, {}}), IsEmpty());
}

TEST(Ledger, RefusalsAreOnRecordWithWhatStillCountsOfTheMemory) {
  const Folder folder;
  const std::string path = folder.Path("db");
  auto memory = Recommended({{At(0), 5}});
  memory.scale_ups = {{At(0), 2}};
  memory.no_value_since = At(-15);
  engine::Memory counts;
  counts.scale_ups = memory.scale_ups;
  {
    auto ledger = Opened(path);
    ledger->Append(Refused{EvaluationOf("api", 0, 5, 5, "Conflicted")});
    EXPECT_FALSE(ledger->Recall("uid-api", At(0))) << "it was never evaluated";
    ledger->Append(Evaluated{EvaluationOf("web", 0, 5, 5), memory, &kConclusion});
    for (double t = 15; t <= 45; t += 15) {
      ledger->Append(Refused{EvaluationOf("web", t, 5, 5, "Conflicted"), counts});
    }
    EXPECT_EQ(ledger->Recall("uid-web", At(45))->memory, counts);
  }
  const auto history = HistoryOf(path, {api::ObjectKey{"shop", "web"}, {}, {}});
  ASSERT_THAT(history, SizeIs(2));
  EXPECT_EQ(history[1].reason, "Conflicted");
  EXPECT_EQ(history[1].until, At(45));
  EXPECT_EQ(history[1].evaluations, 3);
  // A refusal is no evaluation.
  const auto recalled = Opened(path)->Recall("uid-web", At(60));
  EXPECT_EQ(recalled->last_evaluation, At(0));
  EXPECT_EQ(recalled->memory, counts);
}

TEST(Ledger, ShutdownLeavesExactTimes) {
  const Folder folder;
  {
    auto ledger = Opened(folder.Path("db"));
    for (double t = 0; t <= 150; t += 15) {
      ledger->Append(
          Evaluated{EvaluationOf("web", t, 5, 5), Recommended({{At(t), 5}}), &kConclusion});
    }
    // Another autoscaler is still evaluated. "web" is late, and the heartbeat must not extend it.
    for (double t = 150; t <= 300; t += 15) {
      ledger->Append(
          Evaluated{EvaluationOf("api", t, 3, 3), Recommended({{At(t), 3}}), &kConclusion});
    }
  }
  auto ledger = Opened(folder.Path("db"));
  const auto web = ledger->Recall("uid-web", At(400));
  ASSERT_TRUE(web);
  EXPECT_EQ(web->memory, Recommended({{At(150), 5}}));
  EXPECT_EQ(web->last_evaluation, At(150));
  EXPECT_EQ(ledger->Recall("uid-api", At(400))->last_evaluation, At(300));
}

TEST(Ledger, NoHeartbeatProlongsWhatIsLate) {
  const Folder folder;
  const std::string path = folder.Path("db");
  const auto ledger = Opened(path);
  const auto evaluate = [&](const std::string& name, double seconds, double period) {
    auto evaluation = EvaluationOf(name, seconds, 5, 5);
    evaluation.period = At(period) - At(0);
    ledger->Append(Evaluated{evaluation, Recommended({{At(seconds), 5}}), &kConclusion});
  };
  evaluate("hourly", 0, 3'600);
  evaluate("edited", 0, 3'600);
  evaluate("edited", 10, 1);
  evaluate("late", 0, 15);
  evaluate("in-time", 0, 15);
  evaluate("in-time", 15, 15);
  evaluate("late", 15.7, 15);
  ASSERT_TRUE(ledger->Flush().ok());
  for (double t = 30; t <= 60; t += 15) {
    evaluate("in-time", t, 15);
  }
  ledger->Append(
      TermSeen{"ballast-0", true, At(60)});  // causes a commit, and so writes the heartbeat
  ASSERT_TRUE(ledger->Flush().ok());

  const std::string crashed = folder.Path("crashed");
  std::filesystem::copy(path, crashed);
  std::filesystem::copy(path + "-wal", crashed + "-wal");
  const auto restored = Opened(crashed);
  struct Row {
    const char* name;
    double evaluated;
    double recommended;
  };
  // Autoscalers that are not late may have been evaluated again until shortly after the heartbeat.
  // The journal has the last evaluation.
  for (const Row& row : {Row{"hourly", 0, 60 + 3'600 + 5}, Row{"edited", 10, 10},
                         Row{"late", 15.7, 15.7}, Row{"in-time", 60, 60 + 15 + 5}}) {
    SCOPED_TRACE(row.name);
    const auto recalled = restored->Recall("uid-" + std::string(row.name), At(10'000));
    ASSERT_TRUE(recalled);
    EXPECT_EQ(recalled->last_evaluation, At(row.evaluated));
    EXPECT_EQ(recalled->memory, Recommended({{At(row.recommended), 5}}));
  }
}

TEST(Ledger, OpenIntentsAreSettledOnce) {
  const Folder folder;
  const std::string path = folder.Path("db");
  { EXPECT_TRUE(Opened(path)->AppendDurably(Intended{EvaluationOf("web", 0, 2, 5)}).durable.ok()); }
  {
    auto ledger = Opened(path);
    const auto open = ledger->OpenIntents();
    ASSERT_THAT(open, SizeIs(1));
    EXPECT_EQ(open[0].subject.uid, "uid-web");
    EXPECT_EQ(open[0].subject.key.Print(), "shop/web");
    EXPECT_EQ(open[0].from, 2);
    EXPECT_EQ(open[0].to, 5);
    EXPECT_EQ(open[0].time, At(0));
    EXPECT_EQ(open[0].snapshot, testing::JsonOf(testing::SnapshotOf("web")));
    // Whether it was applied cannot be found out yet.
    ledger->Append(Concluded{
        open[0].id, {engine::Outcome::Kind::kUnknown, "no answer"}, At(9), {}, &kConclusion});
    EXPECT_THAT(ledger->OpenIntents(), SizeIs(1));
  }
  {
    auto ledger = Opened(path);
    const auto open = ledger->OpenIntents();
    ASSERT_THAT(open, SizeIs(1));
    ledger->Append(Concluded{open[0].id, kWritten, At(10), ScaledUp(0, 5, 3), &kConclusion});
    EXPECT_THAT(ledger->OpenIntents(), IsEmpty());
  }
  auto ledger = Opened(path);
  EXPECT_THAT(ledger->OpenIntents(), IsEmpty());
  EXPECT_EQ(ledger->Recall("uid-web", At(20))->memory, ScaledUp(0, 5, 3));
  EXPECT_EQ(HistoryOf(path)[0].disposition, Disposition::kWritten);
}

TEST(Ledger, ForgetsTheMemoryAndKeepsTheHistory) {
  const Folder folder;
  const std::string path = folder.Path("db");
  {
    auto ledger = Opened(path);
    ledger->Append(
        Evaluated{EvaluationOf("web", 0, 5, 5), Recommended({{At(0), 5}}), &kConclusion});
    ledger->Append(Forgotten{"uid-web"});
    EXPECT_FALSE(ledger->Recall("uid-web", At(1)));
    ledger->Append(Forgotten{"uid-unheard-of"});
  }
  EXPECT_FALSE(Opened(path)->Recall("uid-web", At(1)));
  EXPECT_THAT(HistoryOf(path), SizeIs(1));
}

TEST(Ledger, KeepsEveryEvaluationWithItsSamplesAndTheExtremesOfARun) {
  const Folder folder;
  const std::string path = folder.Path("db");
  {
    auto ledger = Opened(path);
    for (int i = 0; i < 100; ++i) {
      auto evaluation = EvaluationOf("web", i * 15, 5, 5);
      evaluation.readings = {{"Resource/cpu", "Utilization", (50 + i % 7) * 1000, At(i * 15 - 4)}};
      ledger->Append(Evaluated{evaluation, Recommended({{At(i * 15), 5}}), &kConclusion});
    }
    ASSERT_TRUE(ledger->Flush().ok());
    // The other evaluations are in the journal.
    EXPECT_EQ(Figure(path, "SELECT sum(evaluations) FROM series"), "84");
  }
  EXPECT_EQ(Figure(path, "SELECT count(*) || ' ' || sum(evaluations) FROM series"), "1 100");
  EXPECT_EQ(Figure(path, "SELECT metric || ' ' || low || ' ' || high FROM ranges"),
            "Resource/cpu 50000 56000");
  EXPECT_EQ(Figure(path, "SELECT count(*) FROM snapshots"), "1");
}

TEST(Ledger, ARunOfSeveralReasonsKeepsTheFirstSnapshotForEach) {
  const Folder folder;
  const std::string path = folder.Path("db");
  const char* reasons[] = {"A", "B", "A", "C"};
  {
    auto ledger = Opened(path);
    for (int i = 0; i < 100; ++i) {
      auto evaluation = EvaluationOf("web", i * 15, 5, 5, reasons[i % 4]);
      evaluation.snapshot = &testing::SnapshotOf("web-" + std::to_string(i));
      ledger->Append(Evaluated{evaluation, Recommended({{At(i * 15), 5}}), &kConclusion});
    }
  }
  const auto reader = Reader::Open(path).value();
  const auto history = reader->Entries({}).value();
  ASSERT_THAT(history, SizeIs(11));  // the RunBudget allows ten runs at once for their reasons
  const Entry& last = history.back();
  EXPECT_EQ(last.evaluations, 90);
  const auto all = testing::Everything(*reader, {});
  const auto& further = all.back().reasons;
  ASSERT_THAT(further, SizeIs(2));
  for (const auto& [entry, n] : {std::pair(further[0], 11), std::pair(further[1], 13)}) {
    EXPECT_EQ(entry.reason, reasons[n % 4]);
    EXPECT_EQ(entry.time, At(n * 15));
    EXPECT_EQ(entry.documents.snapshot,
              testing::JsonOf(testing::SnapshotOf("web-" + std::to_string(n))));
    EXPECT_EQ(entry.documents.conclusion, testing::JsonOf(kConclusion));
    // It explains every evaluation for that reason.
    const auto seen = reader->Look({.key = last.subject.key}, At((n + 40) * 15)).value();
    ASSERT_TRUE(seen.reason);
    EXPECT_EQ(seen.reason->time, entry.time);
  }
  EXPECT_FALSE(reader->Look({.key = last.subject.key}, At(50 * 15)).value().reason);
  EXPECT_THAT(all.front().reasons, IsEmpty());
}

TEST(Ledger, KeepsTheWayOfAScaleEventThroughTimeAlsoAcrossARestart) {
  const Folder folder;
  const std::string path = folder.Path("db");
  {
    auto ledger = Opened(path);
    auto evaluation = EvaluationOf("web", 10, 2, 5);
    evaluation.readings = {{"Resource/cpu", "Utilization", 90'000, At(3)},
                           {"Pods/queue", "AverageValue", 1, At(1)}};
    evaluation.seen = At(10.2);
    evaluation.decided = At(10.3);
    const auto intent = ledger->AppendDurably(Intended{evaluation});
    ledger->Append(PodsReady{"uid-web", At(11)});  // there is no scale event yet
    ledger->Append(Concluded{intent.id, kWritten, At(10.5), ScaledUp(10, 5, 3), &kConclusion});
  }
  {
    auto ledger = Opened(path);
    const auto known = ledger->Recall("uid-web", At(20));
    EXPECT_EQ(known->replicas, 5);
    ASSERT_TRUE(known->last_write);
    EXPECT_EQ(known->last_write->from, 2);
    EXPECT_EQ(known->last_write->to, 5);
    EXPECT_FALSE(known->last_write->ready);
    ledger->Append(PodsReady{"uid-web", At(40)});
    ledger->Append(PodsReady{"uid-web", At(50)});  // only the first one counts
  }
  EXPECT_TRUE(Opened(path)->Recall("uid-web", At(60))->last_write->ready);
  const auto since = [](const char* column) {
    return std::string("((") + column + " - 1800000000000000000) / 100000000)";
  };
  const std::string sql = "SELECT " + since("sampled") + " || ' ' || " + since("seen") +
                          " || ' ' || " + since("decided") + " || ' ' || " + since("written") +
                          " || ' ' || " + since("ready") + " FROM timelines";
  EXPECT_EQ(Figure(path, sql.c_str()), "30 102 103 105 400");
}

TEST(Ledger, TellsWhatWasConcludedOfADispositionThatWasFoundOutLater) {
  const Folder folder;
  const std::string path = folder.Path("db");
  auto ledger = Opened(path);
  const auto id = ledger->AppendDurably(Intended{EvaluationOf("web", 0, 2, 5)}).id;
  ledger->Append(Concluded{
      id, {engine::Outcome::Kind::kUnknown, "timed out"}, At(1), ScaledUp(0, 5, 3), &kConclusion});
  ledger->Append(Resolved{id, {engine::Outcome::Kind::kFailed, "somebody else's"}, At(15)});
  ASSERT_TRUE(ledger->Flush().ok());
  const auto history = HistoryOf(path);
  ASSERT_THAT(history, SizeIs(1));
  EXPECT_EQ(history[0].disposition, Disposition::kFailed);
  EXPECT_EQ(history[0].error, "somebody else's");
  EXPECT_EQ(history[0].concluded, Disposition::kUnknown);
  EXPECT_EQ(history[0].concluded_error, "timed out");
  EXPECT_EQ(history[0].engine, engine::kEngineVersion);
}

// The record that settled it was given up while the disk was full, but the memory was not.
TEST(Ledger, AnOldIntentReplacesNoNewerMemory) {
  FailingVfs disk;
  const Folder folder;
  const std::string path = folder.Path("db");
  LedgerOptions options = Quick();
  options.retry_delay = std::chrono::hours(1);  // only the destructor tries again
  auto ledger = Opened(path, options);
  const auto id = ledger->AppendDurably(Intended{EvaluationOf("web", 0, 2, 5)}).id;
  ASSERT_TRUE(ledger->Flush().ok());
  disk.Fail(1, std::numeric_limits<std::int64_t>::max(), testing::Failing::kSpace);
  ledger->Append(Concluded{id, kWritten, At(1), ScaledUp(0, 5, 3), &kConclusion});
  ASSERT_FALSE(ledger->Flush().ok());
  while (ledger->health().dropped == 0) {
    ledger->Append(TermSeen{"ballast-0", true, At(2)});
  }
  disk.Heal();
  const auto later = Recommended({{At(3'600), 9}});
  ledger->Append(Evaluated{EvaluationOf("web", 3'600, 5, 5), later, &kConclusion});
  ledger.reset();

  ledger = Opened(path);
  ASSERT_THAT(ledger->OpenIntents(), SizeIs(1));
  ledger->Append(Concluded{id, kWritten, At(3'610), ScaledUp(0, 5, 3), &kConclusion});
  EXPECT_THAT(ledger->OpenIntents(), IsEmpty());
  EXPECT_EQ(ledger->Recall("uid-web", At(3'610))->memory, later);
  ASSERT_TRUE(ledger->Flush().ok());
  EXPECT_EQ(HistoryOf(path)[0].disposition, Disposition::kWritten);
}

TEST(Ledger, AnUnknownDispositionCanBeFoundOutLaterButNotByAnOlderOne) {
  const Folder folder;
  const std::string path = folder.Path("db");
  const engine::Outcome unknown{engine::Outcome::Kind::kUnknown, "no answer"};
  DecisionId first = 0;
  DecisionId second = 0;
  {
    auto ledger = Opened(path);
    first = ledger->AppendDurably(Intended{EvaluationOf("web", 0, 2, 5)}).id;
    ledger->Append(Concluded{first, unknown, At(1), ScaledUp(0, 5, 3), &kConclusion});
    EXPECT_FALSE(ledger->Recall("uid-web", At(1))->replicas);
    second = ledger->AppendDurably(Intended{EvaluationOf("web", 15, 5, 6)}).id;
    ledger->Append(Concluded{second, unknown, At(16), ScaledUp(15, 6, 1), &kConclusion});
  }
  {
    auto ledger = Opened(path);
    const auto open = ledger->OpenIntents();
    ASSERT_THAT(open, SizeIs(1));
    EXPECT_EQ(open[0].id, second);
    EXPECT_TRUE(open[0].given_up);
    ledger->Append(Resolved{second, kWritten, At(30)});
    EXPECT_THAT(ledger->OpenIntents(), IsEmpty());
    EXPECT_EQ(ledger->Recall("uid-web", At(30))->replicas, 6);
    EXPECT_EQ(ledger->Recall("uid-web", At(30))->memory, ScaledUp(15, 6, 1));
  }
  const auto history = HistoryOf(path);
  EXPECT_EQ(history[0].disposition, Disposition::kUnknown);
  EXPECT_EQ(history[1].disposition, Disposition::kWritten);
}

TEST(Ledger, KeepsWhoElseChangedReplicasAndWhoLedWhen) {
  const Folder folder;
  const std::string path = folder.Path("db");
  {
    auto ledger = Opened(path);
    ledger->Append(TermSeen{"a", true, At(0)});
    ledger->Append(
        ForeignChangeSeen{EvaluationOf("web", 5, 0, 0).subject, {At(5), 3, 7, "kubectl", At(4)}});
    ledger->Append(
        Evaluated{EvaluationOf("web", 30, 7, 7), Recommended({{At(30), 7}}), &kConclusion});
  }
  {
    auto ledger = Opened(path);
    ledger->Append(TermSeen{"b", false, At(60)});
    ledger->Append(TermSeen{"a", true, At(90)});
  }
  Opened(path);
  EXPECT_EQ(Figure(path, "SELECT before || ' ' || after || ' ' || manager FROM foreign_changes"),
            "3 7 kubectl");
  EXPECT_EQ(
      Figure(path,
             "SELECT group_concat(leader || own || ' ' || ((until - since) / 1000000000), ', ')"
             " FROM terms"),
      "a1 30, b0 30, a1 0");
}

TEST(Ledger, FullDiskDegradesAndHeals) {
  FailingVfs disk;
  const Folder folder;
  const std::string path = folder.Path("db");
  auto ledger = Opened(path);
  double now = 0;
  const auto scale = [&] {
    now += 15;
    const auto intent = ledger->AppendDurably(Intended{EvaluationOf("web", now, 5, 6)});
    ledger->Append(Concluded{intent.id, kWritten, At(now), ScaledUp(now, 6, 1), nullptr});
    return intent.durable;
  };
  ASSERT_TRUE(scale().ok());
  disk.Fail(1, std::numeric_limits<std::int64_t>::max(), testing::Failing::kSpace);
  const Status refused = scale();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::kFull);
  EXPECT_EQ(ledger->health().problem->code, Code::kFull);
  EXPECT_GT(ledger->health().waiting, 0);
  // The ledger continues in memory, and later on disk.
  EXPECT_EQ(ledger->Recall("uid-web", At(now))->memory, ScaledUp(now, 6, 1));
  disk.Heal();
  ledger.reset();
  ledger = Opened(path);
  EXPECT_THAT(HistoryOf(path), SizeIs(2));
  EXPECT_FALSE(ledger->health().problem);
  EXPECT_TRUE(ledger->AppendDurably(Intended{EvaluationOf("web", now, 5, 6)}).durable.ok());
}

// What an operator leaves that ended or was killed: a run, an open intent, and, if it was killed,
// evaluations that only the journal has.
void LeaveAStore(const std::string& path, bool killed) {
  const Folder folder;
  const std::string living = killed ? folder.Path("db") : path;
  auto ledger = Opened(living);
  ledger->Append(Evaluated{EvaluationOf("web", 0, 5, 5), Recommended({{At(0), 5}}), &kConclusion});
  EXPECT_TRUE(ledger->AppendDurably(Intended{EvaluationOf("api", 1, 2, 3)}).durable.ok());
  EXPECT_TRUE(ledger->Flush().ok());
  if (killed) {
    for (const char* suffix : {"", "-wal", "-shm", ".lock"}) {
      std::filesystem::copy_file(living + suffix, path + suffix);
    }
  }
}

struct Start {
  const char* name;
  testing::Failing how;
  bool killed;    // the previous operator
  bool readable;  // the store, on the bad disk
};

class LedgerThatStartsOnABadDisk : public ::testing::TestWithParam<Start> {};

TEST_P(LedgerThatStartsOnABadDisk, ReadsWhatItCanAndUsesTheStoreAsSoonAsItCan) {
  const Start& start = GetParam();
  FailingVfs disk;
  const Folder folder;
  const std::string path = folder.Path("db");
  LeaveAStore(path, start.killed);
  disk.Fail(1, std::numeric_limits<std::int64_t>::max(), start.how);
  auto ledger = Opened(path);
  ASSERT_TRUE(ledger->health().problem);
  EXPECT_EQ(ledger->OpenIntents().size(), start.readable ? 1U : 0U);
  ASSERT_EQ(ledger->Recall("uid-web", At(30)).has_value(), start.readable);
  if (start.readable) {
    EXPECT_EQ(ledger->Recall("uid-web", At(30))->memory.recommendations[0].replicas, 5);
    ledger->Append(
        Concluded{ledger->OpenIntents()[0].id, kWritten, At(30), ScaledUp(1, 3, 1), nullptr});
  }
  ledger->Append(Evaluated{EvaluationOf("web", 30, 5, 5), Recommended({{At(30), 5}, {At(0), 7}}),
                           &kConclusion});
  const auto intent = ledger->AppendDurably(Intended{EvaluationOf("new", 31, 1, 2)});
  EXPECT_FALSE(intent.durable.ok());
  ledger->Append(Concluded{intent.id, kWritten, At(31), ScaledUp(31, 2, 1), &kConclusion});

  disk.Heal();
  while (!ledger->Flush().ok()) {
  }
  EXPECT_FALSE(ledger->health().problem);
  EXPECT_EQ(ledger->health().set_aside, "");
  EXPECT_EQ(ledger->health().dropped, 0);
  ledger.reset();

  const auto history = HistoryOf(path);
  ASSERT_THAT(history, SizeIs(4));
  EXPECT_EQ(history[0].evaluations.has_value(), !start.killed);
  EXPECT_EQ(history[1].disposition,
            start.readable ? Disposition::kWritten : Disposition::kIntended);
  EXPECT_EQ(history[2].time, At(30));
  EXPECT_EQ(history[2].evaluations, 1);
  EXPECT_EQ(history[3].disposition, Disposition::kWritten);
  ledger = Opened(path);
  EXPECT_EQ(ledger->OpenIntents().size(), start.readable ? 0U : 1U);
  EXPECT_EQ(ledger->Recall("uid-web", At(40))->memory, Recommended({{At(30), 5}, {At(0), 7}}));
  EXPECT_EQ(ledger->Recall("uid-new", At(40))->memory, ScaledUp(31, 2, 1));
  EXPECT_GT(ledger->AppendDurably(Intended{EvaluationOf("web", 45, 5, 6)}).id, history[3].id);
  ledger.reset();
  EXPECT_EQ(Database::Open(path, Access::kRead)
                .value()
                ->Integer("SELECT sum(evaluations) FROM series")
                .value(),
            5);
  EXPECT_EQ(Database::Open(path, Access::kRead).value()->Text("PRAGMA integrity_check").value(),
            "ok");
}

INSTANTIATE_TEST_SUITE_P(
    All, LedgerThatStartsOnABadDisk,
    ::testing::Values(Start{"FullAfterAShutdown", testing::Failing::kSpace, false, true},
                      Start{"FullAfterAKill", testing::Failing::kSpace, true, true},
                      Start{"Failing", testing::Failing::kDevice, false, false}),
    [](const auto& start) { return std::string(start.param.name); });

// A volume that is mounted only after the start.
TEST(Ledger, UsesAFolderAsSoonAsItIsThere) {
  const Folder folder;
  const std::string path = folder.Path("volume/db");
  auto ledger = Opened(path);
  EXPECT_EQ(ledger->health().problem->code, Code::kUnavailable);
  EXPECT_FALSE(ledger->AppendDurably(Intended{EvaluationOf("web", 0, 1, 2)}).durable.ok());
  std::filesystem::create_directory(folder.Path("volume"));
  while (!ledger->Flush().ok()) {
  }
  EXPECT_THAT(HistoryOf(path), SizeIs(1));
}

TEST(Ledger, WithoutStoreRemembersAndSaysSo) {
  const Folder folder;
  const std::string path = folder.Path("db");
  ASSERT_TRUE(
      Database::Open(path, Access::kWrite).value()->Execute("PRAGMA application_id = 7").ok());
  const auto ledger = MakeLedger(MakeSqliteBackend(path, {}), {});
  const std::string problem = ledger->Start({}).error().message;
  EXPECT_THAT(problem, HasSubstr("another program's database"));
  const auto intent = ledger->AppendDurably(Intended{EvaluationOf("web", 0, 2, 5)});
  ASSERT_FALSE(intent.durable.ok());
  EXPECT_EQ(intent.durable.error().message, problem);
  ledger->Append(Concluded{intent.id, kWritten, At(1), ScaledUp(0, 5, 3), &kConclusion});
  ledger->Append(Evaluated{EvaluationOf("web", 15, 5, 5), ScaledUp(0, 5, 3), &kConclusion});
  EXPECT_EQ(ledger->Recall("uid-web", At(20))->memory, ScaledUp(0, 5, 3));
  EXPECT_EQ(ledger->health().problem->message, problem);
  EXPECT_FALSE(ledger->Flush().ok());
}

TEST(Ledger, SecondOneIsRefused) {
  const Folder folder;
  const auto first = Opened(folder.Path("db"));
  const auto second = testing::OpenLedger(folder.Path("db"));
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, Code::kConflict);
  EXPECT_THAT(second.error().message,
              HasSubstr("process " + std::to_string(getpid()) + " has this store open"));
}

// A process that was killed holds its lock until it is gone.
TEST(Ledger, WaitsForAProcessThatIsAboutToEnd) {
  const struct {
    const char* name;
    int gone_after;  // attempts to take the lock
    bool opens;
  } kCases[] = {{"soon", 3, true}, {"in time", 200, true}, {"never", 1'000, false}};
  for (const auto& c : kCases) {
    const Folder folder;
    const std::string path = folder.Path("db");
    auto dying = std::optional(FileLock::Take(path).value());
    int looks = 0;
    std::string told;
    SqliteOptions file;
    file.lock_wait = {.limit = std::chrono::seconds(10),
                      .waiting = [&](const std::string& pid) { told += pid; },
                      .pause =
                          [&](std::chrono::milliseconds) {
                            if (++looks == c.gone_after) {
                              dying.reset();
                            }
                          }};
    const auto ledger = testing::OpenLedger(path, Quick(), file);
    EXPECT_EQ(ledger.ok(), c.opens) << c.name;
    EXPECT_EQ(looks, c.opens ? c.gone_after : 200) << c.name;
    EXPECT_EQ(told, std::to_string(getpid())) << c.name;
    if (!ledger.ok()) {
      EXPECT_EQ(ledger.error().code, Code::kConflict);
      EXPECT_THAT(ledger.error().message, HasSubstr("process " + told + " has this store open"));
    }
  }
}

TEST(Ledger, WaitsNoLongerWhenItIsToStop) {
  const Folder folder;
  const auto other = FileLock::Take(folder.Path("db")).value();
  std::stop_source stop;
  SqliteOptions file;
  file.lock_wait = {.limit = std::chrono::hours(1),
                    .pause = [&](std::chrono::milliseconds) { stop.request_stop(); }};
  EXPECT_FALSE(MakeLedger(MakeSqliteBackend(folder.Path("db"), file), Quick())
                   ->Start(stop.get_token())
                   .ok());
}

TEST(Ledger, RefusesWhatIsNotItsOwn) {
  const Folder folder;
  const struct {
    const char* name;
    const char* sql;
    const char* says;
  } kCases[] = {
      {"foreign", "CREATE TABLE t (a)", "another program's database"},
      {"foreign-id", "PRAGMA application_id = 7", "another program's database"},
      // As before the first release.
      {"unreleased", "PRAGMA application_id = 0x42616c6c; PRAGMA user_version = 1",
       "a version of Ballast before the first release: use another file, or move this one away"},
      {"newer", "PRAGMA application_id = 0x42616c74; PRAGMA user_version = 99",
       "a newer version of Ballast wrote this (schema 99"},
  };
  for (const auto& c : kCases) {
    const std::string path = folder.Path(c.name);
    {
      auto database = Database::Open(path, Access::kWrite);
      ASSERT_TRUE(database.ok());
      ASSERT_TRUE((*database)->Execute(c.sql).ok());
    }
    const auto size = std::filesystem::file_size(path);
    const auto ledger = testing::OpenLedger(path);
    ASSERT_FALSE(ledger.ok()) << c.name;
    EXPECT_EQ(ledger.error().code, Code::kInvalid) << c.name;
    EXPECT_THAT(ledger.error().message, HasSubstr(c.says));
    EXPECT_THAT(ledger.error().message, HasSubstr(path));
    EXPECT_EQ(std::filesystem::file_size(path), size) << c.name;
    const auto reader = Reader::Open(path);
    ASSERT_FALSE(reader.ok()) << c.name;
    EXPECT_THAT(reader.error().message, HasSubstr(c.says));
  }
  EXPECT_EQ(Reader::Open(folder.Path("nothing")).error().code, Code::kNotFound);
}

TEST(Ledger, EmptyFileIsAnEmptyHistory) {
  const Folder folder;
  const std::string path = folder.Path("db");
  std::ofstream(path).close();
  EXPECT_THAT(HistoryOf(path), IsEmpty());
  EXPECT_THAT(*(*Reader::Open(path))->Subjects(), IsEmpty());
  EXPECT_TRUE(Opened(path)->AppendDurably(Intended{EvaluationOf("web", 0, 2, 5)}).durable.ok());
}

// The very first commit uses a rollback journal, which is hot if the process is killed then.
TEST(Ledger, KilledAtBirthIsAnEmptyHistory) {
  const Folder folder;
  const std::string path = folder.Path("db");
  std::ofstream(path) << std::string(4096, 'x');
  // Magic number, no page, a database of 0 pages, sectors of 512 and pages of 4096 bytes.
  std::string journal("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7\0\0\0\0seed\0\0\0\0\0\0\2\0\0\0\x10\0", 28);
  journal.resize(512);
  std::ofstream(path + "-journal") << journal;
  EXPECT_THAT(HistoryOf(path), IsEmpty());
  auto ledger = Opened(path);
  EXPECT_EQ(ledger->health().set_aside, "");
  EXPECT_TRUE(ledger->AppendDurably(Intended{EvaluationOf("web", 0, 2, 5)}).durable.ok());
}

void Overwrite(const std::string& path, std::streamoff from, std::size_t length) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(from);
  file << std::string(length, '\x5a');
}

TEST(Ledger, DamagedFilesAreSetAside) {
  const Folder folder;
  const struct {
    const char* name;
    std::streamoff from;
    std::size_t length;
  } kCases[] = {{"header", 0, 100}, {"schema", 100, 3000}, {"everything", 0, 60'000}};
  for (const auto& c : kCases) {
    const std::string path = folder.Path(c.name);
    {
      auto ledger = Opened(path);
      for (int i = 0; i < 20; ++i) {
        const auto intent =
            ledger->AppendDurably(Intended{EvaluationOf("web" + std::to_string(i), i, 2, 5)});
        ledger->Append(Concluded{intent.id, kWritten, At(i), ScaledUp(i, 5, 3), &kConclusion});
      }
    }
    Overwrite(path, c.from, c.length);
    auto ledger = Opened(path);
    const std::string aside = ledger->health().set_aside;
    EXPECT_THAT(aside, HasSubstr(std::string(c.name) + ".corrupt-"));
    EXPECT_TRUE(std::filesystem::exists(aside)) << c.name;
    EXPECT_TRUE(ledger->AppendDurably(Intended{EvaluationOf("web", 100, 2, 5)}).durable.ok())
        << c.name;
    EXPECT_THAT(HistoryOf(path), SizeIs(1)) << c.name;
  }
}

TEST(Ledger, DamageWhileRunningStartsANewFileWithTheMemory) {
  const Folder folder;
  const std::string path = folder.Path("db");
  const auto memory = ScaledUp(0, 5, 3);
  {
    // More than the page cache holds, so that the damaged pages are read.
    auto ledger = Opened(path);
    for (int i = 0; i < 3000; ++i) {
      auto evaluation = EvaluationOf("web" + std::to_string(i), 0, 5, 5);
      evaluation.message = std::string(3000, 'x');
      ledger->Append(Evaluated{evaluation, Recommended({{At(0), 5}}), &kConclusion});
    }
  }
  {
    auto ledger = Opened(path);
    const auto intent = ledger->AppendDurably(Intended{EvaluationOf("web0", 0, 2, 5)});
    ledger->Append(Concluded{intent.id, kWritten, At(1), memory, &kConclusion});
    ASSERT_TRUE(ledger->Flush().ok());
    Overwrite(path, 4096, std::filesystem::file_size(path) - 4096);
    for (int i = 0; i < 3000 && ledger->health().set_aside.empty(); ++i) {
      (void)ledger->AppendDurably(Intended{EvaluationOf("web" + std::to_string(i), 15, 2, 5)});
    }
    EXPECT_THAT(ledger->health().set_aside, HasSubstr("db.corrupt-"));
    EXPECT_TRUE(ledger->AppendDurably(Intended{EvaluationOf("web0", 30, 2, 5)}).durable.ok());
  }
  auto ledger = Opened(path);
  EXPECT_EQ(ledger->health().set_aside, "");
  EXPECT_EQ(ledger->Recall("uid-web0", At(31))->memory, memory);
  EXPECT_TRUE(ledger->Recall("uid-web2999", At(31)));
}

// A page that cannot be read once is no damage, whichever read it is.
TEST(Ledger, OneReadThatGoesWrongWhileRunningSetsNothingAside) {
  FailingVfs disk;
  for (int n = 1;; ++n) {
    const Folder folder;
    const std::string path = folder.Path("db");
    disk.Heal();
    LeaveAStore(path, false);
    auto ledger = Opened(path);
    disk.Fail(n, 1, testing::Failing::kGarbage);
    ledger->Append(
        ForeignChangeSeen{EvaluationOf("web", 0, 0, 0).subject, {At(0), 1, 2, "kubectl", {}}});
    const auto intent = ledger->AppendDurably(Intended{EvaluationOf("web", 15, 5, 6)});
    EXPECT_TRUE(intent.durable.ok()) << n << ": " << intent.durable.error().message;
    EXPECT_EQ(ledger->health().set_aside, "") << n;
    const bool reached = disk.failed() > 0;
    disk.Heal();
    ledger.reset();
    EXPECT_EQ(HistoryOf(path).size(), 3U) << n;
    if (!reached || HasFailure()) {
      EXPECT_GT(n, 1);
      break;
    }
  }
}

TEST(Ledger, KeepsTheNewestOfWhatWasSetAsideAndAllThatPeopleNamedLikeIt) {
  const Folder folder;
  const std::string path = folder.Path("db");
  const char* const kPeoples[] = {
      "db.corrupt-mine", "db.corrupt-20260101", "db.corrupt-20260101T000000Z-kept",
      "db.corrupt-20260101T000000Z.old", "dbs.corrupt-20260101T000000Z"};
  for (const char* name : kPeoples) {
    std::ofstream(folder.Path(name)) << "somebody's";
  }
  for (int i = 0; i < 4; ++i) {
    std::ofstream(path) << "no database " << i << std::string(5'000, 'x');
    std::filesystem::remove(path + "-wal");
    EXPECT_NE(Opened(path)->health().set_aside, "");
  }
  int aside = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(std::filesystem::path(path).parent_path())) {
    aside += file.path().string().find(".corrupt-") == std::string::npos ? 0 : 1;
  }
  for (const char* name : kPeoples) {
    EXPECT_TRUE(std::filesystem::exists(folder.Path(name))) << name;
  }
  EXPECT_EQ(aside, 2 + std::ssize(kPeoples));
}

TEST(Ledger, StaleLogBesideNoDatabaseHarmsNothing) {
  const Folder folder;
  const std::string path = folder.Path("db");
  {
    auto ledger = Opened(path);
    EXPECT_TRUE(ledger->AppendDurably(Intended{EvaluationOf("web", 0, 2, 5)}).durable.ok());
    std::filesystem::copy(path + "-wal", folder.Path("stale"));
  }
  std::filesystem::remove(path);
  std::filesystem::rename(folder.Path("stale"), path + "-wal");
  auto ledger = Opened(path);
  EXPECT_TRUE(ledger->AppendDurably(Intended{EvaluationOf("web", 0, 2, 5)}).durable.ok());
  EXPECT_THAT(HistoryOf(path), SizeIs(1));
  EXPECT_EQ(ledger->health().set_aside, "") << "no database was moved";
  std::vector<std::string> kept;
  for (const auto& file : std::filesystem::directory_iterator(folder.Path(""))) {
    const std::string name = file.path().filename();
    if (name.starts_with("db.corrupt-")) {
      kept.push_back(name);
    }
  }
  EXPECT_THAT(kept, ElementsAre(EndsWith("-wal"))) << "it may be of one that was being moved";
}

TEST(Ledger, ManyThreadsAtOnce) {
  const Folder folder;
  const std::string path = folder.Path("db");
  constexpr int kThreads = 8;
  constexpr int kScalings = 25;
  {
    auto ledger = Opened(path);
    std::atomic<int> durable = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, name = "web" + std::to_string(t)] {
        for (int i = 0; i < kScalings; ++i) {
          const auto intent = ledger->AppendDurably(Intended{EvaluationOf(name, i, i, i + 1)});
          durable += intent.durable.ok() ? 1 : 0;
          ledger->Append(
              Concluded{intent.id, kWritten, At(i), ScaledUp(i, i + 1, 1), &kConclusion});
          ledger->Append(Evaluated{EvaluationOf(name, i + 0.5, i + 1, i + 1), ScaledUp(i, i + 1, 1),
                                   &kConclusion});
          (void)ledger->Recall("uid-" + name, At(i));
          (void)ledger->health();
        }
      });
    }
    std::thread reader([&] {
      while (durable < kThreads * kScalings) {
        (void)HistoryOf(path);
      }
    });
    for (auto& thread : threads) {
      thread.join();
    }
    EXPECT_EQ(durable, kThreads * kScalings);
    reader.join();
  }
  auto ledger = Opened(path);
  EXPECT_THAT(ledger->OpenIntents(), IsEmpty());
  EXPECT_THAT(HistoryOf(path), SizeIs(2 * kThreads * kScalings));
  EXPECT_EQ(ledger->Recall("uid-web3", At(100))->memory, ScaledUp(kScalings - 1, kScalings, 1));
}

// Counts the memories that do not continue from what the previous batches left.
class ChainedBackend final : public Backend {
 public:
  explicit ChainedBackend(std::atomic<int>& broken) : broken_(broken) {}

  Result<Opened> Open(const std::stop_token& stop) override { return store_.Open(stop); }
  Result<StoredState> Read() override { return store_.Read(); }
  Result<Applied> Apply(const Batch& batch) override {
    for (const Change& change : batch.changes) {
      if (const auto* changed = std::get_if<MemoryChanged>(&change)) {
        MemoryImage& image = images_[changed->subject.uid];
        broken_ += image == changed->from ? 0 : 1;
        image = changed->to;
      }
    }
    return store_.Apply(batch);
  }
  Result<Thinned> Thin(const Retention& retention, Time now) override {
    return store_.Thin(retention, now);
  }

 private:
  std::atomic<int>& broken_;
  InMemoryBackend store_;
  std::map<std::string, MemoryImage> images_;
};

// Commits freeze late autoscalers while these are evaluated again.
TEST(Ledger, BatchesAreAppliedInTheOrderOfTheFold) {
  std::atomic<int> broken = 0;
  {
    const auto ledger = MakeLedger(std::make_unique<ChainedBackend>(broken), Quick());
    ASSERT_TRUE(ledger->Start({}).ok());
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        const std::string name = "web" + std::to_string(t);
        for (int i = 0; i < 3'000; ++i) {
          const double time = 100.0 * i + 40 * t;
          ledger->Append(
              Evaluated{EvaluationOf(name, time, 5, 5), Recommended({{At(time), 5}}), nullptr});
          if (i % 3 == t % 3) {
            (void)ledger->Flush();
          }
        }
      });
    }
    for (auto& thread : threads) {
      thread.join();
    }
  }
  EXPECT_EQ(broken, 0);
}

}  // namespace
}  // namespace ballast::store
