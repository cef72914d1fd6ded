#include "operator/controllers/reconcilers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "api/autoscaling/condition_types.h"
#include "operator/controllers/testing/await_list.h"
#include "operator/controllers/testing/reconcile.h"
#include "operator/controllers/testing/watched_fixture.h"

namespace ballast::controllers {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

const api::ObjectReference kWeb{api::kPolicyKind, "shop", "web"};
const api::ObjectReference kApi{api::kHpaKind, "shop", "api"};

// The HPA shop/api, whose controller has just scaled it from 3 to 5. `mode`: the annotation.
api::Autoscaler ScaledHpa(const std::optional<std::string>& mode) {
  api::Autoscaler hpa{.api_version = api::kHpaApiVersion, .kind = api::kHpaKind};
  hpa.metadata = {.name = "api", .namespace_ = "shop", .uid = "h1", .resource_version = "7"};
  if (mode) {
    hpa.metadata.annotations["ballast.dev/hpa-mode"] = *mode;
  }
  hpa.spec.scale_target_ref = {"apps/v1", "Deployment", "api"};
  hpa.spec.max_replicas = 10;
  hpa.status = {.last_scale_time = *ParseTime("2023-11-14T22:13:20Z"),
                .current_replicas = 3,
                .desired_replicas = 5,
                .conditions = {{api::kAbleToScale, "True", "SucceededRescale", "it could", {}}}};
  hpa.status_writer = api::FieldManager{"kube-controller-manager", hpa.status.last_scale_time};
  return hpa;
}

// shop/web asks for 4 replicas instead of 2.
class ReconcilersTest : public WatchedFixture {
 protected:
  ReconcilersTest() { source_.queue = 40; }

  Reconcilers reconcilers_{
      watches_, ports_, {.sessions = options_, .hpas = {.take_over_in = {{"shop"}}}}};
};

TEST_F(ReconcilersTest, RecordsNothingOfAnIgnoredHpa) {
  hpas_ = {ScaledHpa("ignore")};
  Start();
  EXPECT_EQ(Reconcile(reconcilers_, kApi), std::nullopt);
  EXPECT_FALSE(reconcilers_.Serves(*watches_.Find(kApi)));
  EXPECT_THAT(ledger_.decisions, IsEmpty());
  EXPECT_EQ(ledger_.SpecOf("h1"), "");
}

// The edit that ends an HPA's history belongs to it.
TEST_F(ReconcilersTest, RecordsThatAnHpaIsToBeIgnored) {
  api::Autoscaler hpa = ScaledHpa(std::nullopt);
  hpas_ = {hpa};
  Start();
  Reconcile(reconcilers_, kApi);
  hpa.metadata.annotations["ballast.dev/hpa-mode"] = "ignore";
  Deliver("MODIFIED", hpa);
  EXPECT_EQ(Reconcile(reconcilers_, kApi), std::nullopt);
  ASSERT_EQ(ledger_.edits.size(), 1u);
  EXPECT_EQ(ledger_.edits[0].field, "metadata.annotations[ballast.dev/hpa-mode]");
  EXPECT_EQ(ledger_.edits[0].before + "|" + ledger_.edits[0].after, "|ignore");
}

// Its session finds out what became of it; settled blindly, it would count as written.
TEST_F(ReconcilersTest, LeavesTheIntentOfAnHpaToItsSession) {
  hpas_ = {ScaledHpa("manage")};
  const engine::Snapshot snapshot = engine::testing::MakeHpa(3);
  for (const char* uid : {"h1", "gone"}) {
    ledger_.AppendDurably(store::Intended{{.subject = {uid, api::kHpaKind, kApi.key()},
                                           .time = clock_.Now(),
                                           .current_replicas = 3,
                                           .desired_replicas = 5,
                                           .snapshot = &snapshot}});
  }
  ledger_.Restart();
  Start();
  reconcilers_.SettleAbandoned();
  ASSERT_EQ(ledger_.decisions.size(), 2u);
  for (const auto& [id, decision] : ledger_.decisions) {
    EXPECT_EQ(decision.disposition == store::Disposition::kIntended, decision.subject.uid == "h1");
  }
}

// Also if another controller has taken it over since.
TEST_F(ReconcilersTest, RemovesTheMemoryOfAManagedHpaThatIsDeleted) {
  api::Autoscaler hpa = ScaledHpa("manage");
  const api::Autoscaler others = hpa;
  hpa.status_writer->manager = api::kFieldManager;
  hpa.status.observed_generation = 0;
  hpas_ = {hpa};
  autoscaler_.object.metadata.resource_version = hpa.metadata.resource_version;
  Start();
  ASSERT_TRUE(Reconcile(reconcilers_, kApi));  // asks whether it is held still
  version_ = std::stoi(hpa.metadata.resource_version);
  Deliver("MODIFIED", hpa);
  ASSERT_TRUE(Reconcile(reconcilers_, kApi));
  version_ = 2'000;
  hpa = others;
  Deliver("MODIFIED", hpa);
  EXPECT_THAT(reconcilers_.ObstacleTo(kApi), HasSubstr("another controller is at work"));
  ASSERT_TRUE(Reconcile(reconcilers_, kApi));
  EXPECT_THAT(autoscaler_.forgotten, IsEmpty());
  Deliver("DELETED", hpa);
  const auto last = reconcilers_.Begin(kApi);
  ASSERT_TRUE(last);
  EXPECT_THAT(autoscaler_.forgotten, IsEmpty()) << "it waits for its turn among the writes";
  const session::Answer answer = reconcilers_.CarryOut(std::get<session::Request>(*last));
  EXPECT_THAT(autoscaler_.forgotten, ElementsAre(kApi.key()));
  EXPECT_FALSE(reconcilers_.Resume(kApi, answer));
  EXPECT_FALSE(reconcilers_.Begin(kApi));
}

TEST_F(ReconcilersTest, AsksForNoMetricOfAnHpaThatAnotherControllerHolds) {
  api::Autoscaler hpa = ScaledHpa("manage");
  hpa.spec.metrics = {engine::testing::CpuMetric()};
  hpas_ = {hpa};
  source_.on_gather = [] { ADD_FAILURE() << "evaluated"; };
  Start();
  for (int look = 0; look < 3; ++look) {
    EXPECT_TRUE(Reconcile(reconcilers_, kApi));
  }
  EXPECT_EQ(source_.asked_for_metrics, 0);
}

TEST_F(ReconcilersTest, CountsAutoscalersByTheirConditions) {
  api::Autoscaler hpa = ScaledHpa(std::nullopt);
  hpa.status.conditions.push_back({api::kScalingLimited, "True", "TooManyReplicas", "", {}});
  hpas_ = {hpa};
  Start();
  using Labels = std::vector<std::string>;
  EXPECT_THAT(reconcilers_.CountConditions(),
              UnorderedElementsAre(
                  Pair(Labels{api::kHpaKind, "observe", "ScalingLimited", "TooManyReplicas"}, 1),
                  Pair(Labels{api::kHpaKind, "observe", "AbleToScale", "SucceededRescale"}, 1)));
}

TEST_F(ReconcilersTest, RefusesWhatIsInConflictOrInvalid) {
  const auto expect_refused = [this](const char* reason) {
    SCOPED_TRACE(reason);
    Reconcile(reconcilers_, kWeb);
    EXPECT_THAT(scale_.writes, IsEmpty());
    ASSERT_FALSE(ledger_.decisions.empty());
    const store::DecisionAdded& recorded = ledger_.decisions.rbegin()->second;
    EXPECT_EQ(recorded.reason, reason);
    EXPECT_EQ(recorded.made_by, store::MadeBy::kRefused);
  };
  Start();
  api::Autoscaler rival = ScaledHpa(std::nullopt);
  rival.spec.scale_target_ref.name = "web";
  Deliver("ADDED", rival);
  expect_refused(api::kConflicted);
  ASSERT_NE(ConditionOf(api::kConflicted), nullptr);
  const std::string obstacle = reconcilers_.ObstacleTo(kWeb);  // an override of it is told so
  EXPECT_THAT(obstacle, HasSubstr("HorizontalPodAutoscaler shop/api"));
  EXPECT_EQ(ConditionOf(api::kConflicted)->message, obstacle);
  Deliver("DELETED", rival);
  autoscaler_.object.spec.max_replicas = 0;
  Deliver("MODIFIED", autoscaler_.object);
  expect_refused(api::kInvalidSpec);
  EXPECT_EQ(ReasonOf(api::kReady), api::kInvalidSpec);
  EXPECT_THAT(reconcilers_.ObstacleTo(kWeb), HasSubstr("spec.maxReplicas"));
  EXPECT_EQ(ConditionOf(api::kReady)->message, reconcilers_.ObstacleTo(kWeb));
}

// Between the decision and its turn to be written.
TEST_F(ReconcilersTest, AScaleIsNotSentForAPolicyThatIsAnotherByNow) {
  const struct {
    const char* about;
    const char* event;
    std::function<void(api::Autoscaler&)> edit;
    const char* says;
  } kCases[] = {
      {"edited", "MODIFIED", [](auto& policy) { policy.metadata.generation = 2; }, "edited"},
      {"paused", "MODIFIED",
       [](auto& policy) {
         policy.metadata.annotations["ballast.dev/paused-until"] = "2099-01-01T00:00:00Z";
       },
       "annotations"},
      {"deleted and created again", "MODIFIED", [](auto& policy) { policy.metadata.uid = "p9"; },
       "deleted"},
      {"deleted", "DELETED", [](auto&) {}, "deleted"}};
  Start();
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.about);
    api::Autoscaler policy = autoscaler_.object;
    Deliver("MODIFIED", policy);
    session::InMemoryLedger ledger;
    Reconcilers reconcilers(watches_, With(ledger), {.sessions = options_});
    const auto progress = BeginWithMetrics(reconcilers, kWeb);
    ASSERT_TRUE(progress);
    const auto* request = std::get_if<session::Request>(&*progress);
    ASSERT_TRUE(request != nullptr && std::holds_alternative<session::WriteScale>(*request));
    c.edit(policy);
    Deliver(c.event, policy);
    const auto answer = std::get<session::ScaleAnswer>(reconcilers.CarryOut(*request));
    ASSERT_TRUE(answer.outcome);
    EXPECT_EQ(answer.outcome->kind, engine::Outcome::Kind::kFailed);
    EXPECT_THAT(answer.outcome->message, AllOf(HasSubstr("not sent"), HasSubstr(c.says)));
  }
  EXPECT_THAT(scale_.writes, IsEmpty());
}

// An evaluation is of the policy as it is once the answers are there.
TEST_F(ReconcilersTest, WhatWasReadForAPolicyThatIsAnotherByNowIsNotUsed) {
  const struct {
    const char* about;
    std::function<void(api::Autoscaler&)> edit;
    bool again;  // it is read again
  } kCases[] = {{"status written", [](auto&) {}, false},
                {"annotated", [](auto& policy) { policy.metadata.annotations["a"] = "b"; }, false},
                {"retargeted",
                 [](auto& policy) {
                   policy.metadata.generation = 2;
                   policy.spec.scale_target_ref.name = "api";
                 },
                 true},
                {"created again", [](auto& policy) { policy.metadata.uid = "p9"; }, true}};
  Start();
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.about);
    api::Autoscaler policy = autoscaler_.object;
    Deliver("MODIFIED", policy);
    session::InMemoryLedger ledger;
    Reconcilers reconcilers(watches_, With(ledger), {.sessions = options_});
    const auto fetch = std::get<session::FetchMetrics>(
        std::get<session::Request>(reconcilers.Begin(kWeb).value()));
    const session::MetricsAnswer answer = Fetch(reconcilers, fetch);
    c.edit(policy);
    Deliver("MODIFIED", policy);
    const auto next = std::get<session::Request>(reconcilers.Resume(kWeb, answer).value());
    const auto* again = std::get_if<session::FetchMetrics>(&next);
    ASSERT_EQ(again != nullptr, c.again);
    if (c.again) {
      EXPECT_EQ(again->autoscaler, watches_.Find(kWeb));
      EXPECT_THAT(ledger.decisions, IsEmpty());
    } else {
      EXPECT_EQ(std::get<session::WriteScale>(next).change.to, 4);
    }
  }
  const auto fetch =
      std::get<session::FetchMetrics>(std::get<session::Request>(reconcilers_.Begin(kWeb).value()));
  const session::MetricsAnswer answer = Fetch(reconcilers_, fetch);
  Deliver("DELETED", autoscaler_.object);
  EXPECT_FALSE(reconcilers_.Resume(kWeb, answer)) << "it is forgotten";
  EXPECT_THAT(scale_.writes, IsEmpty());
}

TEST_F(ReconcilersTest, ADefectWhereAnEvaluationWaitedEndsIt) {
  Start();
  const auto fetch =
      std::get<session::FetchMetrics>(std::get<session::Request>(reconcilers_.Begin(kWeb).value()));
  session::MetricsAnswer answer = Fetch(reconcilers_, fetch);
  answer.defect = std::make_exception_ptr(std::runtime_error("a defect"));
  EXPECT_THROW((void)reconcilers_.Resume(kWeb, answer), std::runtime_error);
  EXPECT_THAT(ledger_.decisions, IsEmpty());
}

// The watch may hang, and what the policy or HPA now is, or whether it is, nobody knows.
TEST_F(ReconcilersTest, NothingIsWrittenForWhatTheApiServerDoesNotHave) {
  source_.queue = 20;
  autoscaler_.refused = Error{Code::kNotFound, "not found"};
  int gathered = 0;
  source_.on_gather = [&] { ++gathered; };
  Start();
  AwaitList(watches_.policies, clock_.Steady());
  const auto evaluate = [this] {
    clock_.Advance(seconds(5));
    return Reconcile(reconcilers_, kWeb)->period;
  };
  evaluate();
  source_.queue = 40;
  autoscaler_.refused.reset();
  EXPECT_EQ(evaluate(), Duration::Seconds(15)) << "soon, however long the period";
  EXPECT_EQ(gathered, 1);
  evaluate();
  AwaitList(watches_.policies, clock_.Steady());
  EXPECT_THAT(scale_.writes, IsEmpty());
  evaluate();
  EXPECT_EQ(scale_.writes.size(), 1u) << "it is there all the same";
}

TEST_F(ReconcilersTest, ForgetsAPolicyThatIsGone) {
  Start();
  EXPECT_TRUE(Reconcile(reconcilers_, kWeb));
  std::vector<std::string> forgotten;
  ledger_.before_append = [&](const store::Record& record) {
    if (const auto* one = std::get_if<store::Forgotten>(&record)) {
      forgotten.push_back(one->uid);
    }
  };
  Deliver("DELETED", autoscaler_.object);
  for (int look = 0; look < 2; ++look) {
    EXPECT_EQ(Reconcile(reconcilers_, kWeb), std::nullopt);
  }
  EXPECT_THAT(forgotten, ElementsAre("p1"));
}

}  // namespace
}  // namespace ballast::controllers
