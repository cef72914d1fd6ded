#include "operator/runtime/work_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/fake_clock.h"

namespace ballast::runtime {
namespace {

using namespace std::chrono_literals;
using api::ObjectKey;

const ObjectKey kA{"n", "a"};
const ObjectKey kB{"n", "b"};

class WorkQueueTest : public testing::Test {
 protected:
  support::FakeClock clock_;
  WorkQueue queue_{clock_};
};

TEST_F(WorkQueueTest, HandsOutEachKeyOnceInOrder) {
  queue_.Add(kA);
  queue_.Add(kB);
  queue_.Add(kA);
  EXPECT_EQ(queue_.depth(), 2U);
  EXPECT_EQ(queue_.Get(), kA);
  EXPECT_EQ(queue_.Get(), kB);
  EXPECT_EQ(queue_.depth(), 0U);
}

TEST_F(WorkQueueTest, NamespacesTakeTurns) {
  for (const char* name : {"1", "2", "3"}) {
    queue_.Add({"many", name});
  }
  queue_.Add({"few", "1"});
  queue_.Add({"none", "1"});
  EXPECT_EQ(queue_.depth(), 5U);
  for (const ObjectKey& key :
       {ObjectKey{"many", "1"}, {"few", "1"}, {"none", "1"}, {"many", "2"}}) {
    EXPECT_EQ(queue_.Get(), key);
  }
  queue_.Add({"few", "2"});
  EXPECT_EQ(queue_.Get(), (ObjectKey{"many", "3"}));
  EXPECT_EQ(queue_.Get(), (ObjectKey{"few", "2"}));
  EXPECT_EQ(queue_.depth(), 0U);
}

TEST_F(WorkQueueTest, AKeyAddedWhileInWorkRunsOnceMoreAfterIt) {
  queue_.Add(kA);
  EXPECT_EQ(queue_.Get(), kA);
  queue_.Add(kA);
  queue_.Add(kA);
  EXPECT_EQ(queue_.depth(), 0U) << "it must not be handed out a second time now";
  queue_.Done(kA);
  EXPECT_EQ(queue_.depth(), 1U);
  EXPECT_EQ(queue_.Get(), kA);
  queue_.Done(kA);
  EXPECT_EQ(queue_.depth(), 0U);
}

TEST_F(WorkQueueTest, OfTwoDelayedAddsTheEarlierCounts) {
  queue_.AddAfter(kA, 10s);
  queue_.AddAfter(kA, 5s);
  queue_.AddAfter(kA, 7s);
  queue_.AddAfter(kB, 6s);
  clock_.Advance(6s);
  EXPECT_EQ(queue_.Get(), kA);
  EXPECT_EQ(queue_.Get(), kB);
  queue_.Done(kA);
  clock_.Advance(1h);
  queue_.Add(kB);
  queue_.Done(kB);
  EXPECT_EQ(queue_.Get(), kB);
  EXPECT_EQ(queue_.depth(), 0U) << "the later deadlines are gone";
}

TEST_F(WorkQueueTest, AWaitingWorkerIsWokenByTheClockAndByAnEarlierDeadline) {
  queue_.AddAfter(kA, 10s);
  std::thread worker([&] { EXPECT_EQ(queue_.Get(), kB); });
  EXPECT_EQ(clock_.AwaitSleeper(), 10s);
  queue_.AddAfter(kB, 3s);
  while (clock_.AwaitSleeper() != 3s) {
  }
  clock_.Advance(3s);
  worker.join();
}

TEST_F(WorkQueueTest, AnAddDoesNotCancelADelayedOne) {
  queue_.AddAfter(kA, 10s);
  queue_.Add(kA);
  EXPECT_EQ(queue_.Get(), kA);
  queue_.Done(kA);
  clock_.Advance(10s);
  EXPECT_EQ(queue_.Get(), kA);
}

TEST_F(WorkQueueTest, RemoveForgetsTheDelayedAdd) {
  queue_.AddAfter(kA, 10s);
  queue_.Remove(kA);
  queue_.AddAfter(kB, 20s);
  clock_.Advance(20s);
  EXPECT_EQ(queue_.Get(), kB);
  EXPECT_EQ(queue_.depth(), 0U);
}

TEST_F(WorkQueueTest, FailuresBackOffUpToFiveMinutes) {
  const auto delay = [&] {
    queue_.AddRateLimited(kA);
    std::thread worker([&] {
      const auto key = queue_.Get();
      ASSERT_EQ(key, kA);
      queue_.Done(*key);
    });
    const auto span = clock_.AwaitSleeper();
    clock_.Advance(span);
    worker.join();
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

// As "n/a 2s".
std::vector<std::string> Ages(const telemetry::Shown<telemetry::KeySince>& keys, SteadyTime now) {
  std::vector<std::string> ages;
  for (const auto& [object, since] : keys.items) {
    ages.push_back(object + " " +
                   std::to_string(std::chrono::floor<std::chrono::seconds>(now - since).count()) +
                   "s");
  }
  return ages;
}

TEST_F(WorkQueueTest, TellsWhatWaitsAndWhatIsInWork) {
  queue_.Add(kB);
  EXPECT_EQ(queue_.Get(), kB);
  clock_.Advance(1s);
  queue_.Add(kB);  // once more, when it is done: not waiting for a worker
  queue_.Add({"n", "c"});
  clock_.Advance(1s);
  queue_.Add(kA);
  queue_.AddAfter({"n", "d"}, 1h);
  clock_.Advance(1s);
  const telemetry::QueueInside inside = queue_.Inside();
  EXPECT_THAT(Ages(inside.in_work, clock_.Steady()), testing::ElementsAre("n/b 3s"));
  EXPECT_THAT(Ages(inside.waiting, clock_.Steady()), testing::ElementsAre("n/c 2s", "n/a 1s"));
  EXPECT_EQ(inside.waiting.left_out, 0U);
  EXPECT_EQ(inside.delayed, 1U);
}

TEST_F(WorkQueueTest, TellsOfALongQueueWhatWaitsForLongest) {
  for (std::size_t i = 0; i < telemetry::kMostShown + 7; ++i) {
    queue_.Add({"n", std::to_string(i)});
    clock_.Advance(1s);
  }
  const telemetry::QueueInside inside = queue_.Inside();
  ASSERT_EQ(inside.waiting.items.size(), telemetry::kMostShown);
  EXPECT_EQ(inside.waiting.left_out, 7U);
  EXPECT_EQ(inside.waiting.items.front().object, "n/0");
  EXPECT_EQ(inside.waiting.items.back().object, "n/99");
}

TEST_F(WorkQueueTest, DrainDropsWhatWaitsAndTakesNoMore) {
  queue_.Add(kA);
  queue_.AddAfter(kB, 1s);
  queue_.Drain();
  queue_.Add(kB);
  queue_.AddAfter(kA, 1s);
  clock_.Advance(1s);
  EXPECT_EQ(queue_.depth(), 0U);
  EXPECT_EQ(queue_.Get(), std::nullopt);
}

TEST_F(WorkQueueTest, DrainWakesWaitingWorkers) {
  std::vector<std::jthread> workers;
  for (int i = 0; i < 3; ++i) {
    workers.emplace_back([&] { EXPECT_EQ(queue_.Get(), std::nullopt); });
  }
  queue_.Drain();
}

TEST_F(WorkQueueTest, DrainWaitsForWorkersOnly) {
  queue_.Add(kA);
  queue_.Add(kB);
  EXPECT_EQ(queue_.Get(), kA);
  queue_.Add(kA);
  std::atomic<bool> done = false;
  std::thread drainer([&] {
    queue_.Drain();
    EXPECT_TRUE(done);
  });
  EXPECT_EQ(queue_.Get() == kB ? queue_.Get() : std::nullopt, std::nullopt);
  queue_.Done(kB);
  done = true;
  queue_.Done(kA);
  drainer.join();
  EXPECT_EQ(queue_.Get(), std::nullopt);
}

// The promise the queue exists for, under as much contention as the machine gives.
TEST(WorkQueue, NeverRunsOneKeyTwiceAtOnceAndLosesNone) {
  constexpr int kKeys = 5;
  constexpr int kAdds = 20'000;
  SystemClock clock;
  WorkQueue queue(clock);
  std::atomic<int> in_work[kKeys] = {};
  std::atomic<int> wanted[kKeys] = {};
  std::atomic<int> seen[kKeys] = {};
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i) {
    workers.emplace_back([&] {
      while (const auto key = queue.Get()) {
        const int n = key->name[0] - '0';
        EXPECT_EQ(in_work[n].fetch_add(1), 0);
        seen[n] = wanted[n].load();
        in_work[n].fetch_sub(1);
        queue.Done(*key);
      }
    });
  }
  std::vector<std::thread> adders;
  for (int i = 0; i < 2; ++i) {
    adders.emplace_back([&, i] {
      for (int n = 0; n < kAdds; ++n) {
        const int key = (n * 7 + i) % kKeys;
        ++wanted[key];
        if (n % 3 == 0) {
          queue.AddAfter({"n", std::to_string(key)}, std::chrono::nanoseconds(n % 1000));
        }
        queue.Add({"n", std::to_string(key)});
      }
    });
  }
  for (std::thread& adder : adders) {
    adder.join();
  }
  const auto last_was_seen = [&] { return std::ranges::equal(seen, wanted); };
  const auto patience = std::chrono::steady_clock::now() + 10s;
  while (!last_was_seen() && std::chrono::steady_clock::now() < patience) {
    std::this_thread::yield();
  }
  EXPECT_TRUE(last_was_seen()) << "the last state was not worked on";
  queue.Drain();
  for (std::thread& worker : workers) {
    worker.join();
  }
}

TEST(WorkQueueMetrics, TellWhatTheQueueDoes) {
  support::FakeClock clock;
  telemetry::Registry registry;
  WorkQueue queue(clock, {.metrics = WorkQueueMetrics(registry, "q")});
  const auto value = [&](const std::string& name) {
    const std::string text = registry.Print();
    const std::string line = "workqueue_" + name + "{name=\"q\",controller=\"q\"} ";
    const auto at = text.find(line);
    return at == std::string::npos ? -1 : std::stod(text.substr(at + line.size()));
  };
  queue.Add({"a", "1"});
  queue.Add({"a", "1"});
  queue.Add({"a", "2"});
  EXPECT_EQ(value("adds_total"), 2);
  EXPECT_EQ(value("depth"), 2);
  clock.Advance(std::chrono::seconds(3));
  const auto key = queue.Get();
  EXPECT_EQ(value("depth"), 1);
  EXPECT_EQ(value("queue_duration_seconds_sum"), 3);
  clock.Advance(std::chrono::seconds(5));
  EXPECT_EQ(queue.LongestRunning(), std::chrono::seconds(5));
  queue.TellProgress();
  EXPECT_EQ(value("longest_running_processor_seconds"), 5);
  EXPECT_EQ(value("unfinished_work_seconds"), 5);
  queue.AddRateLimited(*key);
  queue.Done(*key);
  EXPECT_EQ(value("retries_total"), 1);
  EXPECT_EQ(value("work_duration_seconds_sum"), 5);
  EXPECT_EQ(queue.LongestRunning(), std::chrono::seconds(0));
  queue.Drain();
  EXPECT_EQ(value("depth"), 0);
}

}  // namespace
}  // namespace ballast::runtime
