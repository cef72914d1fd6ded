#include "operator/controllers/write_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "operator/controllers/attempt.h"
#include "tests/support/fake_clock.h"

namespace ballast::controllers {
namespace {

using testing::ElementsAre;

WriteQueue::Write Scale(const std::string& name, int from, int to) {
  return {.of = {api::kPolicyKind, "shop", name},
          .began = {},
          .request = WriteScale{std::make_shared<const engine::Snapshot>(), {"d1", from, to}},
          .submitted = runtime::ReadBoth(support::FakeClock())};
}

WriteQueue::Write Status(const std::string& name) {
  return {.of = {api::kPolicyKind, "shop", name},
          .began = {},
          .request = WriteStatus{},
          .submitted = runtime::ReadBoth(support::FakeClock())};
}

std::vector<std::string> TakeAll(WriteQueue& queue) {
  queue.Close();
  std::vector<std::string> names;
  while (const auto write = queue.Take()) {
    names.push_back(write->of.name);
    queue.Done();
  }
  return names;
}

TEST(WriteQueue, HandsOutWhatIsMostUrgentFirst) {
  support::FakeClock clock;
  WriteQueue queue(clock, 64);
  queue.Submit(Status("status"));
  queue.Submit(Scale("half-less", 10, 5));
  queue.Submit(Scale("a-tenth-more", 100, 110));
  queue.Submit(Status("later-status"));
  queue.Submit(Scale("twice", 10, 20));
  queue.Submit(Scale("three-times", 1, 3));
  queue.Submit(Scale("a-tenth-less", 10, 9));
  queue.Submit(Scale("twice-later", 1, 2));
  queue.Submit(Scale("from-nothing", 0, 1));
  EXPECT_THAT(TakeAll(queue),
              ElementsAre("from-nothing", "three-times", "twice", "twice-later", "a-tenth-more",
                          "a-tenth-less", "half-less", "status", "later-status"));
}

TEST(WriteQueue, AScaleThatWaitedTooLongIsNotSent) {
  using std::chrono::milliseconds;
  const WriteQueue::Write scale = Scale("web", 1, 2);
  const auto after = [&](std::chrono::nanoseconds wall, std::chrono::nanoseconds steady) {
    return runtime::Instant{scale.submitted.wall + Duration{wall.count()},
                            scale.submitted.steady + steady};
  };
  EXPECT_FALSE(scale.Expired(after(kLongestWait, kLongestWait)));
  for (const auto& late :
       {after(milliseconds(5001), milliseconds(0)),      // the machine slept
        after(milliseconds(-1), milliseconds(5001))}) {  // the clock was set back
    const auto expired = scale.Expired(late);
    ASSERT_TRUE(expired);
    EXPECT_EQ(expired->outcome->kind, engine::Outcome::Kind::kFailed);
    EXPECT_FALSE(Status("web").Expired(late));
  }
}

// Their policies can be evaluated anew, and may by now need more replicas.
TEST(WriteQueue, HandsOutFirstWhatHasExpired) {
  support::FakeClock clock;
  WriteQueue queue(clock, 64);
  const auto now = [&](WriteQueue::Write write) {
    write.submitted = runtime::ReadBoth(clock);
    return write;
  };
  queue.Submit(now(Scale("old-less", 10, 5)));
  clock.Advance(kLongestWait + std::chrono::seconds(1));
  queue.Submit(now(Status("status")));
  queue.Submit(now(Scale("more", 1, 2)));
  EXPECT_THAT(TakeAll(queue), ElementsAre("old-less", "more", "status"));
}

// A write under way may lead to another one of its evaluation.
TEST(WriteQueue, EndsWhenItIsClosedAndNothingIsUnderWay) {
  support::FakeClock clock;
  WriteQueue queue(clock, 64);
  queue.Submit(Scale("web", 1, 2));
  ASSERT_TRUE(queue.Take());
  queue.Close();
  std::vector<std::string> taken;
  std::thread other([&] { taken = TakeAll(queue); });
  queue.Submit(Status("web"));
  queue.Done();
  other.join();
  EXPECT_THAT(taken, ElementsAre("web"));
}

TEST(WriteQueue, HasRoomForSoMany) {
  support::FakeClock clock;
  WriteQueue queue(clock, 2);
  queue.WaitForRoom();
  queue.Submit(Status("a"));
  queue.WaitForRoom();
  queue.Submit(Status("b"));
  std::thread waits([&] {
    queue.WaitForRoom();
    queue.Submit(Status("c"));
  });
  EXPECT_TRUE(queue.Take());
  waits.join();
  queue.Submit(Status("d"));  // continues an evaluation, which always has room
  queue.Done();
  EXPECT_THAT(TakeAll(queue), ElementsAre("b", "c", "d"));
}

TEST(WriteQueue, IsSealedWhenNoWriteIsWaitingOrUnderWay) {
  support::FakeClock clock;
  WriteQueue queue(clock, 1);
  queue.Submit(Status("a"));
  ASSERT_TRUE(queue.Take());
  const std::jthread writer([&] {
    queue.Submit(Status("b"));  // by the evaluation that continues
    queue.Done();
    EXPECT_FALSE(queue.sealed());
    EXPECT_TRUE(queue.Take());
    EXPECT_FALSE(queue.sealed());
    queue.Done();
  });
  queue.Seal();
  EXPECT_TRUE(queue.sealed());
  queue.Submit(Status("late"));
  EXPECT_TRUE(queue.Take()) << "to be refused";
}

}  // namespace
}  // namespace ballast::controllers
