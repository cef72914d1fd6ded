#include "operator/hpa/hpa_role.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "api/autoscaling/condition_types.h"
#include "operator/session/testing/session_fixture.h"
#include "operator/telemetry/registry.h"

namespace ballast::hpa {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// An HPA that its controller serves, and what Ballast is to it.
class HpaRoleTest : public session::SessionFixture {
 protected:
  HpaRoleTest() {
    autoscaler_.object.kind = api::kHpaKind;
    autoscaler_.object.metadata.uid = "h1";
    autoscaler_.object.spec.mode.clear();
    ControllerSays(2, 2);
  }

  void SetMode(const char* mode) {
    autoscaler_.object.metadata.annotations["ballast.dev/hpa-mode"] = mode;
  }
  // Kubernetes' own controller writes the status.
  void ControllerSays(std::int32_t current, std::int32_t desired,
                      const char* reason = "ReadyForNewScale") {
    api::AutoscalerStatus& status = autoscaler_.object.status;
    status = {.current_replicas = current,
              .desired_replicas = desired,
              .conditions = {{api::kAbleToScale, "True", reason, "as it is", {}}}};
    if (current != desired) {
      status.last_scale_time = clock_.Now();
    }
    autoscaler_.object.status_writer = api::FieldManager{"kube-controller-manager", clock_.Now()};
    ++version_;
    autoscaler_.object.metadata.resource_version = std::to_string(version_);
  }

  HpaRole::RoleAction Next(const std::optional<ManageBlocker>& blocker = {}) {
    const auto next = [&](const session::MetricsAnswer& answer) {
      return role_.Next(autoscaler_.object, blocker, [](auto...) { return std::nullopt; },
                        {memory_, observer_, others_, answer, "", unsettled_});
    };
    HpaRole::RoleAction action = next({});
    if (action.asks_who_set) {
      action = next(Read({.autoscaler = Watched(), .managed = true}));
    }
    for (const engine::Event& event : action.events) {
      events_.push_back(event);
    }
    return action;
  }
  // The same, and what it asks for is written.
  HpaRole::RoleAction NextAndWrite(const std::optional<ManageBlocker>& blocker = {}) {
    HpaRole::RoleAction action = Next(blocker);
    if (action.write) {
      const api::Autoscaler hpa = autoscaler_.object;
      role_.Answered(hpa, autoscaler_.Write(*action.write));
      autoscaler_.object.status_writer = api::FieldManager{api::kFieldManager, clock_.Now()};
      version_ = std::stoi(autoscaler_.object.metadata.resource_version);
    }
    return action;
  }
  // "controller: kube-controller-manager > ballast"
  std::vector<std::string> Edits() const {
    std::vector<std::string> all;
    for (const store::Edit& edit : ledger_.edits) {
      all.push_back(edit.field + ": " + edit.before + " > " + edit.after);
    }
    return all;
  }
  // Ballast becomes its controller.
  void TakeOver() {
    SetMode("manage");
    NextAndWrite();  // the claim
    clock_.Advance(seconds(60));
    NextAndWrite();  // it stands, so it is replaced
    ASSERT_TRUE(role_.begins());
    ASSERT_TRUE(Next().begun);
  }

  int version_ = 3;
  bool unsettled_ = false;
  OtherControllers others_;
  session::AutoscalerMemory memory_;
  session::ScaleObserver observer_;
  HpaOptions hpa_options_;
  HpaRole role_{ports_, options_, hpa_options_};
};

TEST_F(HpaRoleTest, DoesWhatTheModeSays) {
  const struct {
    const char* mode;
    bool evaluates;
    bool claims;
    Duration period;
    std::size_t recorded;
  } kCases[] = {{"ignore", false, false, session::kObservationPeriod, 0},
                {"observe", false, false, session::kObservationPeriod, 1},
                {"shadow", true, false, Duration::Seconds(15), 0},
                {"manage", false, true, session::kObservationPeriod, 1}};
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.mode);
    session::InMemoryLedger ledger;
    const session::Ports ports = With(ledger);
    HpaRole role(ports, options_, hpa_options_);
    SetMode(c.mode);
    const HpaRole::RoleAction action =
        role.Next(autoscaler_.object, {}, [](auto...) { return std::nullopt; },
                  {memory_, observer_, others_, {}, "", false});
    EXPECT_EQ(action.evaluate, c.evaluates);
    EXPECT_EQ(action.write.has_value(), c.claims);
    EXPECT_EQ(action.period, c.period);
    EXPECT_FALSE(action.begun || role.manages());
    EXPECT_EQ(ledger.decisions.size(), c.recorded);
  }
}

TEST_F(HpaRoleTest, ObservesWithoutARequest) {
  Next();
  ControllerSays(3, 5, "SucceededRescale");
  scale_.reads = 0;
  clock_.Advance(seconds(15));
  EXPECT_EQ(Next().sooner, HpaObserver::kEventDelay) << "its event may still come";
  clock_.Advance(seconds(3));
  const HpaRole::RoleAction action = Next();
  EXPECT_FALSE(action.evaluate || action.write);
  EXPECT_EQ(autoscaler_.reads, 0);
  const store::DecisionAdded& last = ledger_.decisions.rbegin()->second;
  EXPECT_EQ(last.subject.kind, api::kHpaKind);
  EXPECT_EQ(last.current_replicas, 3);
  EXPECT_EQ(last.desired_replicas, 5);
  EXPECT_EQ(last.disposition, store::Disposition::kObserved);
  EXPECT_EQ(last.made_by, store::MadeBy::kObserved);
  EXPECT_THAT(memory_.memory().scale_ups, ElementsAre(engine::ScaleEvent{last.time, 2}));
}

// Its status may be older than the target, which has the count of somebody else by then.
TEST_F(HpaRoleTest, NamesOnlyWhoSetTheCountOfAnObservedHpa) {
  const struct {
    int says;  // the status
    int has;   // the target
    const char* set_by;
  } kCases[] = {{5, 5, "kubectl"}, {6, 9, "kubectl"}, {7, 7, "ballast"}, {8, 8, "helm"}};
  Next();
  EXPECT_EQ(scale_.reads, 0) << "there is nothing to ask for";
  for (const auto& c : kCases) {
    scale_.Set(c.has, c.set_by);
    ControllerSays(c.says, c.says);
    autoscaler_.object.status.last_scale_time.reset();
    Next();
  }
  std::string all;
  for (const store::ForeignChange& change : ledger_.foreign_changes) {
    all +=
        std::to_string(change.from) + ">" + std::to_string(change.to) + " " + change.manager + ", ";
  }
  EXPECT_EQ(all, "2>5 kubectl, 5>6 , 7>8 helm, ");
}

TEST_F(HpaRoleTest, LooksAgainSoonWhileAnAttemptIsNotSettled) {
  EXPECT_EQ(Next().sooner, std::nullopt);
  unsettled_ = true;
  EXPECT_EQ(Next().sooner, session::kLookAgain);
}

TEST_F(HpaRoleTest, BecomesItsControllerAndSaysWhoScaledBefore) {
  SetMode("manage");
  HpaRole::RoleAction action = NextAndWrite();
  ASSERT_TRUE(action.write);
  EXPECT_THAT(action.write->merge_patch, HasSubstr(R"("observedGeneration":-1)"));
  EXPECT_EQ(Next().sooner, Duration::Seconds(60));
  clock_.Advance(seconds(60));
  action = NextAndWrite();
  EXPECT_FALSE(action.evaluate) << "not before it is written";
  EXPECT_TRUE(role_.begins());
  action = Next();
  EXPECT_TRUE(action.evaluate && action.begun && role_.manages());
  EXPECT_EQ(action.period, Duration::Seconds(15));
  action = Next();
  EXPECT_TRUE(action.evaluate && !action.begun) << "once";
  EXPECT_THAT(Edits(), ElementsAre("controller: kube-controller-manager > ballast"));
}

TEST_F(HpaRoleTest, StandsByAgainWhenAnotherControllerComesBack) {
  TakeOver();
  clock_.Advance(seconds(15));
  ControllerSays(2, 2);
  const HpaRole::RoleAction action = Next();
  EXPECT_FALSE(action.evaluate || role_.manages());
  EXPECT_THAT(EventsOf("AnotherController"), ElementsAre(HasSubstr("kube-controller-manager")));
  EXPECT_THAT(Edits(), ElementsAre("controller: kube-controller-manager > ballast",
                                   "controller: ballast > kube-controller-manager"));
  EXPECT_FALSE(ledger_.decisions.empty()) << "what that one does is recorded again";
}

// Also what is remembered of it elsewhere.
TEST_F(HpaRoleTest, RemovesWhatItLeftWhenTheModeIsAnother) {
  TakeOver();
  SetMode("observe");
  const HpaRole::RoleAction action = Next();
  ASSERT_TRUE(action.write);
  EXPECT_THAT(action.write->merge_patch, HasSubstr(R"("observedGeneration":null)"));
  EXPECT_EQ(action.write->memory, "");
  EXPECT_FALSE(action.evaluate || role_.manages());
  EXPECT_EQ(EventsOf("Released").size(), 1u);
}

TEST_F(HpaRoleTest, TellsOnceOfAModeThatIsNone) {
  SetMode("Manage");
  Next();
  Next();
  EXPECT_THAT(EventsOf("ModeNotUnderstood"), ElementsAre(HasSubstr("is \"Manage\"")));
}

TEST_F(HpaRoleTest, SaysWhatKeepsItFromManaging) {
  SetMode("manage");
  const HpaRole::RoleAction action =
      Next(ManageBlocker{"NotUnderstood", "spec.forecast: what is that?"});
  EXPECT_FALSE(action.evaluate);
  ASSERT_TRUE(action.write);
  EXPECT_THAT(action.write->merge_patch, HasSubstr("spec.forecast: what is that?"));
  EXPECT_THAT(EventsOf("NotUnderstood"), ElementsAre("spec.forecast: what is that?"));
}

// Each time that the status says something else, and not before it does.
TEST_F(HpaRoleTest, RecordsWhatTheConditionSays) {
  SetMode("manage");
  const ManageBlocker owned{"HasOwner", "it belongs to ScaledObject web"};
  Next(owned);
  role_.Answered(autoscaler_.object, {false, Error{Code::kTimeout, "no answer"}});
  EXPECT_THAT(Edits(), ElementsAre());
  NextAndWrite(owned);
  NextAndWrite(owned);
  EXPECT_THAT(Edits(), ElementsAre("ballast.dev/Managed:  > HasOwner: it belongs to ScaledObject "
                                   "web"));
  EXPECT_EQ(ledger_.edits[0].manager, api::kFieldManager);
  NextAndWrite(ManageBlocker{"NotUnderstood", "spec.forecast: what is that?"});
  SetMode("observe");
  NextAndWrite();
  NextAndWrite();
  EXPECT_THAT(Edits(),
              ElementsAre(::testing::_,
                          "ballast.dev/Managed: HasOwner: it belongs to ScaledObject web > "
                          "NotUnderstood: spec.forecast: what is that?",
                          "ballast.dev/Managed: NotUnderstood: spec.forecast: what is that? > "));
}

TEST_F(HpaRoleTest, DoesNotBelieveItsClaimWhereTheScaleCannotBeRead) {
  SetMode("manage");
  NextAndWrite();
  scale_.unreadable = Error{Code::kNotFound, "no"};
  for (int passed = 0; passed < 120; passed += 15) {
    clock_.Advance(seconds(15));
    NextAndWrite();
  }
  EXPECT_FALSE(role_.begins());
  scale_.unreadable.reset();
  clock_.Advance(seconds(60));
  NextAndWrite();
  EXPECT_TRUE(role_.begins());
}

// ---- A shadow's decisions, compared

class ShadowTest : public HpaRoleTest {
 protected:
  ShadowTest() {
    SetMode("shadow");
    hpa_options_.shadows = ShadowMetrics(registry_);
  }

  // Decides each period for so long; absent: nothing can be computed.
  void Decide(std::optional<std::int32_t> count, int span) {
    for (int passed = 0; passed < span; passed += 15) {
      clock_.Advance(seconds(15));
      engine::Snapshot snapshot = engine::testing::MakeHpa(2);
      snapshot.autoscaler = autoscaler_.object;
      engine::Decision decision;
      decision.current_replicas = 2;
      decision.target_replicas = count.value_or(2);
      if (!count) {
        decision.problem = engine::EvaluationProblem{"FailedGetResourceMetric", "no answer"};
      }
      decision.recommended = count;
      role_.Judge(snapshot, decision, clock_.Now());
    }
  }
  int Count(const std::string& verdict) const {
    const std::string text = registry_.Print();
    const std::string line = "\nballast_shadow_decisions_total{verdict=\"" + verdict + "\"} ";
    const std::size_t at = text.find(line);
    return at == std::string::npos ? 0 : std::stoi(text.substr(at + line.size()));
  }

  telemetry::Registry registry_;
};

TEST_F(ShadowTest, AgreesOrDiffersOnceItKnowsAWindow) {
  Decide(2, 300);
  EXPECT_EQ(Count("agrees"), 0);
  EXPECT_EQ(Count("too_early"), 20);
  Decide(2, 15);
  EXPECT_EQ(Count("agrees"), 1);
  Decide(4, 45);
  EXPECT_EQ(Count("differs"), 0) << "one may be ahead of the other";
  Decide(4, 15);
  EXPECT_EQ(Count("differs"), 1);
}

// A count that stays because nothing could be computed is no count to compare.
TEST_F(ShadowTest, ThatCanComputeNothingIsNotCompared) {
  Decide(2, 315);
  EXPECT_EQ(Count("agrees"), 1);
  Decide({}, 300);
  EXPECT_EQ(Count("agrees"), 1);
  EXPECT_EQ(Count("cannot_tell"), 20);
  // Nor is a count that its controller could not compute either.
  autoscaler_.object.status.conditions.push_back({api::kScalingActive, "False", "Any", "", {}});
  Decide({}, 300);
  EXPECT_EQ(Count("cannot_tell"), 20);
  autoscaler_.object.status.conditions.pop_back();
  Decide(2, 300);
  EXPECT_EQ(Count("agrees"), 1) << "what it would have recommended meanwhile is not known";
  Decide(2, 15);
  EXPECT_EQ(Count("agrees"), 2);
}

TEST_F(ShadowTest, OfAnHpaThatNobodyServesIsNotCompared) {
  autoscaler_.object.status.conditions.clear();
  Decide(2, 600);
  EXPECT_EQ(Count("agrees") + Count("too_early") + Count("differs"), 0);
}

}  // namespace
}  // namespace ballast::hpa
