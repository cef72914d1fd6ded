#include "operator/cluster/scale_targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>

#include "tests/support/channel.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_discovery.h"
#include "tests/support/fake_transport.h"
#include "tests/support/test_patience.h"

namespace ballast::cluster {
namespace {

const kube::Resource kDeployments{.group = "apps",
                                  .version = "v1",
                                  .plural = "deployments",
                                  .kind = "Deployment",
                                  .has_scale = true};
const kube::Resource kWidgets{
    .group = "acme.org", .version = "v1", .plural = "widgets", .kind = "Widget", .has_scale = true};
const api::ObjectKey kWeb{"shop", "web"};

std::string Deployment(int version, int replicas, const std::string& uid = "d",
                       const std::string& name = "web") {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"shop","uid":")" + uid +
         R"(","resourceVersion":")" + std::to_string(version) + R"("},"spec":{"replicas":)" +
         std::to_string(replicas) +
         R"(,"selector":{"matchLabels":{"app":"web"}}},"status":{"replicas":2}})";
}

class TargetsTest : public testing::Test {
 protected:
  Result<kube::Response> Do(const kube::Request& request) {
    if (request.path.find("customresourcedefinitions") != std::string::npos) {
      asked_.Push(request.path);
      if (answer_.Pop() == kBreaks) {
        throw std::runtime_error("a defect");
      }
      return Error{Code::kForbidden, "no right to read definitions"};
    }
    if (const auto discovered = support::DiscoverApps(request.path)) {
      return *discovered;
    }
    if (refused_ && !request.path.ends_with("/scale")) {
      return Error{Code::kUnavailable, "refused"};
    }
    if (request.path.ends_with("/scale")) {
      ++gets_;
      if (missing_) {
        return Error{Code::kNotFound, "not found"};
      }
      const std::string version = std::to_string(live_version_);
      return kube::Response{200,
                            R"({"metadata":{"uid":"d","resourceVersion":")" + version +
                                R"("},"spec":{"replicas":7},"status":{"selector":"app=web"}})"};
    }
    return kube::Response{200, R"({"metadata":{"resourceVersion":"10"},"items":[)" +
                                   Deployment(listed_version_, 3) + "]}"};
  }
  // Watches deliver what the test pushes.
  Status Stream(const kube::Request& request, const kube::LineSink& sink,
                const std::stop_token& stop) {
    if (refused_) {
      return Error{Code::kUnavailable, "refused"};
    }
    return support::PushedStream(events_, request, sink, stop);
  }
  // Reads the Deployment once the watch has this resource version of it, or a later one.
  Result<api::Scale> ReadAt(int version) {
    AwaitInWatch([&](const api::Scale& scale) {
      return scale.metadata.name == "web" && std::stoi(scale.metadata.resource_version) >= version;
    });
    return targets_.Read(kDeployments, kWeb);
  }

  // Waits until the watch has an object for which `is_so` holds, and is complete: before, the scale
  // is still read by GET.
  void AwaitInWatch(const std::function<bool(const api::Scale& scale)>& is_so) {
    targets_.StartWatching({"apps/v1", "Deployment", ""});
    const auto there = [&] {
      const auto scales = targets_.MaySelect({"apps/v1", "Deployment", ""}, "shop", {"app=web"});
      return std::ranges::any_of(scales, [&](const auto& scale) { return is_so(*scale); }) &&
             std::ranges::all_of(targets_.DebugState(),
                                 [](const auto& watch) { return watch.state == "watching"; });
    };
    while (!there()) {
      std::this_thread::yield();
    }
  }
  // Whether the watch of the namespace ("": of all) is told something now, and is complete.
  bool BecomesHeard(const ScaleTargets& targets, const std::string& namespace_) {
    const auto deadline = std::chrono::steady_clock::now() + support::Patience();
    const auto heard = [&](const telemetry::WatchDebugState& watch) {
      return watch.namespace_ == namespace_ && watch.heard_at == clock_.Steady() &&
             watch.state == "watching";
    };
    while (std::chrono::steady_clock::now() < deadline) {
      if (std::ranges::any_of(targets.DebugState(), heard)) {
        return true;
      }
      std::this_thread::yield();
    }
    return false;
  }
  void Learn(int version, int replicas, const std::string& uid = "d") {
    api::Scale scale;
    scale.metadata.uid = uid;
    scale.metadata.resource_version = std::to_string(version);
    scale.spec_replicas = replicas;
    targets_.OnAnswered(kDeployments, kWeb, scale);
  }
  void Push(const std::string& type, const std::string& deployment) {
    events_.Push(R"({"type":")" + type + R"(","object":)" + deployment + "}");
  }

  static constexpr int kBreaks = 0;  // an answer_ that is an exception

  support::Channel<std::string> asked_;
  support::Channel<int> answer_;
  support::Channel<std::string> events_;
  std::atomic<int> gets_ = 0;
  std::atomic<int> live_version_ = 10;    // of the scale that a GET returns, with 7 replicas
  std::atomic<int> listed_version_ = 10;  // of the Deployment in the list, which has 3
  std::atomic<bool> missing_ = false;
  std::atomic<bool> refused_ = false;  // lists and watches are
  support::FakeClock clock_;
  support::FakeTransport transport_{
      [this](const kube::Request& request) { return Do(request); },
      [this](const kube::Request& request, const kube::LineSink& sink,
             const std::stop_token& stop) { return Stream(request, sink, stop); }};
  kube::Client client_{transport_};
  kube::RestMapper mapper_{transport_};
  ScaleTargets targets_{transport_, client_, mapper_, clock_, {}, Duration::Seconds(120)};
};

TEST_F(TargetsTest, WhatWasReadLiveAnswersUntilTheWatchHasCaughtUp) {
  EXPECT_EQ(ReadAt(10)->spec_replicas, 3);
  const int gets = gets_;
  Learn(12, 5);
  EXPECT_EQ(targets_.Read(kDeployments, kWeb)->spec_replicas, 5);
  Push("MODIFIED", Deployment(11, 4));
  EXPECT_EQ(ReadAt(11)->spec_replicas, 5) << "the watch told of something older";
  Push("MODIFIED", Deployment(12, 6));
  EXPECT_EQ(ReadAt(12)->spec_replicas, 6);
  EXPECT_EQ(gets_, gets) << "nobody had to be asked";
}

// A watch may stay silent: an answer that was read live ages as well.
TEST_F(TargetsTest, ALiveViewIsReadAgainWhileTheWatchIsSilent) {
  EXPECT_EQ(ReadAt(10)->spec_replicas, 3);
  const int gets = gets_;
  Learn(12, 5);
  live_version_ = 14;
  clock_.Advance(LiveViews::kAnswerTtl);
  EXPECT_EQ(targets_.Read(kDeployments, kWeb)->spec_replicas, 7);
  EXPECT_EQ(targets_.Read(kDeployments, kWeb)->spec_replicas, 7) << "as just read";
  EXPECT_EQ(gets_, gets + 1);
  clock_.Advance(LiveViews::kAnswerTtl);
  missing_ = true;
  EXPECT_EQ(targets_.Read(kDeployments, kWeb).error().code, Code::kNotFound);
  EXPECT_EQ(targets_.Read(kDeployments, kWeb).error().code, Code::kNotFound);
  EXPECT_EQ(gets_, gets + 2);
}

// Else another autoscaler's target is overlooked.
TEST_F(TargetsTest, AWatchThatHasBeenSilentForTooLongIsNone) {
  const api::CrossVersionObjectReference web{"apps/v1", "Deployment", "web"};
  EXPECT_EQ(ReadAt(10)->spec_replicas, 3);
  refused_ = true;
  clock_.Advance(std::chrono::seconds(120));
  EXPECT_EQ((*targets_.FindAtOnce(web, kWeb))->spec_replicas, 3);
  EXPECT_FALSE(targets_.CannotWatch(web, "shop"));
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(targets_.FindAtOnce(web, kWeb), std::nullopt);
  EXPECT_TRUE(targets_.CannotWatch(web, "shop"));
  EXPECT_TRUE(targets_.MustRead(web, "shop"));
  EXPECT_THAT(targets_.MaySelect(web, "shop", {"app=web"}), testing::IsEmpty());
  EXPECT_EQ(targets_.Read(kDeployments, kWeb)->spec_replicas, 7);
  EXPECT_FALSE(targets_.MustRead(web, "shop"));
  EXPECT_EQ(targets_.MaySelect(web, "shop", {"app=web"}).size(), 1u);
  refused_ = false;
  while (targets_.CannotWatch(web, "shop")) {
    (void)targets_.KeepWatched("shop");
    clock_.Advance(std::chrono::seconds(1));
    std::this_thread::yield();
  }
  const int gets = gets_;
  EXPECT_TRUE(targets_.FindAtOnce(web, kWeb));
  EXPECT_EQ(gets_, gets);
}

// Whenever it is looked at before.
TEST_F(TargetsTest, ASilentWatchIsListedAgainInTime) {
  EXPECT_EQ(ReadAt(10)->spec_replicas, 3);
  for (const std::vector<int>& looks : std::vector<std::vector<int>>{
           {91}, {0, 91}, {1, 30, 60, 90, 91}, {89, 91}, {90, 120}, {45, 119}, {90, 121}, {300}}) {
    const process::SteadyTime heard = clock_.Steady();
    for (const int seconds : looks) {
      clock_.Advance(heard + std::chrono::seconds(seconds) - clock_.Steady());
      EXPECT_EQ(targets_.KeepWatched("shop"), seconds <= 120) << seconds;
    }
    EXPECT_TRUE(BecomesHeard(targets_, "")) << looks.back();
  }
}

TEST_F(TargetsTest, EachNamespaceIsListedAgainInTime) {
  support::Channel<std::string> of_shop;
  support::FakeTransport transport(
      [this](const kube::Request& request) { return Do(request); },
      [&](const kube::Request& request, const kube::LineSink& sink, const std::stop_token& stop) {
        const bool shop = request.path.find("/shop/") != request.path.npos;
        return support::PushedStream(shop ? of_shop : events_, request, sink, stop);
      });
  for (const std::array<const char*, 2> order :
       {std::array{"shop", "test"}, std::array{"test", "shop"}}) {
    ScaleTargets targets(transport, client_, mapper_, clock_, {"shop", "test"},
                         Duration::Seconds(120));
    targets.StartWatching({"apps/v1", "Deployment", ""});
    ASSERT_TRUE(BecomesHeard(targets, "shop") && BecomesHeard(targets, "test"));
    clock_.Advance(std::chrono::seconds(60));
    of_shop.Push(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"11"}}})");
    ASSERT_TRUE(BecomesHeard(targets, "shop"));
    clock_.Advance(std::chrono::seconds(31));
    for (const char* namespace_ : order) {
      EXPECT_TRUE(targets.KeepWatched(namespace_));
    }
    EXPECT_TRUE(BecomesHeard(targets, "test")) << order.front();
  }
}

// Its first list may never come.
TEST_F(TargetsTest, AWatchThatHasNeverToldAnythingIsNoneAfterAWhile) {
  const api::CrossVersionObjectReference web{"apps/v1", "Deployment", "web"};
  refused_ = true;
  targets_.StartWatching(web);
  EXPECT_FALSE(targets_.CannotWatch(web, "shop"));
  clock_.Advance(std::chrono::seconds(80));
  EXPECT_TRUE(targets_.KeepWatched("shop"));
  clock_.Advance(std::chrono::seconds(41));
  EXPECT_TRUE(targets_.CannotWatch(web, "shop"));
  EXPECT_FALSE(targets_.KeepWatched("shop"));
}

TEST_F(TargetsTest, AWatchThatStaysBehindIsReadAgain) {
  EXPECT_EQ(ReadAt(10)->spec_replicas, 3);
  live_version_ = listed_version_ = 14;
  Learn(12, 5);
  for (int seconds = 0; seconds < 2 * LiveViews::kAnswerTtl.count(); ++seconds) {
    EXPECT_NE(targets_.Read(kDeployments, kWeb)->spec_replicas, 3) << "as read live";
    clock_.Advance(std::chrono::seconds(1));
  }
  static_cast<void>(targets_.Read(kDeployments, kWeb));
  EXPECT_EQ(ReadAt(14)->spec_replicas, 3) << "as listed";
}

// A custom resource without a default for its replicas: 0 would be wrong.
TEST_F(TargetsTest, AnObjectWithoutReplicasIsAskedFor) {
  EXPECT_EQ(ReadAt(10)->spec_replicas, 3);
  Push("MODIFIED",
       R"({"metadata":{"name":"web","namespace":"shop","uid":"d","resourceVersion":"11"},)"
       R"("spec":{"selector":{"matchLabels":{"app":"web"}}},"status":{"replicas":2}})");
  live_version_ = 11;
  const int gets = gets_;
  EXPECT_EQ(ReadAt(11)->spec_replicas, 7);
  EXPECT_GT(gets_, gets);
}

TEST_F(TargetsTest, ADoubtedViewIsAskedFor) {
  EXPECT_EQ(ReadAt(10)->spec_replicas, 3);
  live_version_ = 11;
  EXPECT_EQ(targets_.Read(kDeployments, kWeb)->spec_replicas, 3) << "nobody doubts it";
  targets_.Invalidate({"apps/v1", "Deployment", "web"}, kWeb);
  EXPECT_EQ(targets_.Read(kDeployments, kWeb)->spec_replicas, 7);
  EXPECT_EQ(targets_.Read(kDeployments, kWeb)->spec_replicas, 7);
  Push("MODIFIED", Deployment(11, 4));
  EXPECT_EQ(ReadAt(11)->spec_replicas, 4);
}

// Even if resource versions start over, as in a restored cluster.
TEST_F(TargetsTest, ALiveViewEndsWithItsTarget) {
  EXPECT_EQ(ReadAt(10)->spec_replicas, 3);
  Learn(90, 5);
  Push("DELETED", Deployment(20, 4));
  Push("ADDED", Deployment(21, 4));
  EXPECT_EQ(ReadAt(21)->spec_replicas, 4);
}

// The watch is behind: the scale that was read belongs to the second object of that name.
TEST_F(TargetsTest, TheEndOfAFormerObjectIsNotThatOfTheLiveOne) {
  EXPECT_EQ(ReadAt(10)->spec_replicas, 3);
  Learn(30, 5, "second");
  Push("DELETED", Deployment(20, 4));
  Push("ADDED", Deployment(21, 4, "second"));
  EXPECT_EQ(ReadAt(21)->spec_replicas, 5);
  Push("MODIFIED", Deployment(30, 6, "second"));
  EXPECT_EQ(ReadAt(30)->spec_replicas, 6);
}

// A kind that cannot be watched is read each time, and nothing is cached.
TEST_F(TargetsTest, NothingIsKeptOfWhatIsNotWatched) {
  answer_.Push(1);
  EXPECT_EQ(targets_.Read(kWidgets, kWeb)->spec_replicas, 7);
  api::Scale scale;
  scale.metadata.resource_version = "12";
  targets_.OnAnswered(kWidgets, kWeb, scale);
  targets_.Invalidate({kWidgets.ApiVersion(), kWidgets.kind, "web"}, kWeb);
  const int gets = gets_;
  EXPECT_EQ(targets_.Read(kWidgets, kWeb)->spec_replicas, 7);
  EXPECT_EQ(targets_.Read(kWidgets, kWeb)->spec_replicas, 7);
  EXPECT_EQ(gets_, gets + 2);
}

// Starting a kind's watch takes several requests, for which other callers do not wait.
TEST_F(TargetsTest, AKindThatIsSlowToStartStopsNobody) {
  std::thread first([this] { EXPECT_EQ(targets_.Read(kWidgets, kWeb)->spec_replicas, 7); });
  EXPECT_TRUE(asked_.Pop()) << "the definition is being asked for";
  EXPECT_TRUE(targets_.KeepWatched("shop")) << "it is not known yet that one cannot be";
  EXPECT_EQ(targets_.Read(kWidgets, kWeb)->spec_replicas, 7) << "of the same kind, by GET";
  EXPECT_EQ(ReadAt(10)->spec_replicas, 3) << "of another kind";
  answer_.Push(1);
  first.join();
  EXPECT_FALSE(targets_.KeepWatched("shop"));
  EXPECT_EQ(targets_.Read(kWidgets, kWeb)->spec_replicas, 7);
  EXPECT_TRUE(asked_.empty()) << "not asked for again so soon";
  clock_.Advance(std::chrono::minutes(10));
  answer_.Push(1);
  EXPECT_EQ(targets_.Read(kWidgets, kWeb)->spec_replicas, 7);
  EXPECT_TRUE(asked_.Pop());
}

TEST_F(TargetsTest, AWatchThatCouldNotBeStartedForADefectIsTriedAgain) {
  answer_.Push(kBreaks);
  EXPECT_THROW((void)targets_.Read(kWidgets, kWeb), std::runtime_error);
  EXPECT_TRUE(asked_.Pop());
  EXPECT_EQ(targets_.Read(kWidgets, kWeb)->spec_replicas, 7) << "meanwhile by GET";
  EXPECT_TRUE(asked_.empty()) << "not so soon";
  clock_.Advance(std::chrono::minutes(10));
  answer_.Push(1);
  EXPECT_EQ(targets_.Read(kWidgets, kWeb)->spec_replicas, 7);
  EXPECT_FALSE(asked_.empty());
}

}  // namespace
}  // namespace ballast::cluster
