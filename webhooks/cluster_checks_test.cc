#include "webhooks/cluster_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ballast::webhooks {
namespace {

using testing::IsEmpty;

api::Autoscaler Policy() {
  api::Autoscaler policy;
  policy.kind = api::kPolicyKind;
  policy.spec.scale_target_ref = {"apps/v1", "Deployment", "web"};
  policy.spec.min_replicas = 1;
  policy.spec.max_replicas = 10;
  policy.spec.mode = "Active";
  return policy;
}

TEST(CheckCluster, RefusesOnlyWhatCannotWork) {
  const struct {
    Facts facts;
    const char* error;    // empty: no error
    const char* warning;  // empty: no warning
  } kCases[] = {
      {{}, "", ""},
      {{.rivals = {{"AutoScalePolicy shop/old"}}},
       "Deployment web is scaled by AutoScalePolicy shop/old already; delete one of the two, or "
       "name another target",
       ""},
      {{.rivals = {{"HorizontalPodAutoscaler shop/old", true, "old"}}},
       "Deployment web is scaled by HorizontalPodAutoscaler shop/old already; delete one of the "
       "two, name another target, or take over from the HPA by the annotation "
       "ballast.dev/takes-over",
       ""},
      {{.rivals = {{"HorizontalPodAutoscaler shop/old", true, "old"}}, .may_take_over = false},
       "Deployment web is scaled by HorizontalPodAutoscaler shop/old already; delete one of the "
       "two, name another target, or take over from the HPA by the annotation "
       "ballast.dev/takes-over (see the chart's value operator.hpaTakeoverNamespaces)",
       ""},
      {{.rivals = {{"AutoScalePolicy shop/off", false}}},
       "",
       "AutoScalePolicy shop/off has the same target; it does not scale it now"},
      {{.silence = "no news of HPAs for 300 s"},
       "",
       "another autoscaler of Deployment web may be overlooked, and nothing is refused for it: no "
       "news of HPAs for 300 s"},
      {{.target = Facts::TargetState::kFound, .replicas = 3}, "", ""},
      {{.target = Facts::TargetState::kFound, .replicas = 0},
       "",
       "Deployment web stands at 0 replicas and is left there until somebody scales it up"},
      {{.target = Facts::TargetState::kMissing},
       "",
       "Deployment web does not exist (yet); scaling begins when it does"},
      {{.target = Facts::TargetState::kUnknownKind},
       "",
       "the cluster knows no kind Deployment in apps/v1 (yet)"},
      {{.target = Facts::TargetState::kNoScale},
       "a Deployment has no scale subresource; name a Deployment, a StatefulSet, or a custom "
       "resource that has one",
       ""},
      {{.target = Facts::TargetState::kForbidden},
       "",
       "the operator may not read the scale of Deployment web; see the chart's value "
       "customTargets"},
      {{.missing_requests = {"container app of Pod web-1 has no cpu request"}},
       "",
       "container app of Pod web-1 has no cpu request: its utilization cannot be computed"},
      {{.may_take_over = false}, "", ""},
      {{.quota = Facts::Quota{"shop/compute", "pods", 10}}, "", ""},
      {{.quota = Facts::Quota{"shop/compute", "pods", 9}},
       "",
       "maxReplicas is 10, but quota shop/compute (pods) leaves room for 9"},
  };
  for (const auto& c : kCases) {
    const std::string error = c.error;
    const std::string warning = c.warning;
    Verdict refused;
    CheckCluster(Policy(), c.facts, OnTrouble::kRefuse, refused);
    EXPECT_EQ(refused.errors.empty() ? "" : refused.errors.front().message, error);
    EXPECT_EQ(refused.warnings.empty() ? "" : refused.warnings[0], warning);
    EXPECT_LE(refused.errors.size() + refused.warnings.size(), 1U);
    for (const api::FieldError& one : refused.errors) {
      EXPECT_EQ(one.field, "spec.scaleTargetRef");
    }

    Verdict warned;
    CheckCluster(Policy(), c.facts, OnTrouble::kWarn, warned);
    EXPECT_THAT(warned.errors, IsEmpty());
    EXPECT_EQ(warned.warnings.size(), error.empty() && warning.empty() ? 0U : 1U);
  }
}

TEST(CheckCluster, TakesOverOnlyWhereTheInstallationAllowsIt) {
  api::Autoscaler policy = Policy();
  policy.metadata.annotations["ballast.dev/takes-over"] = "HorizontalPodAutoscaler/web";
  api::Autoscaler hpa = Policy();
  hpa.kind = api::kHpaKind;
  hpa.metadata.annotations["ballast.dev/hpa-mode"] = "manage";
  Facts facts{.rivals = {{.who = "HorizontalPodAutoscaler shop/web", .hpa = "web"}}};
  for (const bool allowed : {true, false}) {
    facts.may_take_over = allowed;
    Verdict heir;
    CheckCluster(policy, facts, OnTrouble::kRefuse, heir);
    EXPECT_EQ(heir.errors.empty(), allowed);
    Verdict managed;
    CheckCluster(hpa, {.may_take_over = allowed}, OnTrouble::kWarn, managed);
    EXPECT_EQ(managed.warnings.empty(), allowed);
  }
}

TEST(CheckCluster, ATargetAtZeroIsNoNewsWhereZeroIsAllowed) {
  api::Autoscaler policy = Policy();
  policy.spec.min_replicas = 0;
  Verdict verdict;
  CheckCluster(policy, {.target = Facts::TargetState::kFound}, OnTrouble::kRefuse, verdict);
  EXPECT_THAT(verdict.warnings, IsEmpty());
}

}  // namespace
}  // namespace ballast::webhooks
