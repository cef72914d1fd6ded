#include "operator/session/scale_observer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ballast::session {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Time At(std::int64_t seconds) { return {1'800'000'000 + seconds, 0}; }

engine::Snapshot Seen(std::int64_t seconds, std::int32_t replicas, int ready_pods = 0) {
  engine::Snapshot snapshot{.now = At(seconds)};
  snapshot.autoscaler.metadata = {.name = "web", .namespace_ = "shop", .uid = "p1"};
  api::Scale scale;
  scale.spec_replicas = replicas;
  snapshot.scale = scale;
  engine::PodList pods;
  for (int i = 0; i < ready_pods; ++i) {
    api::Pod pod;
    pod.ready =
        api::Condition{.type = "Ready", .status = "True", .last_transition_time = At(i * 10)};
    pods.push_back(std::make_shared<const api::Pod>(pod));
  }
  snapshot.pods = pods;
  return snapshot;
}

class ScaleObserverTest : public testing::Test {
 protected:
  void See(const engine::Snapshot& snapshot) {
    changed_ = observer_.IsChanged(std::get<api::Scale>(snapshot.scale));
    const Observation seen = observer_.See(snapshot, manager_);
    if (seen.change) {
      changes_.push_back(*seen.change);
    }
    if (seen.ready) {
      ready_.push_back(*seen.ready);
    }
  }

  ScaleObserver observer_;
  bool changed_ = false;  // what was seen last
  api::FieldManager manager_{"helm", At(7)};
  std::vector<store::ForeignChange> changes_;
  std::vector<Time> ready_;
};

TEST_F(ScaleObserverTest, TellsWhatOthersDidToTheReplicasAndWho) {
  See(Seen(0, 3));  // the first sight is no change
  See(Seen(15, 3));
  EXPECT_FALSE(changed_);
  manager_ = {"kubectl", At(29)};
  See(Seen(30, 7));
  EXPECT_TRUE(changed_);
  manager_ = {"helm", At(7)};
  See(Seen(45, 2));
  manager_ = {"ballast", At(59)};  // another replica of the operator
  See(Seen(60, 5));
  EXPECT_THAT(changes_, ElementsAre(store::ForeignChange{At(30), 3, 7, "kubectl", At(29)},
                                    store::ForeignChange{At(45), 7, 2, "helm", At(7)}));
}

TEST_F(ScaleObserverTest, ItsOwnWritesAreNobodyElses) {
  See(Seen(0, 3));
  observer_.Wrote({1, 3, 5, At(1)});
  See(Seen(15, 5));
  EXPECT_FALSE(changed_);
  observer_.MayHaveWritten();
  See(Seen(30, 9));
  EXPECT_FALSE(changed_);
  EXPECT_THAT(changes_, IsEmpty());
}

TEST_F(ScaleObserverTest, TellsOnceWhenThePodsOfAScaleEventWereReady) {
  // After a restart it still waits for the pods.
  observer_ = ScaleObserver(
      store::RecalledState{.replicas = 3, .last_write = store::ScaleWrite{1, 1, 3, At(5), false}});
  api::AutoscalerStatus status;
  status.schedules.emplace().startup_seconds = 180;
  observer_.RememberStartup(status);
  EXPECT_EQ(observer_.startup(), Duration::Seconds(180)) << "until one is seen";
  See(Seen(15, 3, 2));
  See(Seen(30, 3, 3));  // the third became ready at 20
  See(Seen(45, 3, 4));
  EXPECT_THAT(ready_, ElementsAre(At(20)));
  EXPECT_EQ(observer_.startup(), Duration::Seconds(15));
}

// A schedule's floor would wait for the end of such a start, or come hours before it.
TEST_F(ScaleObserverTest, AStartDuringWhichTheClockWasSetSaysNothing) {
  const struct {
    const char* about;
    std::int64_t written, seen, ready;
    bool jumps, jumped;  // by when it is seen, and ready
  } kCases[] = {
      {"set back", 3'000, 15, 30, true, false},
      {"set back, as is seen when they are ready", 3'000, 3'015, 30, false, true},
      {"set back while no process ran", 3'000, 15, 30, false, false},
      {"set forward", -3'000, 15, 30, true, false},
      {"set forward, as is seen when they are ready", -3'000, -2'985, 30, false, true},
  };
  for (const auto& c : kCases) {
    observer_.Wrote({1, 1, 3, At(c.written)});
    engine::Snapshot seen = Seen(c.seen, 3, 2);
    seen.clock_jumped = c.jumps;
    See(seen);
    engine::Snapshot ready = Seen(c.ready, 3, 3);
    ready.clock_jumped = c.jumped;
    See(ready);
    EXPECT_EQ(observer_.startup(), engine::kUnknownStartup) << c.about;
  }
  EXPECT_EQ(ready_.size(), std::size(kCases));
  observer_.Wrote({1, 1, 3, At(10)});
  See(Seen(30, 3, 3));
  EXPECT_EQ(observer_.startup(), Duration::Seconds(10)) << "the next one does";
}

TEST_F(ScaleObserverTest, AScaleInIsReadyWhenItIsFirstSeen) {
  observer_.Wrote({1, 5, 2, At(1)});
  See(Seen(15, 2, 3));
  See(Seen(30, 2, 2));
  EXPECT_THAT(ready_, ElementsAre(At(30)));
  EXPECT_EQ(observer_.startup(), engine::kUnknownStartup);
}

TEST(StartupTimesTest, NineOfTenOfTheLastTwentyWereAsFast) {
  StartupTimes times;
  EXPECT_EQ(times.Typical(), engine::kUnknownStartup);
  times.Add(Duration::Seconds(7));
  EXPECT_EQ(times.Typical(), Duration::Seconds(7));
  for (int i = 1; i <= 30; ++i) {  // of which 11 to 30 are left
    times.Add(Duration::Seconds(i));
  }
  EXPECT_EQ(times.Typical(), Duration::Seconds(28));
}

TEST(StartupTimesTest, APodThatWaitsForANodeForHoursIsNoUsualStart) {
  StartupTimes times;
  times.Add(Duration::Seconds(3 * 3600));
  EXPECT_EQ(times.Typical(), Duration::Seconds(15 * 60));
}

}  // namespace
}  // namespace ballast::session
