#include "api/autoscaling/policy_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace ballast::api {
namespace {

using ::testing::HasSubstr;

TEST(ParsePolicyRules, ReadsEveryField) {
  const auto rules = ParsePolicyRules("rules.yaml", R"(
rules:
- name: batch
  namespaceSelector:
    matchLabels: {tier: batch, kubernetes.io/metadata.name: jobs}
    matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [x]}]
  defaults:
    behavior: {scaleDown: {stabilizationWindowSeconds: 600}}
    podSelection: Owned
  limits: {maxReplicas: 100, minSyncPeriodSeconds: 15}
  enforcement: Warn
- name: others
  limits: {maxReplicas: 10}
)");
  ASSERT_TRUE(rules.ok()) << rules.error().message;
  ASSERT_EQ(rules->size(), 2U);
  const PolicyRule& batch = rules->at(0);
  EXPECT_EQ(batch.name, "batch");
  EXPECT_EQ(batch.names.Print(),
            "kubernetes.io/metadata.name=jobs,kubernetes.io/metadata.name notin (x)");
  EXPECT_EQ(batch.labels.Print(), "tier=batch");
  EXPECT_EQ(batch.behavior, R"({"scaleDown":{"stabilizationWindowSeconds":600}})");
  EXPECT_EQ(batch.pod_selection, "Owned");
  EXPECT_EQ(batch.max_replicas, 100);
  EXPECT_EQ(batch.min_sync_period_seconds, 15);
  EXPECT_FALSE(batch.denies);
  const PolicyRule& others = rules->at(1);
  EXPECT_TRUE(others.names.empty() && others.labels.empty());
  EXPECT_EQ(others.behavior + others.pod_selection, "");
  EXPECT_FALSE(others.min_sync_period_seconds);
  EXPECT_TRUE(others.denies);
}

TEST(ParsePolicyRules, SaysWhichFieldOfWhichFileIsWrong) {
  const struct {
    std::string yaml;
    const char* message;  // after the file's name; empty: nothing is wrong
  } kCases[] = {
      {"rules: []", ""},
      {"{}", "rules: is required"},
      {"", "expected one YAML document, found 0"},
      {"rules: [", "not YAML: line 1"},
      {"rule: []", "rule: is not known here; did you mean rules?"},
      {"rules: {}", "rules: must be a list"},
      {"rules: [{limits: {maxReplicas: 1}}]", "rules[0].name: is required"},
      {"rules: [null]", "rules[0].name: is required"},
      {"rules: [{name: A_b, limits: {maxReplicas: 1}}]", "rules[0].name: a lowercase RFC 1123"},
      {"rules: [{name: a, limits: {maxReplicas: 1}}, {name: a, limits: {maxReplicas: 1}}]",
       "rules[1].name: is the name of an earlier rule too"},
      {"rules: [{name: a}]", "rules[0]: has neither a default nor a limit"},
      {"rules: [{name: a, defaults: {}, limits: {}}]", "rules[0]: has neither a default nor"},
      {"rules: [{name: a, defaults: {behavior: {}}}]", ""},
      {"rules: [{name: a, defaults: {minReplicas: 2}}]",
       "rules[0].defaults.minReplicas: is not known here"},
      {"rules: [{name: a, defaults: {podSelection: Mine}}]",
       "rules[0].defaults.podSelection: must be Selector or Owned, is \"Mine\""},
      {"rules: [{name: a, defaults: {behavior: {scaleDown: {policies: []}}}}]",
       "rules[0].defaults.behavior.scaleDown.policies: must have at least one policy"},
      {"rules: [{name: a, defaults: {behavior: {scaleDown: {window: 5}}}}]",
       "rules[0].defaults.behavior.scaleDown.window: is not known here"},
      {"rules: [{name: a, defaults: {behavior: fast}}]",
       "rules[0].defaults.behavior: must be an object"},
      {"rules: [{name: a, limits: {maxReplicas: 0}}]",
       "rules[0].limits.maxReplicas: must be 1 or more, is 0"},
      {"rules: [{name: a, limits: {maxReplicas: many}}]",
       "rules[0].limits.maxReplicas: must be a whole number"},
      {"rules: [{name: a, limits: {minSyncPeriodSeconds: 3601}}]",
       "rules[0].limits.minSyncPeriodSeconds: must be 1 or more, and 3600 at most, is 3601"},
      {"rules: [{name: a, limits: {maxReplicas: 1}, enforcement: Audit}]",
       "rules[0].enforcement: must be Deny or Warn, is \"Audit\""},
      {"rules: [{name: a, limits: {maxReplicas: 1}, namespaceSelector: {labels: {}}}]",
       "rules[0].namespaceSelector.labels: is not known here"},
      {"rules: [{name: a, limits: {maxReplicas: 1}, namespaceSelector: {matchLabels: {x: -}}}]",
       "rules[0].namespaceSelector: "},
      {"rules: [{name: a, limits: {maxReplicas: 1}, namespaceSelector: {matchExpressions: "
       "[{key: x, operator: Like}]}}]",
       "rules[0].namespaceSelector: "},
  };
  for (const auto& c : kCases) {
    const auto rules = ParsePolicyRules("rules.yaml", c.yaml);
    EXPECT_EQ(rules.ok(), *c.message == '\0') << c.yaml;
    if (!rules.ok()) {
      EXPECT_THAT(rules.error().message, HasSubstr(std::string("rules.yaml: ") + c.message))
          << c.yaml;
    }
  }
}

TEST(ParsePolicyRules, LabelsBesideTheNameAreNeededIfARuleSelectsByThem) {
  const struct {
    const char* selector;
    bool needed;
  } kCases[] = {
      {"{}", false},
      {"{matchLabels: {kubernetes.io/metadata.name: a}}", false},
      {"{matchExpressions: [{key: kubernetes.io/metadata.name, operator: Exists}]}", false},
      {"{matchLabels: {tier: a}}", true},
      {"{matchExpressions: [{key: tier, operator: DoesNotExist}]}", true},
  };
  for (const auto& c : kCases) {
    const auto rules = ParsePolicyRules(
        "f", std::string("rules: [{name: z, limits: {maxReplicas: 1}}, {name: a, limits: "
                         "{maxReplicas: 1}, namespaceSelector: ") +
                 c.selector + "}]");
    ASSERT_TRUE(rules.ok()) << rules.error().message;
    EXPECT_EQ(NeedLabels(*rules), c.needed) << c.selector;
  }
}

}  // namespace
}  // namespace ballast::api
