#include "operator/cluster/watch_silence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>

#include "tests/support/channel.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_discovery.h"
#include "tests/support/fake_transport.h"

namespace ballast::cluster {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

// Each list is answered at once; after that only the watch of policies delivers what is pushed.
class WatchSilenceTest : public testing::Test {
 protected:
  static Result<kube::Response> Do(const kube::Request& request) {
    if (const auto discovered = support::DiscoverApps(request.path)) {
      return *discovered;
    }
    return kube::Response{200, R"({"metadata":{"resourceVersion":"5"},"items":[]})"};
  }
  Status Stream(const kube::Request& request, const kube::LineSink& sink,
                const std::stop_token& stop) {
    return request.path.ends_with("/autoscalepolicies")
               ? support::PushedStream(events_, request, sink, stop)
               : support::SilentStream(request, sink, stop);
  }

  support::Channel<std::string> events_;
  support::FakeClock clock_;
  support::FakeTransport transport_{
      Do, [this](const kube::Request& request, const kube::LineSink& sink,
                 const std::stop_token& stop) { return Stream(request, sink, stop); }};
  kube::Client client_{transport_};
  kube::RestMapper mapper_{transport_};
  Watches watches_{transport_, clock_, {}};
  ScaleTargets targets_{transport_, client_, mapper_, clock_, {}, Duration::Seconds(120)};
  telemetry::Registry registry_;
};

TEST_F(WatchSilenceTest, IsToldOfEachKind) {
  EXPECT_TRUE(SilenceOf(watches_, targets_, clock_).empty());
  watches_.Start();
  EXPECT_TRUE(watches_.policies.WaitForSync(1min));
  EXPECT_TRUE(watches_.hpas.WaitForSync(1min));
  EXPECT_TRUE(watches_.overrides.WaitForSync(1min));
  EXPECT_TRUE(watches_.rescales.WaitForSync(1min));
  EXPECT_TRUE(watches_.pods.WaitForSync(1min));
  static_cast<void>(targets_.Read(*targets_.Resolve({"apps/v1", "Deployment", ""}), {"a", "b"}));
  while (SilenceOf(watches_, targets_, clock_).size() < 5) {
    std::this_thread::yield();
  }
  // Each is behind its list soon after that is known.
  const auto watching = [&] {
    std::set<std::string> resources;
    for (const auto& all : {watches_.DebugState(), targets_.DebugState()}) {
      for (const telemetry::WatchDebugState& watch : all) {
        if (watch.state == "watching") {
          resources.insert(watch.resource);
        }
      }
    }
    return resources;
  };
  std::set<std::string> watches = watching();
  while (watches.size() < 6) {
    std::this_thread::yield();
    watches = watching();
  }
  EXPECT_THAT(watches,
              testing::ElementsAre("autoscaleoverrides.ballast.dev",
                                   "autoscalepolicies.ballast.dev", "deployments.apps", "events",
                                   "horizontalpodautoscalers.autoscaling", "pods"));
  clock_.Advance(130s);
  events_.Push(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}})");
  while (SilenceOf(watches_, targets_, clock_).at("autoscalepolicies.ballast.dev") > 0s) {
    std::this_thread::yield();
  }
  EXPECT_EQ(Describe(SilenceOf(watches_, targets_, clock_), 120s),
            "the API server has been silent about autoscaleoverrides.ballast.dev for 130 s, about "
            "deployments.apps for 130 s, about horizontalpodautoscalers.autoscaling for 130 s, "
            "about pods for 130 s");
  EXPECT_EQ(Describe(SilenceOf(watches_, targets_, clock_), 130s), "");
  AddSilenceMetrics(registry_, watches_, targets_, clock_);
  EXPECT_THAT(registry_.Print(),
              AllOf(HasSubstr("ballast_watch_silence_seconds{resource=\"pods\"} 130\n"),
                    HasSubstr("{resource=\"autoscalepolicies.ballast.dev\"} 0\n")));
}

}  // namespace
}  // namespace ballast::cluster
