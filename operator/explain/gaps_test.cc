#include "operator/explain/gaps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "operator/explain/testing/fake_history.h"
#include "store/sqlite/reader.h"
#include "store/testing/test_store.h"

namespace ballast::explain {
namespace {

using store::testing::At;
using ::testing::ElementsAre;

const store::Subject kWeb{"uid-web", "AutoScalePolicy", {"shop", "web"}};

store::Entry EntryOf(double from, double until, const store::Subject& subject = kWeb) {
  store::Entry entry;
  entry.id = static_cast<store::DecisionId>(from) + 1;
  entry.subject = subject;
  entry.period = Duration::Seconds(15);
  entry.time = At(from);
  entry.until = At(until);
  entry.current_replicas = entry.desired_replicas = 5;
  return entry;
}

// ---- Their causes

TEST(Gap, IsExplainedByWhatIsKnownOfThatTime) {
  const store::Subject kHpa{"uid-web", "HorizontalPodAutoscaler", {"shop", "web"}};
  const store::Subject kAgain{"uid-web-2", "AutoScalePolicy", {"shop", "web"}};
  const store::Subject kApi{"uid-api", "AutoScalePolicy", {"shop", "api"}};
  const store::Delay kSlow{At(60), At(660), Duration::Seconds(590), "Resource/cpu"};
  const store::Delay kFast{At(60), At(660), Duration::Seconds(1), "Resource/cpu"};
  const store::Delay kHalf{At(60), At(660), Duration::Seconds(300), "Resource/cpu"};
  const struct {
    const char* about;
    store::GapFacts pause;
    const char* cause;
    store::Subject before = kWeb;
    std::optional<store::Subject> after = kWeb;
    std::optional<store::Reach> reach = {};
  } kCases[] = {
      {"nothing", {}, "nothing was evaluated; the store does not say why"},
      {"nothing, and no decision after it",
       {},
       "no operator was running with this store, or it cannot write to it, or still waits for "
       "answers",
       kWeb,
       {}},
      {"others were evaluated",
       {.others = true},
       "it was not evaluated although other policies were; the store does not say why"},
      {"others were evaluated, and it is an HPA",
       {.others = true},
       "its mode was ignore, or the store does not say why",
       kHpa,
       kHpa},
      {"another autoscaler after it",
       {},
       "nothing was evaluated; the store does not say why",
       kWeb,
       kApi},
      {"all of it without a process",
       {.down = Duration::Seconds(570)},
       "no operator was running with this store"},
      {"some of it without a process",
       {.down = Duration::Seconds(569)},
       "no operator was running with this store for 9m29s of it"},
      {"a start in vain",
       {.down = Duration::Seconds(300), .in_vain = true},
       "no operator was running with this store for 5m of it; an operator that started ended "
       "before "
       "it evaluated anything"},
      {"a start of one that did not lead",
       {.leader = "ballast-1", .in_vain = true},
       "another replica led: ballast-1; its own store has the decisions"},
      {"another namespace", {.unserved = true}, "its namespace was not served"},
      {"slow answers",
       {.delay = kSlow},
       "it was evaluated late: the requests of the evaluation before it took 9m50s, the longest "
       "for "
       "cpu"},
      {"fast answers",
       {.delay = kFast},
       "it was evaluated late: the operator was suspended, or busy with other policies"},
      {"answers that explain only half of it",
       {.delay = kHalf},
       "it was evaluated late: the operator was suspended, or busy with other policies"},
      {"created again", {}, "it was deleted and created again", kWeb, kAgain},
      {"nothing, and nothing was deleted",
       {},
       "nothing was evaluated; the store does not say why",
       kWeb,
       kWeb,
       store::Reach{At(700), false, ""}},
      {"deleted",
       {.others = true},
       "what was evaluated then was deleted (the operator's --store-max-age and --store-max-size)",
       kWeb,
       kWeb,
       store::Reach{At(660), true, "shop"}},
      {"deleted in part",
       {.down = Duration::Seconds(300)},
       "no operator was running with this store for 5m of it; what was evaluated in the first part "
       "of it was deleted (the operator's --store-max-age and --store-max-size)",
       kWeb,
       kWeb,
       store::Reach{At(659), true, "shop"}},
      {"deleted before",
       {},
       "nothing was evaluated; the store does not say why",
       kWeb,
       kWeb,
       store::Reach{At(60), true, "shop"}},
  };
  for (const auto& c : kCases) {
    FakeHistory history;
    history.pause = c.pause;
    history.reach = c.reach;
    const store::Entry before = EntryOf(0, 60, c.before);
    const store::Entry after = c.after ? EntryOf(660, 700, *c.after) : store::Entry();
    EXPECT_EQ(
        ExplainGap(history, {.key = kWeb.key}, before, c.after ? &after : nullptr, At(60), At(660))
            .value(),
        c.cause)
        << c.about;
  }
}

// ---- Lines

class Lines : public testing::Test {
 protected:
  // "decision 0", "gap 60 660", "by others 30", "edit 30".
  std::vector<std::string> All(const store::HistoryQuery& query = {.key = kWeb.key}) {
    const auto print = [](Time time) {
      return std::to_string(static_cast<int>((time - At(0)).seconds()));
    };
    std::vector<std::string> all;
    const Status read = ForEachLine(history_, query, {}, [&](std::vector<Line> lines) -> Status {
      for (const Line& line : lines) {
        const auto* gap = std::get_if<Gap>(&line);
        all.push_back(std::vector{"decision", "gap", "by others", "edit"}[line.index()] +
                      (" " + print(TimeOf(line))) + (gap ? " " + print(gap->to) : ""));
      }
      return Done{};
    });
    EXPECT_TRUE(read.ok());
    return all;
  }

  FakeHistory history_;
};

TEST_F(Lines, AGapBeginsTwoPeriodsAfterTheLastEvaluation) {
  history_.entries = {EntryOf(0, 60), EntryOf(90, 120), EntryOf(151, 160), EntryOf(190, 200)};
  EXPECT_THAT(All(), ElementsAre("decision 0", "decision 90", "gap 120 151", "decision 151",
                                 "decision 190"));
}

// Also if one of them ends long before the one that began earlier.
TEST_F(Lines, OfSeveralAutoscalersThereAreGapsOnlyWhereNoneWasEvaluated) {
  const store::Subject api{"uid-api", "AutoScalePolicy", {"shop", "api"}};
  history_.entries = {EntryOf(0, 300), EntryOf(10, 20, api), EntryOf(200, 210, api),
                      EntryOf(400, 410)};
  EXPECT_THAT(All({}), ElementsAre("decision 0", "decision 10", "decision 200", "gap 300 400",
                                   "decision 400"));
}

// The evaluation that notices a change or follows an edit may have the same time: it comes after.
TEST_F(Lines, AreInTheOrderOfTheirTimes) {
  history_.entries = {EntryOf(0, 30), EntryOf(30, 60), EntryOf(500, 520)};
  history_.foreign_changes = {{kWeb, {At(30), 5, 7, "kubectl", {}}}};
  history_.edits = {{kWeb, {At(30), "spec.maxReplicas", "9", "10", "kubectl", {}}, {}},
                    {kWeb, {At(45), "spec.maxReplicas", "10", "11", "kubectl", {}}, {}}};
  EXPECT_THAT(All(), ElementsAre("decision 0", "by others 30", "edit 30", "decision 30", "edit 45",
                                 "gap 60 500", "decision 500"));
}

TEST_F(Lines, OfOneAutoscalerHaveTheLongestGapOfARun) {
  history_.entries = {EntryOf(0, 600)};
  history_.delays = {
      {kWeb, Duration::Seconds(15), {At(0), At(300), Duration::Seconds(99), "Resource/cpu"}}};
  EXPECT_THAT(All(), ElementsAre("decision 0", "gap 0 300"));
  EXPECT_THAT(All({}), ElementsAre("decision 0"));
}

// ---- As a store knows them

class RecordedGaps : public testing::Test {
 public:
  RecordedGaps() { Restart(0); }

  // Evaluations every 15 s from `from` to `to` that change nothing.
  void Stay(const std::string& name, double from, double to) {
    for (double t = from; t <= to; t += 15) {
      auto evaluation = store::testing::EvaluationOf(name, t, 5, 5);
      if (name == "web") {
        evaluation.subject.uid = uid_;
      }
      evaluation.seen = evaluation.time;
      last_ = {name, t};
      ledger_->Append(store::Evaluated{evaluation, {}, nullptr});
    }
  }
  void Kill() {
    ASSERT_TRUE(ledger_->Flush().ok());
    // One more evaluation, so that the heartbeat is on disk for certain.
    Stay(last_.first, last_.second, last_.second);
    store::testing::Kill(ledger_, path_);
  }
  void Restart(double seconds, std::vector<std::string> namespaces = {}) {
    store::testing::Restart(ledger_, path_, seconds, std::move(namespaces));
  }
  void KillAndRestart(double seconds, std::vector<std::string> namespaces = {}) {
    Kill();
    Restart(seconds, std::move(namespaces));
  }
  // Evaluations of another autoscaler.
  void Others(double from, double to) { Stay("api", from, to); }
  void Late(double seconds, double took, Duration period = Duration::Seconds(15)) {
    auto evaluation = store::testing::LateEvaluationOf("web", seconds, took);
    evaluation.period = period;
    ledger_->Append(store::Evaluated{evaluation, {}, nullptr});
  }
  void Lead(const char* leader, bool own, double at) {
    ledger_->Append(store::TermSeen{leader, own, At(at)});
  }
  void CreateAgain() {
    ledger_->Append(store::Forgotten{uid_});
    uid_ = "uid-web-2";
  }

 protected:
  // The gaps of shop/web.
  std::vector<Gap> Gaps() {
    EXPECT_TRUE(ledger_->Flush().ok());
    std::vector<Gap> gaps;
    const auto reader = store::Reader::Open(path_).value();
    EXPECT_TRUE(ForEachLine(*reader, {.key = kWeb.key}, {}, [&](const auto& lines) -> Status {
                  for (const Line& line : lines) {
                    if (const auto* gap = std::get_if<Gap>(&line)) {
                      gaps.push_back(*gap);
                    }
                  }
                  return Done{};
                }).ok());
    return gaps;
  }

 private:
  const store::testing::Folder folder_;
  const std::string path_ = folder_.Path("db");
  std::unique_ptr<store::Ledger> ledger_;
  std::string uid_ = kWeb.uid;
  std::pair<std::string, double> last_;
};

TEST_F(RecordedGaps, RequestsThatWereFastDelayNothing) {
  for (const double seconds : {0.0, 1.0, 2.0, 12.0, 13.0}) {
    Late(seconds, 0.1, Duration::Seconds(1));
  }
  const auto gaps = Gaps();
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps[0].from, At(2));
  EXPECT_EQ(gaps[0].to, At(12));
  EXPECT_EQ(gaps[0].cause,
            "it was evaluated late: the operator was suspended, or busy with other policies");
}

// What happens between two stretches of evaluations of shop/web, ten minutes apart. shop/api is
// evaluated whenever a process runs.
struct Between {
  const char* name;
  std::function<void(RecordedGaps&)> happens;
  const char* cause;
};
void PrintTo(const Between& between, std::ostream* out) { *out << between.name; }

class BetweenDecisions : public RecordedGaps, public testing::WithParamInterface<Between> {};

TEST_P(BetweenDecisions, AGapIsExplainedByWhatTheStoreKnows) {
  Stay("web", 0, 60);
  Stay("api", 1, 61);
  GetParam().happens(*this);
  Stay("api", 660, 690);
  Stay("web", 661, 691);
  const auto gaps = Gaps();
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps[0].to, At(661));
  EXPECT_EQ(gaps[0].cause, GetParam().cause);
}

INSTANTIATE_TEST_SUITE_P(
    All, BetweenDecisions,
    testing::Values(
        Between{"ItWasKilled", [](RecordedGaps& test) { test.KillAndRestart(655); },
                "no operator was running with this store"},
        Between{"ItStartedInVain",
                [](RecordedGaps& test) {
                  test.KillAndRestart(121);
                  test.KillAndRestart(655);
                },
                "no operator was running with this store for 30s of it; an operator that started "
                "ended before it evaluated anything"},
        Between{"ItWasKilledAndServedAnother",
                [](RecordedGaps& test) {
                  test.KillAndRestart(361, {"blog"});
                  test.Others(400, 640);
                  test.Restart(640);
                },
                "no operator was running with this store for 4m30s of it; its namespace was not "
                "served"},
        Between{"AnotherLed",
                [](RecordedGaps& test) {
                  test.Lead("ballast-1", false, 63);
                  test.Lead("ballast-0", true, 650);
                },
                "another replica led: ballast-1; its own store has the decisions"},
        Between{"AnotherLedAndItWasRestarted",
                [](RecordedGaps& test) {
                  test.Lead("ballast-1", false, 63);
                  test.KillAndRestart(400);
                  test.Lead("ballast-1", false, 401);
                  test.Lead("ballast-0", true, 650);
                },
                "another replica led: ballast-1; its own store has the decisions"},
        Between{"ItsClockWasWrongAtAStart",
                [](RecordedGaps& test) {
                  test.KillAndRestart(5'000);
                  test.KillAndRestart(62);
                  test.Others(65, 650);
                  test.Late(75, 1);
                },
                "it was evaluated late: the operator was suspended, or busy with other policies"},
        Between{"ItsClockWasWrongWhenAnotherLed",
                [](RecordedGaps& test) {
                  test.Lead("ballast-1", false, -3'000);
                  test.Others(65, 650);
                  test.Late(75, 1);
                },
                "it was evaluated late: the operator was suspended, or busy with other policies"},
        Between{"ItWasLate",
                [](RecordedGaps& test) {
                  test.Others(65, 650);
                  test.Late(75, 580);
                },
                "it was evaluated late: the requests of the evaluation before it took 9m40s, the "
                "longest for cpu"},
        // No longer than until the next one.
        Between{"ItWasLateByAClockThatWasWrong",
                [](RecordedGaps& test) {
                  test.Others(65, 650);
                  test.Late(75, 5'800);
                },
                "it was evaluated late: the requests of the evaluation before it took 9m46s, the "
                "longest for cpu"},
        Between{"ItStoodStill", [](RecordedGaps& test) { test.Late(75, 1); },
                "it was evaluated late: the operator was suspended, or busy with other policies"},
        Between{"ItWasCreatedAgain",
                [](RecordedGaps& test) {
                  test.CreateAgain();
                  test.Others(65, 650);
                },
                "it was deleted and created again"}),
    [](const auto& between) { return std::string(between.param.name); });

}  // namespace
}  // namespace ballast::explain
