#include "operator/runtime/key_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ballast::runtime {
namespace {

using namespace std::chrono_literals;
using api::ObjectReference;

const ObjectReference kA{"Policy", "n", "a"};
const ObjectReference kB{"Policy", "n", "b"};

class KeyQueueTest : public testing::Test {
 protected:
  void Add(const ObjectReference& key) { queue_.Add(key, now_); }
  void AddAfter(const ObjectReference& key, std::chrono::nanoseconds delay,
                Urgency urgency = Urgency::kUsual) {
    queue_.AddAfter(key, delay, now_, urgency);
  }
  void AddRateLimited(const ObjectReference& key) { queue_.AddRateLimited(key, now_); }
  std::optional<ObjectReference> Take() { return queue_.Take(now_).key; }
  void Done(const ObjectReference& key) { queue_.Done(key, now_); }
  void Pass(std::chrono::nanoseconds span) { now_ += span; }

  KeyQueue queue_;
  process::SteadyTime now_{1h};
};

TEST_F(KeyQueueTest, HandsOutEachKeyOnceInOrder) {
  Add(kA);
  Add(kB);
  Add(kA);
  EXPECT_EQ(queue_.depth(), 2U);
  EXPECT_EQ(Take(), kA);
  EXPECT_EQ(Take(), kB);
  EXPECT_EQ(queue_.depth(), 0U);
}

TEST_F(KeyQueueTest, AKeyThatIsResumedIsTakenFirst) {
  Add(kA);
  EXPECT_EQ(Take(), kA);
  EXPECT_EQ(queue_.WakeAt(), process::SteadyTime::max()) << "its worker has left it";
  Add(kB);
  Add(kA);
  queue_.Resume(kA);
  EXPECT_EQ(queue_.WakeAt(), process::SteadyTime::min());
  EXPECT_EQ(Take(), kA);
  EXPECT_EQ(Take(), kB);
  EXPECT_EQ(Take(), std::nullopt) << "still in work";
  Done(kA);
  EXPECT_EQ(Take(), kA) << "it was added meanwhile";
}

TEST_F(KeyQueueTest, AKeyThatIsResumedAfterTheEndIsDone) {
  Add(kA);
  Add(kB);
  EXPECT_EQ(Take(), kA);
  EXPECT_EQ(Take(), kB);
  queue_.Resume(kA);
  queue_.Close();
  EXPECT_FALSE(queue_.idle()) << "the other has not been resumed";
  queue_.Resume(kB);
  EXPECT_TRUE(queue_.idle());
  EXPECT_EQ(Take(), std::nullopt);
}

TEST_F(KeyQueueTest, NamespacesTakeTurns) {
  for (const char* name : {"1", "2", "3"}) {
    Add({"Policy", "many", name});
  }
  Add({"Policy", "few", "1"});
  Add({"Policy", "none", "1"});
  EXPECT_EQ(queue_.depth(), 5U);
  for (const ObjectReference& key : {ObjectReference{"Policy", "many", "1"},
                                     {"Policy", "few", "1"},
                                     {"Policy", "none", "1"},
                                     {"Policy", "many", "2"}}) {
    EXPECT_EQ(Take(), key);
  }
  Add({"Policy", "few", "2"});
  EXPECT_EQ(Take(), (ObjectReference{"Policy", "many", "3"}));
  EXPECT_EQ(Take(), (ObjectReference{"Policy", "few", "2"}));
  EXPECT_EQ(queue_.depth(), 0U);
}

TEST_F(KeyQueueTest, AKeyAddedWhileInWorkRunsOnceMoreAfterIt) {
  Add(kA);
  EXPECT_EQ(Take(), kA);
  Add(kA);
  Add(kA);
  EXPECT_EQ(queue_.depth(), 0U) << "it must not be handed out a second time now";
  Done(kA);
  EXPECT_EQ(queue_.depth(), 1U);
  EXPECT_EQ(Take(), kA);
  Done(kA);
  EXPECT_EQ(queue_.depth(), 0U);
}

TEST_F(KeyQueueTest, OfTwoDelayedAddsTheEarlierCounts) {
  AddAfter(kA, 10s);
  AddAfter(kA, 5s);
  AddAfter(kA, 7s);
  AddAfter(kB, 6s);
  Pass(6s);
  EXPECT_EQ(Take(), kA);
  EXPECT_EQ(Take(), kB);
  Done(kA);
  Pass(1h);
  Add(kB);
  Done(kB);
  EXPECT_EQ(Take(), kB);
  EXPECT_EQ(queue_.depth(), 0U) << "the later deadlines are gone";
}

// Even if a worker comes late.
TEST_F(KeyQueueTest, DelayedKeysComeInTheOrderOfTheirTimesAndNames) {
  const struct {
    std::chrono::seconds a;
    std::chrono::seconds b;
    std::chrono::seconds looks;
    const ObjectReference& first;
  } kCases[] = {{5s, 5s, 5s, kA}, {2s, 1s, 1h, kB}, {1s, 2s, 1h, kA}};
  for (const auto& c : kCases) {
    AddAfter(kB, c.b);
    AddAfter(kA, c.a);
    Pass(c.looks);
    EXPECT_EQ(Take(), c.first);
    EXPECT_EQ(Take(), c.first == kA ? kB : kA);
    Done(kA);
    Done(kB);
  }
}

TEST_F(KeyQueueTest, AnAddDoesNotCancelADelayedOne) {
  AddAfter(kA, 10s);
  Add(kA);
  EXPECT_EQ(Take(), kA);
  Done(kA);
  Pass(10s);
  EXPECT_EQ(Take(), kA);
}

TEST_F(KeyQueueTest, RemoveForgetsTheDelayedAdd) {
  AddAfter(kA, 10s);
  queue_.Remove(kA);
  AddAfter(kB, 20s);
  Pass(20s);
  EXPECT_EQ(Take(), kB);
  EXPECT_EQ(queue_.depth(), 0U);
}

TEST_F(KeyQueueTest, FailuresBackOffUpToFiveMinutes) {
  const auto delay = [&] {
    AddRateLimited(kA);
    const auto span = queue_.WakeAt() - now_;
    EXPECT_EQ(Take(), std::nullopt);
    Pass(span);
    EXPECT_EQ(Take(), kA);
    Done(kA);
    return span;
  };
  std::chrono::nanoseconds expected = 5ms;
  for (int i = 0; i < 25; ++i) {
    EXPECT_EQ(delay(), expected) << i;
    expected = std::min<std::chrono::nanoseconds>(expected * 2, 5min);
  }
  queue_.Forget(kA);
  EXPECT_EQ(delay(), 5ms);
}

// Prints keys and their ages: "Policy n/a 2s".
std::vector<std::string> Ages(const telemetry::Shown<telemetry::KeySince>& keys,
                              process::SteadyTime now) {
  std::vector<std::string> ages;
  for (const auto& [object, since] : keys.items) {
    ages.push_back(object + " " +
                   std::to_string(std::chrono::floor<std::chrono::seconds>(now - since).count()) +
                   "s");
  }
  return ages;
}

TEST_F(KeyQueueTest, TellsWhatWaitsAndWhatIsInWork) {
  Add(kB);
  EXPECT_EQ(Take(), kB);
  Pass(1s);
  Add(kB);  // it is in work: to be taken again, but not waiting for a worker
  Add({"Policy", "n", "c"});
  Pass(1s);
  Add(kA);
  AddAfter({"Policy", "n", "d"}, 1h);
  Pass(1s);
  const telemetry::QueueDebugState debug_state = queue_.DebugState();
  EXPECT_THAT(Ages(debug_state.in_work, now_), testing::ElementsAre("Policy n/b 3s"));
  EXPECT_THAT(Ages(debug_state.waiting, now_),
              testing::ElementsAre("Policy n/c 2s", "Policy n/a 1s"));
  EXPECT_EQ(debug_state.waiting.left_out, 0U);
  EXPECT_EQ(debug_state.delayed, 1U);
}

TEST_F(KeyQueueTest, TellsOfALongQueueWhatWaitsForLongest) {
  for (std::size_t i = 0; i < telemetry::kMostShown + 7; ++i) {
    Add({"Policy", "n", std::to_string(i)});
    Pass(1s);
  }
  const telemetry::QueueDebugState debug_state = queue_.DebugState();
  ASSERT_EQ(debug_state.waiting.items.size(), telemetry::kMostShown);
  EXPECT_EQ(debug_state.waiting.left_out, 7U);
  EXPECT_EQ(debug_state.waiting.items.front().object, "Policy n/0");
  EXPECT_EQ(debug_state.waiting.items.back().object, "Policy n/99");
}

TEST_F(KeyQueueTest, TellsWhenThereIsAKey) {
  EXPECT_EQ(queue_.WakeAt(), process::SteadyTime::max());
  AddAfter(kA, 10s);
  AddAfter(kB, 20s);
  EXPECT_EQ(queue_.Take(now_).wake_at, now_ + 10s);
  Add(kB);
  EXPECT_EQ(queue_.WakeAt(), process::SteadyTime::min());
  EXPECT_EQ(queue_.Take(now_).wake_at, now_ + 10s) << "the next one's";
  Add(kB);
  EXPECT_EQ(queue_.WakeAt(), now_ + 10s) << "it is in work";
  Done(kB);
  EXPECT_EQ(queue_.WakeAt(), process::SteadyTime::min());
}

TEST_F(KeyQueueTest, OfThoseThatAreDueUrgentOnesAreTakenFirst) {
  const ObjectReference other{"Policy", "other", "c"};
  AddAfter(kA, 1s);
  AddAfter(kB, 2s, Urgency::kUrgent);
  AddAfter(other, 2s, Urgency::kUrgent);
  Pass(2s);
  EXPECT_EQ(queue_.depth(), 0U) << "nobody has looked";
  EXPECT_EQ(Take(), kB);
  EXPECT_EQ(Take(), other);
  EXPECT_EQ(Take(), kA);
  queue_.Resume(kA);
  queue_.Resume(kB);
  EXPECT_EQ(Take(), kB) << "likewise";
  EXPECT_EQ(Take(), kA);
  AddAfter(kB, 1s, Urgency::kUrgent);
  Pass(1s);
  EXPECT_EQ(Take(), std::nullopt) << "it is in work";
  Done(kA);
  Add(kA);
  Done(kB);
  EXPECT_EQ(Take(), kB);
  EXPECT_EQ(Take(), kA);
}

TEST_F(KeyQueueTest, UrgentOnesTakeTurnsWithOthersThatHaveWaited) {
  for (const char* name : {"1", "2", "3", "4"}) {
    AddAfter({"Policy", "n", name}, 1ms, Urgency::kUrgent);
  }
  Add(kA);
  Add(kB);
  Pass(KeyQueue::kPatience - 1ms);
  EXPECT_EQ(Take()->name, "1");
  EXPECT_EQ(Take()->name, "2");
  Pass(1ms);
  EXPECT_EQ(Take(), kA);
  EXPECT_EQ(Take()->name, "3");
  EXPECT_EQ(Take(), kB);
  EXPECT_EQ(Take()->name, "4");
}

TEST_F(KeyQueueTest, PatientOnesWaitWhileUrgentOnesDo) {
  const ObjectReference patient{"Policy", "n", "patient"};
  const auto add = [&] {
    AddAfter(patient, 2ms, Urgency::kPatient);
    AddAfter(kA, 1ms, Urgency::kUrgent);
    AddAfter(kB, 2ms);
    Pass(2ms);
  };
  add();
  EXPECT_EQ(Take(), kA);
  EXPECT_EQ(queue_.depth(), 2U);
  EXPECT_EQ(Take(), kB);
  EXPECT_EQ(Take(), patient);
  for (const auto& key : {kA, kB, patient}) {
    Done(key);
  }
  add();
  Pass(KeyQueue::kLongestPatience);
  std::vector<ObjectReference> taken;
  for (int i = 0; i < 3; ++i) {
    taken.push_back(Take().value());
  }
  EXPECT_THAT(taken, testing::ElementsAre(kA, kB, patient)) << "as any other";
}

// Also if it would have been due as a usual one by then: else most of those that share a boundary
// with scale-outs would come before these, each at its own turn in the period.
TEST_F(KeyQueueTest, APatientOneWaitsForSoLongAtMost) {
  AddAfter(kA, 1ms, Urgency::kPatient);
  AddAfter(kA, 5s);
  for (const char* name : {"1", "2", "3", "4", "5"}) {
    AddAfter({"Policy", "n", name}, 1ms, Urgency::kUrgent);
  }
  Pass(1ms);
  EXPECT_EQ(Take()->name, "1");
  EXPECT_EQ(queue_.depth(), 5U);
  Pass(6s);
  EXPECT_EQ(Take()->name, "2");
  Pass(KeyQueue::kLongestPatience - 6s - 1ns);
  EXPECT_EQ(Take()->name, "3");
  Pass(1ns);
  EXPECT_EQ(Take()->name, "4") << "it is a usual one, and has not waited as such";
  Pass(KeyQueue::kPatience);
  EXPECT_EQ(Take(), kA);
  EXPECT_EQ(Take()->name, "5");
}

TEST_F(KeyQueueTest, APatientOneMayHaveLessPatience) {
  queue_.AddAfter(kA, 1ms, now_, Urgency::kPatient, 1s);
  for (const char* name : {"1", "2", "3"}) {
    AddAfter({"Policy", "n", name}, 1ms, Urgency::kUrgent);
  }
  Pass(1s + 1ms);
  EXPECT_EQ(Take()->name, "1");
  Pass(KeyQueue::kPatience);
  EXPECT_EQ(Take(), kA);
  EXPECT_EQ(Take()->name, "2");
}

TEST_F(KeyQueueTest, APatientOneThatIsAddedWaitsForItsTurnOnly) {
  for (const char* name : {"1", "2"}) {
    AddAfter({"Policy", "n", name}, 1ms, Urgency::kUrgent);
  }
  AddAfter(kA, 1ms, Urgency::kPatient);
  Pass(1ms);
  EXPECT_EQ(Take()->name, "1");
  Add(kA);
  Pass(KeyQueue::kPatience);
  EXPECT_EQ(Take(), kA);
  AddAfter(kA, 1ms, Urgency::kPatient);
  Pass(1ms);
  EXPECT_EQ(Take()->name, "2");
  Add(kB);
  Add(kA);
  for (const char* name : {"3", "4"}) {
    AddAfter({"Policy", "n", name}, 1ms, Urgency::kUrgent);
  }
  Pass(KeyQueue::kPatience);
  Done(kA);
  EXPECT_EQ(Take(), kB);
  EXPECT_EQ(Take()->name, "3");
  EXPECT_EQ(Take(), kA) << "though it was in work when it was added";
  EXPECT_EQ(Take()->name, "4");
}

// For which it is no longer patient.
TEST_F(KeyQueueTest, APatientOneIsDueByALaterAddAsWell) {
  const ObjectReference patient{"Policy", "n", "patient"};
  for (const Urgency urgency : {Urgency::kUsual, Urgency::kUrgent}) {
    for (const char* name : {"1", "2", "3"}) {
      AddAfter({"Policy", "n", name}, 1ms, Urgency::kUrgent);
    }
    AddAfter(patient, 2ms, Urgency::kPatient);
    Pass(2ms);
    EXPECT_EQ(Take()->name, "1");
    AddAfter(patient, 3s, urgency);
    Pass(2999ms);
    EXPECT_EQ(Take()->name, "2");
    Pass(1ms);
    EXPECT_EQ(queue_.Take(now_).key->name, "3");
    EXPECT_EQ(Take(), patient);
    EXPECT_EQ(Take(), std::nullopt);
    for (const char* name : {"1", "2", "3", "patient"}) {
      Done({"Policy", "n", name});
    }
  }
}

// One namespace has more urgent keys than the worker can do; of the others, one has many keys, and
// one gets a new one now and then, which may be the next when it has hardly waited.
TEST_F(KeyQueueTest, UrgentOnesOfANamespaceDelayOthersByPatienceAndATurnEach) {
  constexpr auto kWork = 10ms;
  constexpr int kMany = 100;
  int urgent = 0;
  int few = 0;
  for (; urgent < 3; ++urgent) {
    AddAfter({"Policy", "flood", std::to_string(urgent)}, 1ms, Urgency::kUrgent);
  }
  for (int i = 0; i < kMany; ++i) {
    Add({"Policy", "many", std::to_string(i)});
  }
  const process::SteadyTime began = now_;
  int done = 0;  // of the many
  for (int turn = 0; done < kMany; ++turn) {
    ASSERT_LE(now_ - began, KeyQueue::kPatience + 2 * (kMany + few) * kWork);
    if (turn % 50 == 0) {
      Add({"Policy", "few", std::to_string(few++)});
    }
    Pass(kWork);
    const ObjectReference key = Take().value();
    if (key.namespace_ == "flood") {
      AddAfter({"Policy", "flood", std::to_string(urgent++)}, 1ms, Urgency::kUrgent);
    }
    done += key.namespace_ == "many" ? 1 : 0;
    Done(key);
  }
}

TEST_F(KeyQueueTest, AKeyThatFallsDueInWorkIsTakenAfterIt) {
  Add(kA);
  EXPECT_EQ(Take(), kA);
  AddAfter(kA, 1s);
  Pass(2s);
  EXPECT_EQ(Take(), std::nullopt);
  Done(kA);
  EXPECT_EQ(Take(), kA);
  EXPECT_EQ(Take(), std::nullopt);
}

TEST_F(KeyQueueTest, ADoneThatComesTwiceOrWithoutWorkChangesNothing) {
  Done(kA);
  Add(kA);
  EXPECT_EQ(Take(), kA);
  Done(kA);
  EXPECT_TRUE(queue_.idle());
  Add(kA);
  Done(kA);
  EXPECT_EQ(queue_.depth(), 1U);
  EXPECT_EQ(Take(), kA);
  EXPECT_EQ(Take(), std::nullopt);
}

TEST_F(KeyQueueTest, WorkThatEndsAfterTheCloseIsNotTakenAgain) {
  Add(kA);
  EXPECT_EQ(Take(), kA);
  Add(kA);
  queue_.Close();
  EXPECT_FALSE(queue_.idle());
  AddRateLimited(kA);
  Done(kA);
  EXPECT_TRUE(queue_.idle());
  Pass(1h);
  EXPECT_EQ(Take(), std::nullopt);
  EXPECT_EQ(queue_.WakeAt(), process::SteadyTime::max());
}

TEST_F(KeyQueueTest, CloseDropsWhatWaitsAndTakesNoMore) {
  Add(kA);
  AddAfter(kB, 1s);
  queue_.Close();
  Add(kB);
  AddAfter(kA, 1s);
  Pass(1s);
  EXPECT_EQ(queue_.depth(), 0U);
  EXPECT_EQ(Take(), std::nullopt);
}

TEST(KeyQueueMetrics, TellWhatTheQueueDoes) {
  process::SteadyTime now(1h);
  telemetry::Registry registry;
  KeyQueue queue({.metrics = WorkQueueMetrics(registry, "q")});
  const auto value = [&](const std::string& name) {
    const std::string text = registry.Print();
    const std::string line = "workqueue_" + name + "{name=\"q\",controller=\"q\"} ";
    const auto at = text.find(line);
    return at == std::string::npos ? -1 : std::stod(text.substr(at + line.size()));
  };
  queue.Add({"Policy", "a", "1"}, now);
  queue.Add({"Policy", "a", "1"}, now);
  queue.Add({"Policy", "a", "2"}, now);
  EXPECT_EQ(value("adds_total"), 2);
  EXPECT_EQ(value("depth"), 2);
  now += 3s;
  const auto key = queue.Take(now).key;
  EXPECT_EQ(value("depth"), 1);
  EXPECT_EQ(value("queue_duration_seconds_sum"), 3);
  now += 5s;
  EXPECT_EQ(queue.LongestRunning(now), 5s);
  queue.TellProgress(now);
  EXPECT_EQ(value("longest_running_processor_seconds"), 5);
  EXPECT_EQ(value("unfinished_work_seconds"), 5);
  queue.AddRateLimited(*key, now);
  queue.Done(*key, now);
  EXPECT_EQ(value("retries_total"), 1);
  EXPECT_EQ(value("work_duration_seconds_sum"), 5);
  EXPECT_EQ(queue.LongestRunning(now), 0s);
  queue.AddAfter({"Policy", "a", "urgent"}, 1s, now, Urgency::kUrgent);
  queue.AddAfter({"Policy", "a", "patient"}, 1s, now, Urgency::kPatient);
  now += 1s;
  EXPECT_EQ(queue.Take(now).key->name, "urgent");
  EXPECT_EQ(value("depth"), 3) << "the second, the first once more, and the patient one";
  const double sum = value("queue_duration_seconds_sum");
  now += 3s;
  for (const char* name : {"2", "1", "patient"}) {
    EXPECT_EQ(queue.Take(now).key->name, name);
  }
  EXPECT_EQ(value("queue_duration_seconds_sum"), sum + 12 + 3 + 3);
  EXPECT_EQ(value("depth"), 0);
  queue.Close();
  EXPECT_EQ(value("depth"), 0);
}

}  // namespace
}  // namespace ballast::runtime
