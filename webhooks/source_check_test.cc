#include "webhooks/source_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace ballast::webhooks {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

api::Autoscaler Policy(const std::string& source, const std::string& mode = "Active") {
  api::Autoscaler policy;
  policy.kind = api::kPolicyKind;
  policy.spec.mode = mode;
  policy.spec.metrics.resize(2);
  policy.spec.metrics[0].type = "Resource";
  policy.spec.metrics[0].resource.emplace();
  policy.spec.metrics[1].type = "Prometheus";
  policy.spec.metrics[1].prometheus = {.source = source};
  return policy;
}

Facts With(std::vector<std::string> sources) {
  Facts facts;
  facts.metric_sources = std::move(sources);
  return facts;
}

TEST(CheckSources, RefusesASourceThatIsNotForTheNamespace) {
  const struct {
    std::vector<std::string> sources;
    std::string error;
  } kCases[] = {
      {{"main", "other"}, ""},
      {{"main2", "other"},
       "spec.metrics[1].prometheus.source: is not a source for this namespace: \"main\"; there "
       "are main2, other"},
      {{},
       "spec.metrics[1].prometheus.source: is not a source for this namespace: \"main\"; there "
       "is none; see the chart's value metricSources"},
  };
  for (const auto& c : kCases) {
    Verdict verdict;
    CheckSources(Policy("main"), {}, With(c.sources), verdict);
    EXPECT_EQ(verdict.allowed() ? "" : Print(verdict.errors.front()), c.error);
    EXPECT_THAT(verdict.warnings, IsEmpty());
  }
}

// The installation may take a source away; other fields of the policies that name it stay editable.
TEST(CheckSources, OnlyWarnsOfAnOldNameAndOfAPolicyThatIsOff) {
  const std::string warning =
      "spec.metrics[1].prometheus.source: is not a source for this namespace: \"main\"; there are "
      "b";
  const struct {
    api::Autoscaler policy;
    api::Autoscaler old;
    bool allowed;
  } kCases[] = {
      {Policy("main"), Policy("main"), true},
      {Policy("main"), Policy("c"), false},
      {Policy("main"), Policy("main", "Disabled"), false},
      {Policy("main", "Disabled"), Policy("main"), true},
      {Policy("main", "Disabled"), {}, true},
      {Policy("main", "DryRun"), {}, false},
  };
  for (const auto& c : kCases) {
    Verdict verdict;
    CheckSources(c.policy, c.old, With({"b"}), verdict);
    EXPECT_EQ(verdict.allowed(), c.allowed);
    if (c.allowed) {
      EXPECT_THAT(verdict.warnings, ElementsAre(warning));
    }
  }
}

}  // namespace
}  // namespace ballast::webhooks
