#include "operator/controllers/write_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "operator/session/attempt.h"
#include "tests/support/fake_clock.h"

namespace ballast::controllers {
namespace {

using testing::ElementsAre;

constexpr WriteLimits kLimits{.scales_waiting = 2, .scales_under_way = 8, .statuses_under_way = 1};

WriteQueue::Write Scale(const std::string& name, int from, int to,
                        const std::string& namespace_ = "shop") {
  return {
      .of = {api::kPolicyKind, namespace_, name},
      .began = {},
      .request = session::WriteScale{std::make_shared<const engine::Snapshot>(), {"d1", from, to}},
      .submitted = process::ReadBoth(support::FakeClock())};
}

constexpr auto kYields = Duration::Seconds(7);

WriteQueue::Write Status(const std::string& name, const std::string& namespace_ = "shop") {
  return {.of = {api::kPolicyKind, namespace_, name},
          .began = {},
          .request = session::WriteStatus{.yields = kYields},
          .submitted = process::ReadBoth(support::FakeClock())};
}

// One that has waited for so long that it no longer leaves all to scales.
WriteQueue::Write OldStatus(const std::string& name, const std::string& namespace_ = "shop") {
  WriteQueue::Write status = Status(name, namespace_);
  status.submitted.steady -= std::chrono::nanoseconds(kYields.nanoseconds);
  return status;
}

// Takes the next write, once there is one, on a thread of its own; it must have that name.
std::jthread TakeBeside(WriteQueue& queue, const char* name) {
  return std::jthread([&queue, name] {
    const auto next = queue.Take();
    EXPECT_EQ(next->of.name, name);
    queue.Done(*next);
  });
}

std::vector<std::string> TakeAll(WriteQueue& queue) {
  queue.Close();
  std::vector<std::string> names;
  while (const auto write = queue.Take()) {
    names.push_back(write->of.name);
    queue.Done(*write);
  }
  return names;
}

TEST(WriteQueue, HandsOutWhatIsMostUrgentFirst) {
  support::FakeClock clock;
  WriteQueue queue(clock, kLimits);
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

// Scale-outs of all come before scale-ins of any.
TEST(WriteQueue, NamespacesTakeTurns) {
  support::FakeClock clock;
  WriteQueue queue(clock, kLimits);
  for (const std::string number : {"1", "2", "3"}) {
    queue.Submit(Status("status-" + number, "noisy"));
    queue.Submit(Scale("in-" + number, 9, 3, "noisy"));
    queue.Submit(Scale("out-" + number, 1, 9, "noisy"));
  }
  queue.Submit(Status("status"));
  queue.Submit(Scale("in", 10, 9));
  queue.Submit(Scale("out", 10, 11));
  queue.Submit(Scale("from-nothing", 0, 1));
  EXPECT_THAT(TakeAll(queue),
              ElementsAre("out-1", "from-nothing", "out-2", "out", "out-3", "in-1", "in", "in-2",
                          "in-3", "status-1", "status", "status-2", "status-3"));
}

// Though lanes are left, which those of the other namespace may not have.
TEST(WriteQueue, AScaleInWaitsAWhileForScaleOutsThatAreServed) {
  using std::chrono::milliseconds;
  const struct {
    const char* name;
    milliseconds waited;  // when the scale-outs began
    milliseconds since;
    const char* next;
  } kCases[] = {{"prompt", milliseconds(0), milliseconds(900), "status"},
                {"slow", milliseconds(0), milliseconds(1001), "in"},
                {"for 2 s", milliseconds(1500), milliseconds(500), "in"},
                {"not yet", milliseconds(1500), milliseconds(499), "status"}};
  for (const auto& c : kCases) {
    support::FakeClock clock;
    WriteQueue queue(clock, {.scales_waiting = 9, .scales_under_way = 8, .statuses_under_way = 1});
    queue.Submit(Scale("in", 10, 9));
    queue.Submit(OldStatus("status"));
    clock.Advance(c.waited);
    std::vector<WriteQueue::Write> under_way;
    const auto take = [&] { return under_way.emplace_back(*queue.Take()).of.name; };
    for (int i = 0; i < 5; ++i) {
      queue.Submit(Scale("out", 1, 9, "busy"));
    }
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(take(), "out") << c.name;
    }
    clock.Advance(c.since);
    EXPECT_EQ(take(), c.next) << c.name;
    for (const WriteQueue::Write& write : under_way) {
      queue.Done(write);
    }
    EXPECT_EQ(TakeAll(queue).size(), 2U) << c.name;
  }
}

// As in an admission webhook of the namespace.
TEST(WriteQueue, WritesThatHangKeepNoOtherNamespaceWaiting) {
  support::FakeClock clock;
  WriteQueue queue(clock, {.scales_waiting = 2, .scales_under_way = 8, .statuses_under_way = 4});
  queue.Submit(Scale("first", 1, 2));
  queue.Done(*queue.Take());
  for (int i = 0; i < 40; ++i) {
    queue.Submit(Scale("hangs", 1, 9, "noisy"));
    queue.Submit(Status("hangs", "noisy"));
  }
  std::vector<WriteQueue::Write> hanging;
  for (int i = 0; i < 4; ++i) {
    hanging.push_back(*queue.Take());
    EXPECT_EQ(hanging.back().of.namespace_, "noisy");
  }
  clock.Advance(std::chrono::milliseconds(1001));
  for (int i = 0; i < 20; ++i) {
    queue.Submit(Scale("out", 10, 11));
    queue.WaitForRoom();
    const auto write = queue.Take();
    EXPECT_EQ(write->of.namespace_, "shop");
    queue.Done(*write);
  }
  for (const WriteQueue::Write& write : hanging) {
    queue.Done(write);
  }
  EXPECT_EQ(TakeAll(queue).size(), 36U + 40U);
}

// Though nothing else happens meanwhile.
TEST(WriteQueue, WhatMayNotBeginExpires) {
  support::FakeClock clock;
  WriteQueue queue(clock, {.scales_waiting = 9, .scales_under_way = 1, .statuses_under_way = 1});
  const auto submit = [&](const std::string& name) {
    WriteQueue::Write write = Scale(name, 1, 9, "noisy");
    write.submitted = process::ReadBoth(clock);
    queue.Submit(std::move(write));
  };
  submit("hangs");
  submit("waits");
  const auto hangs = queue.Take();
  std::jthread writer([&] {
    const auto waits = queue.Take();
    EXPECT_EQ(waits->of.name, "waits");
    EXPECT_TRUE(waits->Expired(process::ReadBoth(clock)));
    queue.Done(*waits);
  });
  EXPECT_LE(clock.AwaitSleeper(), session::kLongestWait);
  clock.Advance(session::kLongestWait + std::chrono::seconds(1));
  writer.join();
  queue.Done(*hangs);
}

TEST(WriteQueue, WhatWaitedTooLongIsNotSent) {
  using std::chrono::milliseconds;
  const WriteQueue::Write scale = Scale("web", 1, 2);
  const auto after = [&](std::chrono::nanoseconds wall, std::chrono::nanoseconds steady) {
    return process::Instant{scale.submitted.wall + Duration{wall.count()},
                            scale.submitted.steady + steady};
  };
  EXPECT_FALSE(scale.Expired(after(session::kLongestWait, session::kLongestWait)));
  for (const auto& late :
       {after(milliseconds(5001), milliseconds(0)),      // the machine slept
        after(milliseconds(-1), milliseconds(5001))}) {  // the clock was set back
    const auto expired = scale.Expired(late);
    ASSERT_TRUE(expired);
    EXPECT_EQ(std::get<session::ScaleAnswer>(*expired).outcome->kind,
              engine::Outcome::Kind::kFailed);
    EXPECT_FALSE(Status("web").Expired(late));
  }
  const auto minute = std::chrono::minutes(1);
  EXPECT_FALSE(Status("web").Expired(after(minute, minute)));
  const auto expired = Status("web").Expired(after(minute, minute + milliseconds(1)));
  ASSERT_TRUE(expired);
  EXPECT_FALSE(std::get<session::StatusAnswer>(*expired).written);
}

// Their policies can be evaluated anew, and may by now need more replicas.
TEST(WriteQueue, HandsOutFirstWhatHasExpired) {
  support::FakeClock clock;
  WriteQueue queue(clock, kLimits);
  const auto now = [&](WriteQueue::Write write) {
    write.submitted = process::ReadBoth(clock);
    return write;
  };
  queue.Submit(now(Scale("old-less", 10, 5)));
  clock.Advance(session::kLongestWait + std::chrono::seconds(1));
  queue.Submit(now(Status("status")));
  queue.Submit(now(Scale("more", 1, 2)));
  EXPECT_THAT(TakeAll(queue), ElementsAre("old-less", "more", "status"));
}

// A write under way may lead to another one of its evaluation.
TEST(WriteQueue, EndsWhenItIsClosedAndNothingIsUnderWay) {
  support::FakeClock clock;
  WriteQueue queue(clock, kLimits);
  queue.Submit(Scale("web", 1, 2));
  const auto scale = queue.Take();
  ASSERT_TRUE(scale);
  queue.Close();
  std::vector<std::string> taken;
  std::thread other([&] { taken = TakeAll(queue); });
  queue.Submit(Status("web"));
  queue.Done(*scale);
  other.join();
  EXPECT_THAT(taken, ElementsAre("web"));
}

TEST(WriteQueue, HasRoomForSoManyScales) {
  support::FakeClock clock;
  WriteQueue queue(clock, kLimits);
  for (const char* name : {"w", "x", "y", "z"}) {
    queue.Submit(Status(name));  // no evaluation waits for these
  }
  queue.WaitForRoom();
  queue.Submit(Scale("a", 1, 2));
  queue.WaitForRoom();
  queue.Submit(Scale("b", 1, 2));
  std::thread waits([&] {
    queue.WaitForRoom();
    queue.Submit(Scale("c", 1, 2));
  });
  const auto taken = queue.Take();
  ASSERT_TRUE(taken);
  waits.join();
  queue.Submit(Scale("d", 1, 2));  // continues an evaluation, which always has room
  queue.Done(*taken);
  EXPECT_THAT(TakeAll(queue), ElementsAre("b", "c", "d", "w", "x", "y", "z"));
}

TEST(WriteQueue, StatusesLeaveRoomForScales) {
  support::FakeClock clock;
  WriteQueue queue(clock, kLimits);
  queue.Submit(Status("a"));
  queue.Submit(Status("b"));
  const auto status = queue.Take();
  ASSERT_TRUE(status);
  std::jthread other = TakeBeside(queue, "scale");
  queue.Submit(Scale("scale", 1, 2));
  other.join();
  queue.Done(*status);
  EXPECT_THAT(TakeAll(queue), ElementsAre("b"));
}

// As many as else, once no scale waits or is under way.
TEST(WriteQueue, OneStatusThatHasWaitedIsUnderWayWhileScalesWait) {
  support::FakeClock clock;
  WriteQueue queue(clock, {.scales_waiting = 9, .scales_under_way = 1, .statuses_under_way = 4});
  for (const char* name : {"a", "b", "c"}) {
    queue.Submit(Scale(name, 1, 2));
    queue.Submit(OldStatus(std::string("status-") + name));
  }
  const auto scale = queue.Take();
  const auto status = queue.Take();
  EXPECT_EQ(status->of.name, "status-a");
  std::jthread other = TakeBeside(queue, "b");
  clock.AwaitSleeper();
  queue.Done(*scale);
  other.join();
  const auto last = queue.Take();
  EXPECT_EQ(last->of.name, "c");
  queue.Done(*last);
  EXPECT_EQ(queue.Take()->of.name, "status-b");
  EXPECT_EQ(queue.Take()->of.name, "status-c");
}

TEST(WriteQueue, NoStatusThatHasJustComeIsUnderWayWhileScalesWait) {
  support::FakeClock clock;
  WriteQueue queue(clock, {.scales_waiting = 9, .scales_under_way = 1, .statuses_under_way = 4});
  queue.Submit(Scale("a", 1, 2));
  queue.Submit(Scale("b", 2, 1));
  queue.Submit(Status("status-a"));
  queue.Submit(Status("status-b"));
  clock.Advance(std::chrono::milliseconds(900));
  const auto scale = queue.Take();
  std::jthread other = TakeBeside(queue, "b");
  clock.AwaitSleeper();
  queue.Done(*scale);
  other.join();
  EXPECT_EQ(queue.Take()->of.name, "status-a");
  EXPECT_EQ(queue.Take()->of.name, "status-b");
}

// Whosever turn it is.
TEST(WriteQueue, TheStatusThatIsUnderWayIsOneThatHasWaited) {
  support::FakeClock clock;
  WriteQueue queue(clock, {.scales_waiting = 9, .scales_under_way = 1, .statuses_under_way = 4});
  queue.Submit(Scale("a", 1, 2));
  queue.Submit(Scale("b", 1, 2));
  queue.Submit(Status("new", "first"));
  queue.Submit(OldStatus("old", "second"));
  const auto scale = queue.Take();
  const auto status = queue.Take();
  EXPECT_EQ(status->of.name, "old");
  queue.Done(*scale);
  queue.Done(*status);
  EXPECT_THAT(TakeAll(queue), ElementsAre("b", "new"));
}

// The API server has nothing to do then, and the scales may be another tenant's.
TEST(WriteQueue, StatusesWaitForNoScalesThatLeaveLanes) {
  support::FakeClock clock;
  WriteQueue queue(clock, {.scales_waiting = 9, .scales_under_way = 8, .statuses_under_way = 4});
  std::vector<WriteQueue::Write> under_way;
  queue.Submit(Scale("out", 1, 2));
  for (int i = 0; i < 5; ++i) {
    queue.Submit(Scale("out", 1, 9, "busy"));
  }
  queue.Submit(Status("status"));
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(under_way.emplace_back(*queue.Take()).of.name, "out");
  }
  EXPECT_EQ(under_way.emplace_back(*queue.Take()).of.name, "status");
  for (const auto& write : under_way) {
    queue.Done(write);
  }
  EXPECT_THAT(TakeAll(queue), ElementsAre("out"));
}

// Those that yield nothing do not; else those that have come first are the first.
TEST(WriteQueue, StatusesYieldToABurstOfScales) {
  const struct {
    const char* about;
    int scales;  // that begin
    std::chrono::milliseconds apart;
    std::size_t under_way;  // the last ones
    std::vector<std::string> order;
  } kCases[] = {
      {"a burst", 4, std::chrono::milliseconds(333), 1, {"claim", "old", "older", "new"}},
      {"in all lanes", 4, {}, 2, {"claim", "old", "older", "new"}},
      {"one too few", 3, {}, 1, {"new", "claim", "old", "older"}},
      {"too slow", 4, std::chrono::milliseconds(334), 1, {"new", "claim", "old", "older"}},
      {"none is left", 4, {}, 0, {"new", "claim", "old", "older"}},
  };
  for (const auto& c : kCases) {
    support::FakeClock clock;
    WriteQueue queue(clock, {.scales_waiting = 9, .scales_under_way = 2, .statuses_under_way = 4});
    std::deque<WriteQueue::Write> scales;
    const auto leave = [&](std::size_t under_way) {
      for (; scales.size() > under_way; scales.pop_front()) {
        queue.Done(scales.front());
      }
    };
    for (int i = 0; i < c.scales; ++i) {
      leave(1);
      clock.Advance(i > 0 ? c.apart : std::chrono::milliseconds(0));
      queue.Submit(Scale("scale", 1, 9));
      scales.push_back(*queue.Take());
    }
    leave(c.under_way);
    WriteQueue::Write claim = Status("claim");
    std::get<session::WriteStatus>(claim.request).yields = {};
    for (auto status : {Status("new"), claim, OldStatus("old"), OldStatus("older")}) {
      queue.Submit(status);
    }
    std::vector<std::string> order;
    for (int i = 0; i < 3; ++i) {
      const auto status = queue.Take();
      order.push_back(status->of.name);
      queue.Done(*status);
    }
    leave(0);
    order.push_back(TakeAll(queue).at(0));
    EXPECT_EQ(order, c.order) << c.about;
  }
}

TEST(WriteQueue, AStatusOfWhatIsToBeEvaluatedAnewYieldsNoLonger) {
  support::FakeClock clock;
  WriteQueue queue(clock, {.scales_waiting = 9, .scales_under_way = 1, .statuses_under_way = 4});
  queue.Submit(Scale("a", 1, 2));
  queue.Submit(Scale("b", 1, 2));
  const auto scale = queue.Take();
  queue.Submit(Status("waits"));
  queue.Submit(Status("edited"));
  queue.Hurry({api::kPolicyKind, "shop", "edited"});
  queue.Hurry({api::kPolicyKind, "shop", "idle"});
  queue.Hurry({api::kPolicyKind, "another", "edited"});
  const auto status = queue.Take();
  EXPECT_EQ(status->of.name, "edited");
  queue.Done(*status);
  queue.Done(*scale);
  EXPECT_THAT(TakeAll(queue), ElementsAre("b", "waits"));
}

// They begin nothing.
TEST(WriteQueue, ScalesThatHaveExpiredAreNoBurst) {
  support::FakeClock clock;
  WriteQueue queue(clock, {.scales_waiting = 9, .scales_under_way = 2, .statuses_under_way = 4});
  for (int i = 0; i < 4; ++i) {
    WriteQueue::Write expired = Scale("expired", 1, 9);
    expired.submitted.steady -= session::kLongestWait + std::chrono::seconds(1);
    queue.Submit(expired);
    queue.Done(*queue.Take());
  }
  queue.Submit(Scale("scale", 1, 9));
  const auto scale = queue.Take();
  queue.Submit(Status("status"));
  const auto status = queue.Take();
  EXPECT_EQ(status->of.name, "status");
  queue.Done(*status);
  queue.Done(*scale);
}

TEST(WriteQueue, StatusesThatHaveWaitedTakeTurns) {
  support::FakeClock clock;
  WriteQueue queue(clock, {.scales_waiting = 9, .scales_under_way = 1, .statuses_under_way = 4});
  queue.Submit(Scale("a", 1, 2));
  queue.Submit(Scale("b", 1, 2));
  for (const char* name : {"noisy-1", "noisy-2"}) {
    queue.Submit(OldStatus(name, "noisy"));
  }
  queue.Submit(OldStatus("shop"));
  const auto scale = queue.Take();
  for (const char* name : {"noisy-1", "shop", "noisy-2"}) {
    const auto status = queue.Take();
    EXPECT_EQ(status->of.name, name);
    queue.Done(*status);
  }
  queue.Done(*scale);
}

TEST(WriteQueue, AStatusThatHasExpiredWaitsForNoOther) {
  support::FakeClock clock;
  WriteQueue queue(clock, {.scales_waiting = 9, .scales_under_way = 1, .statuses_under_way = 4});
  queue.Submit(Scale("a", 1, 2));
  queue.Submit(Scale("b", 1, 2));
  queue.Submit(OldStatus("old"));
  queue.Submit(OldStatus("waits"));
  WriteQueue::Write expired = Status("expired", "other");
  expired.submitted.steady -= std::chrono::seconds(61);
  std::vector<WriteQueue::Write> under_way{*queue.Take(), *queue.Take()};
  queue.Submit(expired);
  EXPECT_EQ(under_way.emplace_back(*queue.Take()).of.name, "expired");
  for (const auto& write : under_way) {
    queue.Done(write);
  }
  EXPECT_THAT(TakeAll(queue), ElementsAre("b", "waits"));
}

TEST(WriteQueue, AStatusBeginsOnceABurstIsOver) {
  support::FakeClock clock;
  WriteQueue queue(clock, {.scales_waiting = 9, .scales_under_way = 2, .statuses_under_way = 4});
  for (int i = 0; i < 3; ++i) {
    queue.Submit(Scale("scale", 1, 9));
    queue.Done(*queue.Take());
  }
  queue.Submit(Scale("scale", 1, 9));
  const auto scale = queue.Take();
  queue.Submit(Status("status"));
  std::jthread other = TakeBeside(queue, "status");
  EXPECT_EQ(clock.AwaitSleeper(), std::chrono::seconds(1)) << "until it looks again";
  clock.Advance(std::chrono::milliseconds(1001));
  other.join();
  queue.Done(*scale);
}

TEST(WriteQueue, AStatusThatHangsIsNotTheOne) {
  support::FakeClock clock;
  WriteQueue queue(clock, {.scales_waiting = 9, .scales_under_way = 1, .statuses_under_way = 4});
  queue.Submit(Scale("hangs", 1, 2));
  const auto scale = queue.Take();
  queue.Submit(Scale("waits", 1, 2, "prompt"));
  queue.Submit(OldStatus("hangs"));
  const auto status = queue.Take();
  EXPECT_TRUE(std::holds_alternative<session::WriteStatus>(status->request));
  queue.Submit(OldStatus("status", "prompt"));
  clock.Advance(std::chrono::milliseconds(1001));
  const auto next = queue.Take();
  EXPECT_EQ(next->of.name, "status");
  for (const auto* write : {&scale, &status, &next}) {
    queue.Done(**write);
  }
  EXPECT_THAT(TakeAll(queue), ElementsAre("waits"));
}

TEST(WriteQueue, IsSealedWhenNoWriteIsWaitingOrUnderWay) {
  support::FakeClock clock;
  WriteQueue queue(clock, kLimits);
  queue.Submit(Status("a"));
  const auto first = queue.Take();
  ASSERT_TRUE(first);
  const std::jthread writer([&] {
    queue.Submit(Status("b"));  // by the evaluation that continues
    queue.Done(*first);
    EXPECT_FALSE(queue.sealed());
    const auto second = queue.Take();
    ASSERT_TRUE(second);
    EXPECT_FALSE(queue.sealed());
    queue.Done(*second);
  });
  queue.Seal();
  EXPECT_TRUE(queue.sealed());
  queue.Submit(Status("late"));
  EXPECT_TRUE(queue.Take()) << "to be refused";
}

}  // namespace
}  // namespace ballast::controllers
