#include "api/autoscaling/namespace_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "api/autoscaling/defaults.h"

namespace ballast::api {
namespace {

using ::testing::IsEmpty;

constexpr const char* kRules = R"(
rules:
- name: exempt
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: lab}}
  limits: {maxReplicas: 1000}
- name: batch
  namespaceSelector: {matchLabels: {tier: batch}}
  defaults: {podSelection: Owned, behavior: {scaleDown: {stabilizationWindowSeconds: 600}}}
  limits: {maxReplicas: 50}
- name: lenient
  namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: In, values: [lab, shop]}]}
  defaults: {podSelection: Selector}
  limits: {minSyncPeriodSeconds: 30}
  enforcement: Warn
- name: others
  defaults: {podSelection: Owned}
  limits: {maxReplicas: 100, minSyncPeriodSeconds: 10}
)";

PolicyRules Rules() { return ParsePolicyRules("rules.yaml", kRules).value(); }

const NamespaceFacts kBatch{"jobs", Labels{{"tier", "batch"}}};
const NamespaceFacts kShop{"shop", Labels{}};
const NamespaceFacts kLab{"lab", Labels{}};
const NamespaceFacts kOther{"bank", Labels{{"tier", "web"}}};
const NamespaceFacts kUnread{"shop", std::nullopt, "nobody knows"};
const NamespaceFacts kNameless{"", std::nullopt, "nobody knows"};

std::string Completed(const NamespaceFacts& facts, const std::string& spec) {
  const PolicyRules rules = Rules();
  const auto document = json::Parse(R"({"spec":)" + spec + "}");
  json::Decoder decoder(document.value());
  return Complete(decoder.root(), NamespaceRules(rules, facts).Schema());
}

TEST(NamespaceRules, FillInWhatAPolicyLeavesOut) {
  const std::string rest = R"("minReplicas":1,"metrics":[{}],"mode":"Active")";
  const std::string up =
      R"("scaleUp":{"stabilizationWindowSeconds":0,"selectPolicy":"Max","policies":)"
      R"([{"type":"Pods","value":4,"periodSeconds":15},)"
      R"({"type":"Percent","value":100,"periodSeconds":15}]})";
  const std::string down =
      R"("selectPolicy":"Max","policies":[{"type":"Percent","value":100,"periodSeconds":15}]})";
  const struct {
    const char* about;
    NamespaceFacts facts;
    std::string given;
    std::string filled_in;
  } kCases[] = {
      {"the first rule that matches and has it", kBatch, "",
       R"(,"behavior":{"scaleDown":{"stabilizationWindowSeconds":600,)" + down + "," + up +
           R"(},"podSelection":"Owned")"},
      {"what the policy has stays, and a behavior as a whole", kBatch,
       R"(,"podSelection":"Selector","behavior":{"scaleUp":{"selectPolicy":"Min"}})",
       R"(,"podSelection":"Selector","behavior":{"scaleUp":{"selectPolicy":"Min",)"
       R"("stabilizationWindowSeconds":0,"policies":)" +
           up.substr(up.find("[{")) + R"(,"scaleDown":{)" + down + "}"},
      {"a rule for each setting", kShop, "", R"(,"podSelection":"Selector")"},
      {"by default", kOther, "", R"(,"podSelection":"Owned")"},
      {"nothing if an earlier rule may match", kUnread, "", ""},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Completed(c.facts, "{" + rest + c.given + "}"),
              R"({"spec":{)" + rest + c.filled_in + "}}")
        << c.about;
  }
}

TEST(NamespaceRules, SayWhichDefaultsAreOpen) {
  const PolicyRules rules = Rules();
  const std::string behavior = "spec.behavior: rule batch is left out: nobody knows";
  const std::string selection = "spec.podSelection: rule batch is left out: nobody knows";
  const struct {
    NamespaceFacts facts;
    const char* spec;
    std::vector<std::string> warnings;
  } kCases[] = {
      {kUnread, "{}", {behavior, selection}},
      {kNameless, "{}", {behavior, selection}},
      {kUnread, R"({"behavior":{},"podSelection":null})", {selection}},
      {kUnread, R"({"behavior":{},"podSelection":"Owned"})", {}},
      {kBatch, "{}", {}},
      {kOther, "{}", {}},
  };
  for (const auto& c : kCases) {
    const auto document = json::Parse(std::string(R"({"spec":)") + c.spec + "}");
    json::Decoder decoder(document.value());
    EXPECT_EQ(NamespaceRules(rules, c.facts).OpenDefaults(decoder.root()), c.warnings) << c.spec;
  }
}

struct Spec {
  std::int32_t max = 1;
  std::optional<std::int32_t> period = {};
  std::string mode = "Active";

  operator AutoscalerSpec() const {
    AutoscalerSpec spec;
    spec.max_replicas = max;
    spec.sync_period_seconds = period;
    spec.mode = mode;
    return spec;
  }
};

TEST(NamespaceRules, JudgeWhatIsBeyondALimit) {
  const PolicyRules rules = Rules();
  const std::string most = " of the chart's value policyRules allows ";
  const std::string beyond = "spec.maxReplicas: is 101; rule others" + most + "100 at most";
  const std::string quick = "spec.syncPeriodSeconds: is 5; rule others" + most + "10 at least";
  const struct {
    const char* about;
    NamespaceFacts facts;
    Spec spec;
    std::optional<Spec> stored;
    std::vector<std::string> errors;
    std::vector<std::string> warnings;
  } kCases[] = {
      {"within", kOther, {100, 10}, {}, {}, {}},
      {"beyond both", kOther, {101, 5}, {}, {beyond, quick}, {}},
      {"without a period", kOther, {100}, {}, {}, {}},
      {"an earlier rule allows more", kLab, {1000}, {}, {}, {}},
      {"and forbids more",
       kBatch,
       {51},
       {},
       {"spec.maxReplicas: is 51; rule batch" + most + "50 at most"},
       {}},
      {"a rule that warns",
       kShop,
       {1, 29},
       {},
       {},
       {"spec.syncPeriodSeconds: is 29; rule lenient" + most + "30 at least"}},
      {"as far as before", kOther, {101, 5}, Spec{101, 5}, {}, {beyond, quick}},
      {"less far than before", kOther, {101, 5}, Spec{102, 4}, {}, {beyond, quick}},
      {"further than before", kOther, {101, 5}, Spec{100, 6}, {beyond, quick}, {}},
      {"before, there was no period", kOther, {1, 5}, Spec{1}, {quick}, {}},
      {"switched off", kOther, {101, 5, "Disabled"}, {}, {}, {beyond, quick}},
      {"switched on", kOther, {101}, Spec{101, {}, "Disabled"}, {beyond}, {}},
      {"a dry run", kOther, {101, {}, "DryRun"}, {}, {beyond}, {}},
      {"unknown labels",
       kUnread,
       {1000},
       {},
       {},
       {"spec.maxReplicas: rule batch is left out: nobody knows"}},
      {"an unknown name",
       kNameless,
       {1, 1},
       {},
       {},
       {"spec.maxReplicas: rule exempt is left out: nobody knows",
        "spec.syncPeriodSeconds: rule lenient is left out: nobody knows"}},
  };
  for (const auto& c : kCases) {
    const std::optional<AutoscalerSpec> stored = c.stored;
    const auto findings =
        NamespaceRules(rules, c.facts).CheckLimits(c.spec, stored ? &*stored : nullptr);
    std::vector<std::string> errors;
    for (const FieldError& error : findings.errors) {
      errors.push_back(Print(error));
    }
    EXPECT_EQ(errors, c.errors) << c.about;
    EXPECT_EQ(findings.warnings, c.warnings) << c.about;
  }
}

TEST(NamespaceRules, WithoutARuleEverythingIsAsItWas) {
  const NamespaceRules none;
  const auto document = json::Parse(R"({"spec":{}})");
  json::Decoder decoder(document.value());
  EXPECT_EQ(Complete(decoder.root(), none.Schema()), Complete(decoder.root(), PolicySchema()));
  EXPECT_THAT(none.OpenDefaults(decoder.root()), IsEmpty());
  EXPECT_THAT(none.CheckLimits(Spec{1 << 30, 1}, nullptr).warnings, IsEmpty());
}

}  // namespace
}  // namespace ballast::api
