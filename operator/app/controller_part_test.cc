#include "operator/app/controller_part.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "store/testing/open_ledger.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_transport.h"
#include "tests/support/temp_dir.h"

namespace ballast::app {
namespace {

// A cluster with one policy, one HPA and one override, whose watches are silent.
class ControllerPartTest : public testing::Test {
 protected:
  Result<kube::Response> Do(const kube::Request& request) {
    const auto list = [](const std::string& item) {
      return kube::Response{200, R"({"metadata":{"resourceVersion":"5"},"items":[)" + item + "]}"};
    };
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
  support::TempDir folder_;
  support::FakeClock clock_;
  support::FakeTransport transport_{[this](const kube::Request& request) { return Do(request); },
                                    support::SilentStream};
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

}  // namespace
}  // namespace ballast::app
