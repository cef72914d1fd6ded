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

// Its controller is not paused.
TEST_F(HpaReconcilerTest, IsNotPaused) {
  autoscaler_.object.metadata.annotations["ballast.dev/paused-until"] = "2099-01-01T00:00:00Z";
  source_.queue = 40;
  Evaluate();
  EXPECT_EQ(last_decision().desired_replicas, 4);
}

}  // namespace
}  // namespace ballast::hpa
