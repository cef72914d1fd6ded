#include "operator/cluster/watches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/support/channel.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_transport.h"

namespace ballast::cluster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string Policy(const std::string& name, const std::string& kind, int version) {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"shop","uid":")" + name +
         R"(","resourceVersion":")" + std::to_string(version) +
         R"("},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":")" + kind +
         R"(","name":")" + name + R"("},"maxReplicas":9}})";
}

class WatchesTest : public testing::Test {
 protected:
  static Result<kube::Response> Do(const kube::Request& request) {
    const bool policies = request.path.ends_with("/autoscalepolicies");
    return kube::Response{
        200, R"({"metadata":{"resourceVersion":"5"},"items":[)" +
                 (policies ? Policy("a", "Deployment", 3) + "," + Policy("b", "StatefulSet", 4)
                           : std::string()) +
                 "]}"};
  }
  // The watch of policies delivers what the test pushes.
  Status Stream(const kube::Request& request, const kube::LineSink& sink,
                const std::stop_token& stop) {
    if (!request.path.ends_with("/autoscalepolicies")) {
      return support::SilentStream(request, sink, stop);
    }
    return support::PushedStream(events_, request, sink, stop);
  }
  // Delivers a change and waits until a handler has seen it.
  void Tell(const std::string& type, const std::string& object) {
    events_.Push(R"({"type":")" + type + R"(","object":)" + object + "}");
    EXPECT_TRUE(seen_.Pop());
  }
  std::vector<std::string> Kinds() const {
    std::vector<std::string> kinds;
    for (const auto& kind : watches_.TargetKinds("shop")) {
      kinds.push_back(kind.api_version + " " + kind.kind);
    }
    return kinds;
  }

  support::Channel<std::string> events_;
  support::Channel<bool> seen_;
  support::FakeClock clock_;
  support::FakeTransport transport_{
      Do, [this](const kube::Request& request, const kube::LineSink& sink,
                 const std::stop_token& stop) { return Stream(request, sink, stop); }};
  Watches watches_{transport_, clock_, {}};
};

TEST_F(WatchesTest, KnowsTheKindsThatAreScaledNow) {
  watches_.policies.AddHandler([this](const auto&) { seen_.Push(true); });
  watches_.Start();
  ASSERT_TRUE(seen_.Pop() && seen_.Pop());
  EXPECT_THAT(Kinds(), ElementsAre("apps/v1 Deployment", "apps/v1 StatefulSet"));
  EXPECT_THAT(watches_.TargetKinds("other"), IsEmpty());
  Tell("MODIFIED", Policy("b", "Deployment", 6));
  EXPECT_THAT(Kinds(), ElementsAre("apps/v1 Deployment"));
  Tell("DELETED", Policy("a", "Deployment", 7));
  EXPECT_THAT(Kinds(), ElementsAre("apps/v1 Deployment")) << "one is left";
  Tell("ADDED", Policy("c", "ReplicaSet", 8));
  EXPECT_THAT(Kinds(), ElementsAre("apps/v1 Deployment", "apps/v1 ReplicaSet"));
  Tell("DELETED", Policy("b", "Deployment", 9));
  Tell("DELETED", Policy("c", "ReplicaSet", 10));
  EXPECT_THAT(Kinds(), IsEmpty());
}

}  // namespace
}  // namespace ballast::cluster
