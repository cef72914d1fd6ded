#include "operator/app/controller_part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "store/testing/open_ledger.h"
#include "tests/support/channel.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_discovery.h"
#include "tests/support/fake_transport.h"
#include "tests/support/temp_dir.h"

namespace ballast::app {
namespace {

constexpr const char* kScale = "/apis/apps/v1/namespaces/shop/deployments/web/scale ";

// A cluster with one policy, one HPA and one override, whose watches are silent; or with a policy
// and its target, and the overrides that the test pushes.
class ControllerPartTest : public testing::Test {
 protected:
  Result<kube::Response> Do(const kube::Request& request) {
    const auto list = [](const std::string& item) {
      return kube::Response{200, R"({"metadata":{"resourceVersion":"5"},"items":[)" + item + "]}"};
    };
    if (has_target_) {
      return WithTarget(request);
    }
    if (request.path.ends_with("/autoscalepolicies")) {
      return refused_ ? Result<kube::Response>(Error{Code::kForbidden, "no"}) : list(Autoscaler());
    }
    if (request.path.ends_with("/horizontalpodautoscalers")) {
      return list(Autoscaler());
    }
    if (request.path.ends_with("/autoscaleoverrides")) {
      return list(
          R"({"metadata":{"name":"web","namespace":"shop","uid":"o","resourceVersion":")" +
          std::to_string(max_replicas_) +
          R"(","creationTimestamp":"2026-01-01T00:00:00Z"},"spec":{"target":{"kind":)"
          R"("AutoScalePolicy","name":"web"},"until":"2030-01-01T00:00:00Z","reason":"sale",)"
          R"("ceiling":)" +
          std::to_string(max_replicas_) + "}}");
    }
    if (request.path.ends_with("/pods") || request.path.ends_with("/events")) {
      return list("");
    }
    return Error{Code::kUnavailable, "not in this test"};
  }

  Result<kube::Response> WithTarget(const kube::Request& request) {
    const std::string web = R"({"metadata":{"name":"web","namespace":"shop","uid":"u",)"
                            R"("resourceVersion":"3","generation":1},"spec":{)";
    if (const auto discovered = support::DiscoverApps(request.path)) {
      return *discovered;
    }
    if (request.method == kube::Method::kPatch) {
      patches_.Push(request.path + " " + request.body);
    }
    if (request.path.ends_with("/scale")) {
      return kube::Response{200,
                            web + R"("replicas":1},"status":{"replicas":1,"selector":"app=web"}})"};
    }
    std::string items;
    if (request.path.ends_with("/autoscalepolicies")) {
      items = web +
              R"("scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"},)"
              R"("mode":"Active","minReplicas":1,"maxReplicas":9,"metrics":[{"type":"Resource",)"
              R"("resource":{"name":"cpu","target":{"type":"AverageValue",)"
              R"("averageValue":"1"}}}]},"status":{"observedGeneration":1}})";
    } else if (request.path.ends_with("/deployments")) {
      items = web + R"("replicas":1,"selector":{"matchLabels":{"app":"web"}}},)"
                    R"("status":{"replicas":1}})";
    }
    return kube::Response{200, R"({"metadata":{"resourceVersion":"5"},"items":[)" + items + "]}"};
  }

  std::string Autoscaler() const {
    return R"({"metadata":{"name":"web","namespace":"shop","uid":"u","resourceVersion":")" +
           std::to_string(max_replicas_) +
           R"("},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment",)"
           R"("name":"web"},"maxReplicas":)" +
           std::to_string(max_replicas_) + "}}";
  }

  // Starts the watches, then, when the autoscalers have been edited since, the controller. Returns
  // what the controller's start does.
  Status StartControllerAfterAnEdit(bool leader_elect) {
    OperatorOptions options;
    options.leader_elect = leader_elect;
    part_.emplace(ControllerPart::Wiring{watches_, *ledger_, transport_, transport_, clock_,
                                         registry_, session::kWithoutElection, calls_},
                  options);
    EXPECT_TRUE(watches_part_.start({}).ok());
    clock_.Advance(std::chrono::seconds(1));
    max_replicas_ = 20;
    refused_ = refuses_later_;
    controller_part_ = part_->Part("me", {.ending = [] {}, .written = [] {}});
    return controller_part_.start(stop_.get_token());
  }
  std::map<std::string, int> MaxReplicas() {
    std::map<std::string, int> all;
    for (const std::string kind : {api::kPolicyKind, api::kHpaKind}) {
      all[kind] = watches_.watches().Find({kind, "shop", "web"})->spec.max_replicas;
    }
    const auto override = watches_.watches().overrides.Get({"shop", "web"});
    all[api::kOverrideKind] = override->spec.ceiling.value_or(0);
    return all;
  }
  void StopAll() {
    controller_part_.stop();
    part_->EventsPart().stop();
    watches_part_.stop();
  }

  std::atomic<int> max_replicas_ = 5;
  std::atomic<bool> refused_ = false;
  bool refuses_later_ = false;
  bool has_target_ = false;
  support::Channel<std::string> overrides_;
  support::Channel<std::string> patches_;
  support::TempDir folder_;
  support::FakeClock clock_;
  support::FakeTransport transport_{[this](const kube::Request& request) { return Do(request); },
                                    [this](const kube::Request& request, const kube::LineSink& sink,
                                           const std::stop_token& stop) {
                                      return request.path.ends_with("/autoscaleoverrides")
                                                 ? support::PushedStream(overrides_, request, sink,
                                                                         stop)
                                                 : support::SilentStream(request, sink, stop);
                                    }};
  std::stop_source calls_;
  std::stop_source stop_;
  const std::string server_ = "the server";
  telemetry::Registry registry_;
  std::unique_ptr<store::Ledger> ledger_ =
      store::testing::OpenLedger(folder_.path() + "/ballast.db").value();
  WatchesPart watches_{
      {transport_, transport_, clock_, server_, calls_, Duration::Seconds(120)}, {}, {}};
  process::Manager::Part watches_part_ = watches_.Part();
  std::optional<ControllerPart> part_;
  process::Manager::Part controller_part_;
};

// The former leader may have acted upon what a standby's watch does not show yet.
TEST_F(ControllerPartTest, ANewLeaderListsAutoscalersOnceMore) {
  ASSERT_TRUE(StartControllerAfterAnEdit(true).ok());
  EXPECT_EQ(MaxReplicas(),
            (std::map<std::string, int>{
                {api::kPolicyKind, 20}, {api::kHpaKind, 20}, {api::kOverrideKind, 20}}));
  StopAll();
}

TEST_F(ControllerPartTest, WithoutAnElectionNobodyElseHasActed) {
  ASSERT_TRUE(StartControllerAfterAnEdit(false).ok());
  EXPECT_EQ(MaxReplicas(),
            (std::map<std::string, int>{
                {api::kPolicyKind, 5}, {api::kHpaKind, 5}, {api::kOverrideKind, 5}}));
  StopAll();
}

TEST_F(ControllerPartTest, ANewLeaderThatIsStoppedMeanwhileEvaluatesNothing) {
  refuses_later_ = true;
  stop_.request_stop();
  ASSERT_TRUE(StartControllerAfterAnEdit(true).ok());
  StopAll();
  for (const kube::Request& request : transport_.requests()) {
    EXPECT_EQ(request.path.find("/deployments"), std::string::npos) << request.path;
  }
}

// The clock stands still, so what does not come at once never comes: the policy's turn would be
// seconds later.
TEST_F(ControllerPartTest, AnOverrideActsAtOnce) {
  has_target_ = true;
  ASSERT_TRUE(StartControllerAfterAnEdit(false).ok());
  overrides_.Push(
      R"({"type":"ADDED","object":{"metadata":{"name":"sale","namespace":"shop","uid":"o",)"
      R"("resourceVersion":"6","creationTimestamp":"2023-11-14T22:13:00Z"},"spec":{"target":{)"
      R"("kind":"AutoScalePolicy","name":"web"},"until":"2023-11-14T23:13:00Z",)"
      R"("reason":"sale","floor":3}}})");
  std::optional<std::string> patch = patches_.Pop();
  while (patch && !patch->starts_with(kScale)) {
    patch = patches_.Pop();
  }
  EXPECT_THAT(patch.value_or("none"), ::testing::HasSubstr(R"("path":"/spec/replicas","value":3)"));
  StopAll();
}

}  // namespace
}  // namespace ballast::app
