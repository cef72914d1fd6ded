#include "operator/controllers/targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/support/channel.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_discovery.h"
#include "tests/support/fake_transport.h"

namespace ballast::controllers {
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
      answer_.Pop();
      return Error{Code::kForbidden, "no right to read definitions"};
    }
    if (const auto discovered = support::DiscoverApps(request.path)) {
      return *discovered;
    }
    if (request.path.ends_with("/scale")) {
      ++gets_;
      if (missing_) {
        return Error{Code::kNotFound, "not found"};
      }
      return kube::Response{200, R"({"metadata":{"uid":"d"},"spec":{"replicas":7}})"};
    }
    return kube::Response{
        200, R"({"metadata":{"resourceVersion":"10"},"items":[)" + Deployment(10, 3) + "]}"};
  }
  // Watches tell what the test pushes.
  Status Stream(const kube::Request& request, const kube::LineSink& sink,
                const std::stop_token& stop) {
    return support::PushedStream(events_, request, sink, stop);
  }
  // Reads until the watch has filled, and then once more.
  Result<api::Scale> ReadFromTheWatch() {
    int before = 0;
    do {
      before = gets_;
      static_cast<void>(targets_.Read(kDeployments, kWeb));
    } while (gets_ != before);
    return targets_.Read(kDeployments, kWeb);
  }

  // Until the watch has seen that many objects.
  void AwaitInWatch(std::size_t count) {
    while (targets_.MaySelect({"apps/v1", "Deployment", ""}, "shop", {"app=web"}).size() < count) {
      std::this_thread::yield();
    }
  }
  void Write(int version, const std::string& uid = "d") {
    api::Scale written;
    written.metadata.uid = uid;
    written.metadata.resource_version = std::to_string(version);
    targets_.Wrote(kDeployments, kWeb, written);
  }

  support::Channel<std::string> asked_;
  support::Channel<int> answer_;
  support::Channel<std::string> events_;
  std::atomic<int> gets_ = 0;
  std::atomic<bool> missing_ = false;
  support::FakeClock clock_;
  support::FakeTransport transport_{
      [this](const kube::Request& request) { return Do(request); },
      [this](const kube::Request& request, const kube::LineSink& sink,
             const std::stop_token& stop) { return Stream(request, sink, stop); }};
  kube::Client client_{transport_};
  kube::RestMapper mapper_{transport_};
  Targets targets_{transport_, client_, mapper_, clock_, {}};
};

TEST_F(TargetsTest, AScaleJustWrittenIsAskedForUntilTheWatchHasSeenIt) {
  EXPECT_EQ(ReadFromTheWatch()->spec_replicas, 3);
  const int gets = gets_;
  Write(12);
  EXPECT_EQ(targets_.Read(kDeployments, kWeb)->spec_replicas, 7);
  EXPECT_EQ(targets_.Read(kDeployments, kWeb)->spec_replicas, 7);
  EXPECT_EQ(gets_, gets + 2);
  events_.Push(R"({"type":"MODIFIED","object":)" + Deployment(11, 4) + "}");
  EXPECT_EQ(targets_.Read(kDeployments, kWeb)->spec_replicas, 7) << "something older";
  events_.Push(R"({"type":"MODIFIED","object":)" + Deployment(12, 5) + "}");
  EXPECT_EQ(ReadFromTheWatch()->spec_replicas, 5);
}

// Even if versions begin anew, as in a cluster that was restored.
TEST_F(TargetsTest, AWriteIsForgottenWithItsTarget) {
  EXPECT_EQ(ReadFromTheWatch()->spec_replicas, 3);
  Write(90);
  events_.Push(R"({"type":"DELETED","object":)" + Deployment(20, 4) + "}");
  events_.Push(R"({"type":"ADDED","object":)" + Deployment(21, 4) + "}");
  EXPECT_EQ(ReadFromTheWatch()->spec_replicas, 4) << "the watch has seen the end";
  Write(91);
  missing_ = true;
  EXPECT_EQ(targets_.Read(kDeployments, kWeb).error().code, Code::kNotFound);
  EXPECT_EQ(targets_.Read(kDeployments, kWeb)->spec_replicas, 4) << "a GET has";
}

// By a watch that is behind: the write was to the second object of the name.
TEST_F(TargetsTest, TheEndOfAFormerObjectIsNotThatOfTheWrittenOne) {
  EXPECT_EQ(ReadFromTheWatch()->spec_replicas, 3);
  Write(30, "second");
  events_.Push(R"({"type":"DELETED","object":)" + Deployment(20, 4) + "}");
  events_.Push(R"({"type":"ADDED","object":)" + Deployment(21, 4, "second") + "}");
  events_.Push(R"({"type":"ADDED","object":)" + Deployment(22, 4, "d", "other") + "}");
  AwaitInWatch(2);
  EXPECT_EQ(targets_.Read(kDeployments, kWeb)->spec_replicas, 7) << "asked for";
  events_.Push(R"({"type":"MODIFIED","object":)" + Deployment(30, 5, "second") + "}");
  EXPECT_EQ(ReadFromTheWatch()->spec_replicas, 5);
}

// The first target of a kind takes several requests; nobody else waits for them.
TEST_F(TargetsTest, AKindThatIsSlowToStartStopsNobody) {
  std::thread first([this] { EXPECT_EQ(targets_.Read(kWidgets, kWeb)->spec_replicas, 7); });
  EXPECT_TRUE(asked_.Pop()) << "the definition is being asked for";
  EXPECT_EQ(targets_.Read(kWidgets, kWeb)->spec_replicas, 7) << "of the same kind, by GET";
  EXPECT_EQ(ReadFromTheWatch()->spec_replicas, 3) << "of another kind";
  answer_.Push(1);
  first.join();
  EXPECT_EQ(targets_.Read(kWidgets, kWeb)->spec_replicas, 7);
  EXPECT_TRUE(asked_.empty()) << "not asked for again so soon";
  clock_.Advance(std::chrono::minutes(10));
  answer_.Push(1);
  EXPECT_EQ(targets_.Read(kWidgets, kWeb)->spec_replicas, 7);
  EXPECT_TRUE(asked_.Pop());
}

}  // namespace
}  // namespace ballast::controllers
