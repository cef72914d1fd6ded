#include "operator/runtime/work_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/fake_clock.h"
#include "tests/support/test_patience.h"

namespace ballast::runtime {
namespace {

using namespace std::chrono_literals;
using api::ObjectReference;

const ObjectReference kA{"Policy", "n", "a"};
const ObjectReference kB{"Policy", "n", "b"};

class WorkQueueTest : public testing::Test {
 protected:
  support::FakeClock clock_;
  WorkQueue queue_{clock_};
};

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

TEST_F(WorkQueueTest, TellsWhatItsKeysDo) {
  queue_.Add(kA);
  queue_.AddAfter(kB, 10s);
  EXPECT_EQ(queue_.depth(), 1U);
  EXPECT_EQ(queue_.Get(), kA);
  clock_.Advance(1s);
  EXPECT_EQ(queue_.LongestRunning(), 1s);
  EXPECT_EQ(queue_.DebugState().delayed, 1U);
  queue_.Remove(kB);
  EXPECT_EQ(queue_.DebugState().delayed, 0U);
  queue_.AddRateLimited(kA);
  queue_.Forget(kA);
  clock_.Advance(5ms);
  queue_.Done(kA);
  EXPECT_EQ(queue_.Get(), kA);
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

class CountingClock final : public process::Clock {
 public:
  Time Now() const override { return clock_.Now(); }
  process::SteadyTime Steady() const override { return clock_.Steady(); }
  void WaitUntil(std::unique_lock<std::mutex>& lock, std::condition_variable& wake,
                 process::SteadyTime deadline) override {
    ++waits;
    ++asleep;
    asleep.notify_all();
    clock_.WaitUntil(lock, wake, deadline);
    --asleep;
  }
  std::atomic<int> waits = 0;
  std::atomic<int> asleep = 0;

 private:
  process::SystemClock clock_;
};

// Others would only look and wait again.
TEST(WorkQueue, AKeyWakesOneWorker) {
  constexpr int kWorkers = 3;
  constexpr int kKeys = 2'000;
  CountingClock clock;
  WorkQueue queue(clock);
  queue.AddAfter(kA, 1h);
  std::atomic<int> done = 0;
  std::vector<std::jthread> workers;
  for (int i = 0; i < kWorkers; ++i) {
    workers.emplace_back([&] {
      while (const auto key = queue.Get()) {
        queue.Done(*key);
        ++done;
        done.notify_one();
      }
    });
  }
  for (int i = 0; i < kKeys; ++i) {
    for (int asleep = clock.asleep; asleep < kWorkers; asleep = clock.asleep) {
      clock.asleep.wait(asleep);
    }
    queue.Add(kB);
    done.wait(i);
  }
  EXPECT_LE(clock.waits, kKeys + kWorkers);
  queue.Close();
}

// The queue's main guarantee, under as much contention as the machine allows.
TEST(WorkQueue, NeverRunsOneKeyTwiceAtOnceAndLosesNone) {
  constexpr int kKeys = 5;
  constexpr int kAdds = 20'000;
  process::SystemClock clock;
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
          queue.AddAfter({"Policy", "n", std::to_string(key)}, std::chrono::nanoseconds(n % 1000));
        }
        queue.Add({"Policy", "n", std::to_string(key)});
      }
    });
  }
  for (std::thread& adder : adders) {
    adder.join();
  }
  const auto last_was_seen = [&] { return std::ranges::equal(seen, wanted); };
  const auto deadline = std::chrono::steady_clock::now() + support::Patience();
  while (!last_was_seen() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  EXPECT_TRUE(last_was_seen()) << "the last state was not worked on";
  queue.Drain();
  for (std::thread& worker : workers) {
    worker.join();
  }
}

}  // namespace
}  // namespace ballast::runtime
