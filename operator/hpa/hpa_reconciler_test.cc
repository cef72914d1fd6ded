#include "operator/hpa/hpa_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <variant>

#include "api/autoscaling/condition_types.h"
#include "operator/session/testing/session_fixture.h"

namespace ballast::hpa {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A shadow of an HPA, whose queue asks for another count than its controller.
class HpaReconcilerTest : public session::SessionFixture {
 protected:
  const api::Autoscaler& MakeShadow() {
    api::Autoscaler& hpa = autoscaler_.object;
    hpa.kind = api::kHpaKind;
    hpa.spec.mode.clear();
    hpa.metadata.annotations["ballast.dev/hpa-mode"] = "shadow";
    hpa.status = {.current_replicas = 2,
                  .desired_replicas = 2,
                  .conditions = {{api::kAbleToScale, "True", "ReadyForNewScale", "", {}}}};
    return hpa;
  }
  // Evaluates it once all has been read.
  session::NextEvaluation Evaluate() {
    return Finish(reconciler_, reconciler_.Begin(
                                   Watched(), {{Watched(), Duration::Seconds(15), true}, nullptr}));
  }
  const store::DecisionAdded& last_decision() const { return ledger_.decisions.rbegin()->second; }

  OtherControllers others_;
  HpaOptions hpa_options_;
  const HpaReconciler::Surroundings around_{ports_, options_, hpa_options_, others_,
                                            [](auto&&...) { return std::nullopt; }};
  HpaReconciler reconciler_{around_, MakeShadow()};
};

TEST_F(HpaReconcilerTest, AsksForTheMetricsThatWereNotRead) {
  const session::Progress progress =
      reconciler_.Begin(Watched(), {{Watched(), Duration::Seconds(15), false}, nullptr});
  const auto& fetch = std::get<session::FetchMetrics>(std::get<session::Request>(progress));
  EXPECT_TRUE(fetch.metrics);
  EXPECT_EQ(fetch.period, Duration::Seconds(15));
  EXPECT_THAT(ledger_.decisions, IsEmpty());
  Evaluate();
  EXPECT_EQ(ledger_.decisions.size(), 1u);
}

TEST_F(HpaReconcilerTest, DecidesAndWritesNothing) {
  source_.queue = 40;
  bool traced = false;
  ledger_.before_append = [&](const store::Record& record) {
    const auto* evaluated = std::get_if<store::Evaluated>(&record);
    traced = evaluated != nullptr && !evaluated->conclusion->trace.empty();
  };
  EXPECT_EQ(Evaluate().period, Duration::Seconds(15));
  EXPECT_THAT(scale_.writes, IsEmpty());
  EXPECT_THAT(autoscaler_.writes, IsEmpty());
  EXPECT_THAT(events_, IsEmpty());
  ASSERT_EQ(ledger_.decisions.size(), 1u)
      << "what its controller did is not recorded as a run as well";
  EXPECT_EQ(last_decision().disposition, store::Disposition::kDryRun);
  EXPECT_EQ(last_decision().current_replicas, 2);
  EXPECT_EQ(last_decision().desired_replicas, 4);
  EXPECT_EQ(last_decision().made_by, store::MadeBy::kEvaluated);
  EXPECT_TRUE(traced);
}

// Its conditions are those of its controller, which may have computed a count.
TEST_F(HpaReconcilerTest, SaysWhyItComputesNothing) {
  source_.queue.reset();
  Evaluate();
  EXPECT_EQ(last_decision().reason, "FailedGetExternalMetric");
  EXPECT_THAT(last_decision().message, HasSubstr("no answer"));
}

// Whoever observes waits for no answer, and asks for nothing else.
TEST_F(HpaReconcilerTest, AsksWhoSetTheReplicasOfAnHpaThatItObserves) {
  autoscaler_.object.metadata.annotations["ballast.dev/hpa-mode"] = "observe";
  Finish(reconciler_, reconciler_.Begin(Watched(), {}));
  EXPECT_EQ(source_.asked_for_metrics, 0);
  api::AutoscalerStatus& status = autoscaler_.object.status;
  status.current_replicas = status.desired_replicas = 5;
  scale_.Set(5, "kubectl");
  scale_.reads = 0;
  for (const bool marked : {true, false}) {
    // A mark of before is removed, however often that is refused.
    if (marked) {
      status.conditions.push_back({api::kManaged, "False", "AnotherController", "", {}});
    } else {
      status.conditions.pop_back();
    }
    const session::Progress progress = reconciler_.Begin(Watched(), {});
    const auto& request = std::get<session::Request>(progress);
    if (marked) {
      ASSERT_TRUE(std::holds_alternative<session::WriteStatus>(request));
      reconciler_.Resume(session::StatusAnswer{false, Error{Code::kForbidden, "no right"}});
      EXPECT_THAT(ledger_.foreign_changes, IsEmpty());
      continue;
    }
    const auto& fetch = std::get<session::FetchMetrics>(request);
    EXPECT_TRUE(fetch.managed);
    EXPECT_FALSE(fetch.metrics || fetch.scale);
    EXPECT_EQ(scale_.reads, 0);
    Finish(reconciler_, progress);
  }
  EXPECT_EQ(scale_.reads, 1);
  ASSERT_EQ(ledger_.foreign_changes.size(), 1u);
  EXPECT_EQ(ledger_.foreign_changes[0].manager, "kubectl");
  EXPECT_EQ(ledger_.foreign_changes[0].to, 5);
}

// Its controller is not paused.
TEST_F(HpaReconcilerTest, IsNotPaused) {
  autoscaler_.object.metadata.annotations["ballast.dev/paused-until"] = "2099-01-01T00:00:00Z";
  source_.queue = 40;
  Evaluate();
  EXPECT_EQ(last_decision().desired_replicas, 4);
}

}  // namespace
}  // namespace ballast::hpa
