#include "store/fold/ledger_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "store/in_memory/in_memory_backend.h"
#include "store/packing/compress.h"
#include "store/testing/any_record.h"
#include "store/testing/test_store.h"

namespace ballast::store {
namespace {

using testing::At;
using ::testing::ElementsAre;
using testing::EvaluationOf;
using ::testing::IsEmpty;
using testing::kWritten;
using testing::Recommended;

Evaluated Stays(const std::string& name, double seconds, const std::string& reason = "A") {
  return {EvaluationOf(name, seconds, 5, 5, reason), Recommended({{At(seconds), 5}}), nullptr};
}

std::vector<std::string> Printed(const Batch& batch) {
  std::vector<std::string> lines;
  for (const Change& change : batch.changes) {
    lines.push_back(Print(change));
  }
  return lines;
}

// The transitions of the diagram in the header, one after the other.
TEST(LedgerState, AnAutoscalersLifeIsTheseChanges) {
  LedgerState state;
  ASSERT_THAT(Printed(state.Adopt({})), IsEmpty());
  const auto apply = [&](const Record& record) {
    const Batch batch = state.Apply(record);
    EXPECT_TRUE(state.CheckAll());
    return Printed(batch);
  };
  const auto beat = [&] {
    const Batch batch = state.Beat();
    EXPECT_TRUE(state.CheckAll());
    return Printed(batch);
  };
  EXPECT_THAT(apply(Stays("web", 0)),
              ElementsAre("DecisionAdded 1 shop/web 5 -> 5 none", "MemoryChanged shop/web live"));
  EXPECT_THAT(apply(Stays("web", 15)), IsEmpty());
  EXPECT_THAT(apply(Stays("api", 46)),
              ElementsAre("DecisionAdded 2 shop/api 5 -> 5 none", "MemoryChanged shop/api live"));
  EXPECT_THAT(beat(), ElementsAre("MemoryChanged shop/web exact"));
  EXPECT_THAT(beat(), IsEmpty());
  apply(Stays("api", 76));
  apply(Stays("api", 106));
  EXPECT_THAT(beat(), ElementsAre("RunClosed 1 2", "SeriesSaved shop/web 2"));
  EXPECT_THAT(apply(Intended{EvaluationOf("web", 107, 5, 6)}),
              ElementsAre("DelayAdded shop/web", "DecisionAdded 3 shop/web 5 -> 6 intended"));
  EXPECT_EQ(state.newest(), 3);
  EXPECT_THAT(
      apply(Concluded{3, kWritten, At(108), Recommended({{At(107), 6}}), nullptr}),
      ElementsAre("DecisionSettled 3 written", "MemoryChanged shop/web live", "WriteConfirmed 3"));
  EXPECT_THAT(apply(PodsReady{"uid-web", At(110)}), ElementsAre("PodsGotReady 3"));
  EXPECT_THAT(apply(PodsReady{"uid-web", At(111)}), IsEmpty());
  EXPECT_THAT(apply(Forgotten{"uid-web"}),
              ElementsAre("SeriesSaved shop/web 3", "MemoryErased shop/web"));
  EXPECT_THAT(Printed(state.End()), ElementsAre("RunClosed 2 3", "SeriesSaved shop/api 3",
                                                "MemoryChanged shop/api exact"));
  EXPECT_TRUE(state.CheckAll());
}

TEST(LedgerState, WhatAnotherControllerDidIsRecordedAsSuch) {
  LedgerState state;
  ASSERT_THAT(Printed(state.Adopt({})), IsEmpty());
  const auto observe = [&](double seconds, int from, int to) {
    const Batch batch =
        state.Apply(Observed{EvaluationOf("web", seconds, from, to), engine::Memory()});
    EXPECT_TRUE(state.CheckAll());
    for (const Change& change : batch.changes) {
      if (const auto* added = std::get_if<DecisionAdded>(&change)) {
        EXPECT_EQ(added->made_by, MadeBy::kObserved);
      }
    }
    return Printed(batch);
  };
  EXPECT_THAT(observe(0, 5, 5),
              ElementsAre("DecisionAdded 1 shop/web 5 -> 5 none", "MemoryChanged shop/web live"));
  EXPECT_THAT(observe(15, 5, 5), IsEmpty()) << "a run";
  EXPECT_THAT(observe(20, 5, 8),
              ElementsAre("RunClosed 1 2", "DecisionAdded 2 shop/web 5 -> 8 observed"));
  EXPECT_EQ(state.Recall("uid-web", At(20))->replicas, 8);
  EXPECT_THAT(observe(30, 8, 8), ElementsAre("DecisionAdded 3 shop/web 8 -> 8 none"));
  EXPECT_THAT(
      Printed(state.Apply(Evaluated{EvaluationOf("web", 40, 8, 8), engine::Memory(), nullptr})),
      ElementsAre("RunClosed 3 1", "DecisionAdded 4 shop/web 8 -> 8 none"))
      << "from now on Ballast decides";
  EXPECT_THAT(observe(50, 8, 8),
              ElementsAre("RunClosed 4 1", "DecisionAdded 5 shop/web 8 -> 8 none"));
}

TEST(LedgerState, KeepsTheNewestSpecAsLongAsItsAutoscaler) {
  const Subject web = EvaluationOf("web", 0, 5, 5).subject;
  const auto spec_of = [](const LedgerState& state) {
    return Decompress(state.SpecOf("uid-web")).value();
  };
  InMemoryBackend store;
  LedgerState before;
  (void)store.Apply(before.Adopt({}));
  EXPECT_EQ(before.SpecOf("uid-web"), "");
  for (const char* spec : {"old", "new"}) {
    const Batch batch = before.Apply(SpecSeen{web, spec});
    EXPECT_THAT(Printed(batch), ElementsAre("SpecReplaced shop/web"));
    EXPECT_TRUE(before.CheckAll());
    (void)store.Apply(batch);
  }
  EXPECT_FALSE(before.Recall("uid-web", At(0))) << "it was not evaluated";

  LedgerState adopted;
  adopted.Adopt(store.Read().value());
  EXPECT_EQ(spec_of(adopted), "new");
  LedgerState joined;
  joined.Join(store.Read().value());
  EXPECT_EQ(spec_of(joined), "new");
  LedgerState ahead;
  ahead.Apply(SpecSeen{web, "newer"});
  ahead.Join(store.Read().value());
  EXPECT_EQ(spec_of(ahead), "newer");
  InMemoryBackend copy;
  (void)copy.Apply(adopted.Everything());
  EXPECT_EQ(copy.Read()->specs.size(), 1U);

  const Batch erased = adopted.Apply(OthersForgotten{});
  EXPECT_THAT(Printed(erased),
              ElementsAre("MemoryErased shop/web", "SpecReplaced shop/web erased"));
  (void)store.Apply(erased);
  EXPECT_TRUE(store.Read()->specs.empty());
}

// Until an evaluation or an attempt accounts for what happened before, also in the next process.
TEST(LedgerState, AnIncompleteMemoryStaysSoUntilItIsComplete) {
  InMemoryBackend store;
  LedgerState state;
  (void)store.Apply(state.Adopt({}));
  const auto apply = [&](Record record, bool incomplete) {
    if (auto* evaluated = std::get_if<Evaluated>(&record)) {
      evaluated->evaluation.incomplete = incomplete;
    } else if (auto* intended = std::get_if<Intended>(&record)) {
      intended->evaluation.incomplete = incomplete;
    }
    (void)store.Apply(state.Apply(record));
    LedgerState restarted;
    restarted.Adopt(store.Read().value());
    EXPECT_EQ(restarted.Recall("uid-web", At(999))->incomplete,
              state.Recall("uid-web", At(999))->incomplete);
    return state.Recall("uid-web", At(999))->incomplete;
  };
  const auto conclude = [&](double seconds, bool incomplete) {
    return apply(Concluded{state.newest(), kWritten, At(seconds), {}, nullptr}, incomplete);
  };
  EXPECT_FALSE(apply(Stays("web", 0), false));
  EXPECT_TRUE(apply(Stays("web", 15), true));
  EXPECT_TRUE(apply(Refused{EvaluationOf("web", 20, 5, 5, "Conflicted")}, false));
  EXPECT_TRUE(apply(Intended{EvaluationOf("web", 30, 5, 6)}, false)) << "its end is not known";
  EXPECT_FALSE(conclude(31, false));
  EXPECT_FALSE(apply(Intended{EvaluationOf("web", 45, 5, 6)}, true));
  EXPECT_TRUE(conclude(46, true)) << "the status memory could not be read";
  EXPECT_FALSE(apply(Stays("web", 60), false));
  EXPECT_FALSE(apply(Intended{EvaluationOf("web", 75, 5, 6)}, false));
  EXPECT_TRUE(apply(Stays("web", 900), true));
  EXPECT_TRUE(conclude(901, false)) << "it is older than the interruption";

  state.Apply(Intended{EvaluationOf("web", 910, 5, 6)});
  StoredState stored = store.Read().value();
  stored.intents = {{.id = state.newest(),
                     .subject = EvaluationOf("web", 0, 0, 0).subject,
                     .time = At(910),
                     .from = 5,
                     .to = 6}};
  LedgerState next;
  next.Adopt(stored);
  next.Apply(Concluded{state.newest(), kWritten, At(920), {}, nullptr});
  EXPECT_TRUE(next.Recall("uid-web", At(999))->incomplete) << "of an earlier process";
}

// After half an hour without an operator.
TEST(LedgerState, AnOldScalingThatIsNoticedNowSetsNoClockBack) {
  LedgerState state;
  ASSERT_THAT(Printed(state.Adopt({})), IsEmpty());
  state.Apply(Stays("api", 2'000));
  Observed late{EvaluationOf("web", 500, 3, 5), engine::Memory()};
  late.evaluation.seen = At(2'001);
  EXPECT_THAT(Printed(state.Apply(late)), ElementsAre("DecisionAdded 2 shop/web 3 -> 5 observed",
                                                      "MemoryChanged shop/web live"));
  Observed next{EvaluationOf("web", 2'010, 5, 5), engine::Memory()};
  EXPECT_THAT(Printed(state.Apply(next)), ElementsAre("DecisionAdded 3 shop/web 5 -> 5 none"))
      << "and is no delay";
  EXPECT_THAT(Printed(state.Apply(Stays("api", 2'015))), IsEmpty()) << "the other's run goes on";
}

TEST(LedgerState, GoesOnFromWhatAStoreHas) {
  StoredState stored;
  stored.heartbeat = At(0);
  stored.newest = 7;
  stored.intents = {{.id = 7,
                     .subject = EvaluationOf("web", 0, 0, 0).subject,
                     .time = At(0),
                     .from = 2,
                     .to = 5}};
  stored.memories = {{EvaluationOf("api", 0, 0, 0).subject,
                      AtRest(ImageOf(Recommended({{At(0), 5}}), At(0), Duration::Seconds(15)))}};
  LedgerState state;
  EXPECT_THAT(Printed(state.Adopt(stored)), IsEmpty());
  EXPECT_TRUE(state.CheckAll());
  ASSERT_EQ(state.open_intents().size(), 1U);
  state.Apply(Concluded{7, kWritten, At(9), Recommended({{At(0), 5}}), nullptr});
  EXPECT_THAT(state.open_intents(), IsEmpty());
  EXPECT_EQ(state.Recall("uid-web", At(20))->memory, Recommended({{At(0), 5}}));
  EXPECT_EQ(state.Recall("uid-api", At(20))->last_evaluation, At(0));
  EXPECT_FALSE(state.Recall("uid-new", At(20)));
  EXPECT_THAT(Printed(state.Apply(Stays("api", 15))),
              ElementsAre("DecisionAdded 8 shop/api 5 -> 5 none", "MemoryChanged shop/api live"));
}

// What was recorded before the store could be read takes precedence.
TEST(LedgerState, JoinsAStoreThatIsReadLate) {
  LedgerState state;
  state.Apply(Stays("web", 100));
  StoredState stored;
  stored.newest = 7;
  for (const char* name : {"web", "api"}) {
    stored.memories.push_back(
        {EvaluationOf(name, 0, 0, 0).subject,
         AtRest(ImageOf(Recommended({{At(0), 9}}), At(0), Duration::Seconds(15)))});
  }
  EXPECT_THAT(Printed(state.Join(stored)), ElementsAre("MemoryErased shop/web"));
  EXPECT_TRUE(state.CheckAll());
  EXPECT_EQ(state.Recall("uid-web", At(200))->memory, Recommended({{At(100), 5}}));
  EXPECT_EQ(state.Recall("uid-api", At(200))->memory, Recommended({{At(0), 9}}));
}

// What an autoscaler costs whose evaluations always come `pause` seconds apart, though each has the
// same result, while another one is evaluated in time.
struct Cost {
  std::int64_t decisions = 0;
  std::int64_t documents = 0;
  std::int64_t delays = 0;
  std::set<Time> series;
  std::int64_t evaluations = 0;  // in the runs, once they are closed
};

Cost CostOfBeingLate(int evaluations, double pause) {
  LedgerState state;
  Cost cost;
  std::map<DecisionId, std::int64_t> runs;
  const auto count = [&](const Batch& batch) {
    EXPECT_TRUE(state.CheckAll());
    for (const Change& change : batch.changes) {
      if (const auto* added = std::get_if<DecisionAdded>(&change);
          added != nullptr && added->subject.key.name == "late") {
        ++cost.decisions;
        cost.documents += added->documents.snapshot.empty() ? 0 : 1;
        runs[added->id] = 0;
      } else if (std::holds_alternative<DelayAdded>(change)) {
        ++cost.delays;
      } else if (const auto* saved = std::get_if<SeriesSaved>(&change);
                 saved != nullptr && saved->subject.key.name == "late") {
        cost.series.insert(saved->time);
      } else if (const auto* closed = std::get_if<RunClosed>(&change);
                 closed != nullptr && runs.contains(closed->id)) {
        runs[closed->id] = closed->evaluations;
      } else if (std::holds_alternative<ReasonAdded>(change)) {
        ++cost.documents;
      }
    }
  };
  double now = 0;
  for (int i = 0; i < evaluations; ++i) {
    Evaluated late = Stays("late", i * pause);
    const PackedDocuments documents{state.WantsDocuments(late.evaluation) ? "snapshot" : "", ""};
    count(state.Apply(late, documents));
    for (; now < (i + 1) * pause; now += 15) {
      count(state.Apply(Stays("api", now)));
      count(state.Beat());
    }
  }
  count(state.End());
  for (const auto& [id, evaluated] : runs) {
    cost.evaluations += evaluated;
  }
  return cost;
}

// Also where the pauses are so long that the run ends in the store meanwhile.
TEST(LedgerState, AnAutoscalerThatIsAlwaysLateCostsAsMuchAsItsBudget) {
  for (const double pause : {31, 45, 120, 1'200}) {
    SCOPED_TRACE(pause);
    constexpr int kEvaluations = 400;
    const Cost cost = CostOfBeingLate(kEvaluations, pause);
    const auto hours = static_cast<std::int64_t>(kEvaluations * pause / 3'600);
    const std::int64_t budget = 11 + hours / 6;
    EXPECT_LE(cost.decisions, budget + hours / 12);
    EXPECT_LE(cost.documents, cost.decisions);
    EXPECT_GE(cost.delays, 10) << "the first ones are on record, each with its decision";
    EXPECT_LE(cost.delays, 2 * cost.decisions);
    EXPECT_LE(std::ssize(cost.series), 1 + kEvaluations / 240 + hours / 2);
    EXPECT_EQ(cost.evaluations, kEvaluations);
  }
}

// What is printed of a batch besides series, which are written every five minutes.
std::vector<std::string> DecisionsIn(const Batch& batch) {
  std::vector<std::string> lines = Printed(batch);
  std::erase_if(lines, [](const std::string& line) { return line.starts_with("SeriesSaved"); });
  return lines;
}

TEST(LedgerState, ARunTellsItsLongestDelay) {
  LedgerState state;
  state.Adopt({});
  double now = 0;
  for (int i = 0; i < 11; ++i, now += 45) {
    state.Apply(Stays("web", now));
  }
  for (const double pause : {50, 300, 40}) {
    EXPECT_THAT(DecisionsIn(state.Apply(Stays("web", now += pause))), IsEmpty()) << pause;
  }
  const Batch batch = state.Apply(Intended{EvaluationOf("web", now + 15, 5, 6)});
  EXPECT_THAT(DecisionsIn(batch), ElementsAre("RunClosed 11 4", "DelayAdded shop/web",
                                              "DecisionAdded 12 shop/web 5 -> 6 intended"));
  const Delay& delay = std::get<DelayAdded>(batch.changes[1]).delay;
  EXPECT_EQ(delay.time - delay.since, Duration::Seconds(300));
  EXPECT_EQ(delay.time, At(now - 40));
}

// A time in which another replica led, or in which nothing was evaluated for long.
TEST(LedgerState, NoRunReachesBeyondATimeOfWhichTooLittleIsKnown) {
  LedgerState state;
  state.Adopt({});
  double now = 0;
  for (int i = 0; i < 20; ++i, now += 45) {
    state.Apply(Stays("web", now));
  }
  state.Apply(TermSeen{"ballast-0", true, At(now)});
  EXPECT_THAT(DecisionsIn(state.Apply(Stays("web", now))),
              ElementsAre("RunClosed 11 10", "DelayAdded shop/web",
                          "DecisionAdded 12 shop/web 5 -> 5 none"));
  EXPECT_THAT(DecisionsIn(state.Apply(Stays("web", now + 45))), IsEmpty());
  EXPECT_THAT(DecisionsIn(state.Apply(Stays("web", now + 45 + 3'601))),
              ElementsAre("DelayAdded shop/web", "RunClosed 12 2", "DelayAdded shop/web",
                          "DecisionAdded 13 shop/web 5 -> 5 none"));
}

// Random records in any order, with times from clocks that are set, commits, and lost batches.
TEST(LedgerState, KeepsItsInvariantsWhateverHappens) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto below = [&](unsigned limit) { return static_cast<int>(random() % limit); };
    LedgerState state;
    if (below(3) > 0) {
      state.Adopt({});
    }
    DecisionId newest = 0;
    double now = 0;
    for (int i = 0; i < 300 && !HasFailure(); ++i) {
      now += below(20) == 0 ? below(20'000) - 10'000 : below(20);
      Batch batch;
      switch (below(8)) {
        case 0:
          batch = below(8) == 0 ? state.Everything() : Batch{};
          break;
        case 1:
          batch = state.Beat();
          break;
        default:
          batch = state.Apply(testing::AnyRecord(state, random, now));
      }
      EXPECT_TRUE(state.CheckAll()) << i;
      for (const Change& change : batch.changes) {
        if (const auto* added = std::get_if<DecisionAdded>(&change)) {
          EXPECT_GT(added->id, newest) << i;
          newest = added->id;
        }
      }
    }
    state.End();
    EXPECT_TRUE(state.CheckAll());
  }
}

}  // namespace
}  // namespace ballast::store
