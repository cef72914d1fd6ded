#include "webhooks/review_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "api/base/base64.h"
#include "webhooks/limits.h"
#include "webhooks/testing/test_review.h"

namespace ballast::webhooks {
namespace {

using testing::HasSubstr;

constexpr const char* kBounds = R"("minReplicas":2,"maxReplicas":5)";
constexpr const char* kBadBounds = R"("minReplicas":7,"maxReplicas":5)";
constexpr const char* kDeleted =
    R"(,"deletionTimestamp":"2026-04-08T04:42:29Z","finalizers":["example.com/x"])";

// The fields of an answer that tests check.
struct Answered {
  bool allowed = false;
  std::string message;
  std::vector<std::string> warnings;
  std::string patch;
};

Answered Ask(AdmissionPhase step, const std::string& body, Lookup& lookup, Hpas hpas = Hpas::kWarn,
             const api::PolicyRules& rules = {}) {
  // As if there were one zone.
  const api::ZoneCheck zones{.wrong = [](const std::string& name) -> std::string {
    return name == "UTC" ? "" : "is not known here";
  }};
  const auto text = AnswerReview(step, body, {lookup, hpas, rules, kLookupTimeout, zones});
  EXPECT_TRUE(text.ok()) << text.error().message;
  EXPECT_LE(text->size(), kMaxAnswer);
  const auto document = json::Parse(*text);
  json::Decoder decoder(*document);
  const json::Cursor answer = decoder.root().Required("response");
  Answered out;
  answer.Required("allowed").Read(out.allowed);
  EXPECT_EQ(answer.Member("uid").Text(), "u-1");
  if (!out.allowed) {
    answer.Required("status").Required("message").Read(out.message);
  }
  for (const json::Cursor warning : answer.Member("warnings").Elements()) {
    out.warnings.emplace_back(warning.Text());
  }
  EXPECT_EQ(answer.Member("patch").present(), answer.Member("patchType").present());
  out.patch = *DecodeBase64(answer.Member("patch").Text());
  return out;
}

TEST(AnswerReview, WhatIsNoReviewHasAReason) {
  FakeLookup lookup;
  const std::pair<std::string, const char*> kCases[] = {
      {"", "at byte 0"},
      {"{\"kind\":\"\xff\"}", "invalid encoding"},
      {std::string(100'000, '['), "deep"},
      {"[]", "admission.k8s.io/v1"},
      {R"({"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview","request":{}})",
       "admission.k8s.io/v1"},
      {R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"})", "request"},
      {R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",)"
       R"("request":{"operation":"CREATE","kind":{}}})",
       "request.uid: is required"},
      {R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",)"
       R"("request":{"uid":7,"operation":"CREATE","kind":{}}})",
       "request.uid: expected"},
  };
  for (const auto& [body, reason] : kCases) {
    const auto answer = AnswerReview(AdmissionPhase::kValidate, body, {lookup});
    ASSERT_FALSE(answer.ok()) << body.substr(0, 100);
    EXPECT_THAT(answer.error().message, HasSubstr(reason));
  }
}

TEST(Mutate, FillsInWhatASchemaCannotAndNothingElse) {
  FakeLookup lookup;
  const Answered first =
      Ask(AdmissionPhase::kMutate,
          ReviewJson("CREATE", PolicyJson(R"("maxReplicas":5,"metrics":[])")), lookup);
  EXPECT_TRUE(first.allowed);
  EXPECT_EQ(first.patch,
            R"([{"op":"add","path":"/spec/minReplicas","value":1},)"
            R"({"op":"replace","path":"/spec/metrics","value":[{"type":"Resource","resource":)"
            R"({"name":"cpu","target":{"type":"Utilization","averageUtilization":80}}}]},)"
            R"({"op":"add","path":"/spec/mode","value":"Active"},)"
            R"({"op":"add","path":"/spec/podSelection","value":"Selector"}])");
  const struct {
    const char* about;
    std::string review;
  } kLeftAlone[] = {
      {"complete",
       ReviewJson(
           "UPDATE",
           PolicyJson(R"("minReplicas":1,"maxReplicas":5,"mode":"Active",)"
                      R"("podSelection":"Selector","metrics":[{"type":"Resource","resource":)"
                      R"({"name":"cpu","target":{"type":"Utilization",)"
                      R"("averageUtilization":80}}}])"))},
      {"of a wrong shape", ReviewJson("CREATE", PolicyJson(R"("maxReplicas":"many")"))},
      {"being deleted", ReviewJson("UPDATE", PolicyJson(kBounds, kDeleted))},
      {"a deletion", ReviewJson("DELETE", "null", PolicyJson(kBounds))},
      {"a subresource", ReviewJson("UPDATE", PolicyJson(kBounds), PolicyJson(kBounds),
                                   R"(,"subResource":"status")")},
      {"of an older version",
       ReviewJson("CREATE", R"({"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler",)"
                            R"("metadata":{"name":"a"},"spec":{"maxReplicas":3,"scaleTargetRef":)"
                            R"({"apiVersion":"apps/v1","kind":"Deployment","name":"web"}}})")},
  };
  for (const auto& c : kLeftAlone) {
    const Answered answered = Ask(AdmissionPhase::kMutate, c.review, lookup);
    EXPECT_TRUE(answered.allowed) << c.about;
    EXPECT_EQ(answered.patch, "") << c.about;
  }
  EXPECT_EQ(lookup.asked, 0);
}

// An empty `old_spec` means a creation, an empty `refusal` that it is allowed. `asked`: how often
// the Lookup is called.
struct ValidateCase {
  const char* about;
  std::string old_spec;
  std::string spec;
  const char* refusal;
  const char* warning;
  int asked;
};

TEST(Validate, RefusesWhatIsNewlyWrong) {
  const std::string bad = kBadBounds;
  const ValidateCase kCases[] = {
      {"a good one", "", kBounds, "", "", 1},
      {"a bad one", "", bad, "spec.maxReplicas: must not be less than minReplicas: 5 is less", "",
       0},
      {"good to bad", kBounds, bad, "spec.maxReplicas: must not be less", "", 0},
      {"bad to good", bad, kBounds, "", "", 1},
      {"bad as before, spec untouched", bad, bad, "", "", 0},
      {"bad as before, something else edited", bad, bad + R"(,"syncPeriodSeconds":30)", "",
       "still invalid: spec.maxReplicas: must not be less than minReplicas", 1},
      {"bad in another way", bad, R"("minReplicas":6,"maxReplicas":5)",
       "spec.maxReplicas: must not be less than minReplicas: 5 is less than 6", "", 0},
      {"a second error beside the old one", bad, bad + R"(,"syncPeriodSeconds":0)",
       "spec.syncPeriodSeconds: must be between", "still invalid: spec.maxReplicas", 0},
      {"a bad metric that moves down the list",
       std::string(kBounds) + R"(,"metrics":[{"type":"Odd"}])",
       std::string(kBounds) + R"(,"metrics":[{"type":"Resource","resource":{"name":"cpu","target":)"
                              R"({"type":"Utilization","averageUtilization":50}}},{"type":"Odd"}])",
       "", "still invalid: spec.metrics[1].type", 1},
      {"a second bad metric of the same kind",
       std::string(kBounds) + R"(,"metrics":[{"type":"Odd"}])",
       std::string(kBounds) + R"(,"metrics":[{"type":"Odd"},{"type":"Odd"}])",
       "spec.metrics[1].type", "", 0},
      {"emergency stop of a bad one", bad, bad + R"(,"mode":"Disabled")", "",
       "spec.mode is Disabled", 1},
      {"emergency stop with a mistake", kBounds, bad + R"(,"mode":"Disabled")", "",
       "invalid while off: spec.maxReplicas", 1},
      {"a bad one switched on", bad + R"(,"mode":"Disabled")", bad, "spec.maxReplicas: must not",
       "", 0},
      {"a direction switched off", kBounds,
       std::string(kBounds) + R"(,"behavior":{"scaleDown":{"selectPolicy":"Disabled"}})", "",
       "scaleDown.selectPolicy is Disabled", 1},
      {"a field of a later version", "", std::string(kBounds) + R"(,"later":{"x":1})", "", "", 1},
  };
  for (const ValidateCase& c : kCases) {
    SCOPED_TRACE(c.about);
    FakeLookup lookup;
    const Answered answered =
        Ask(AdmissionPhase::kValidate,
            c.old_spec.empty() ? ReviewJson("CREATE", PolicyJson(c.spec))
                               : ReviewJson("UPDATE", PolicyJson(c.spec), PolicyJson(c.old_spec)),
            lookup);
    const std::string refusal = c.refusal;
    EXPECT_EQ(answered.allowed, refusal.empty()) << answered.message;
    EXPECT_THAT(answered.message, HasSubstr(refusal));
    EXPECT_THAT(testing::PrintToString(answered.warnings), HasSubstr(c.warning));
    EXPECT_EQ(answered.patch, "");
    EXPECT_EQ(lookup.asked, c.asked);
  }
}

api::PolicyRules Rules() {
  return api::ParsePolicyRules("rules.yaml", R"(
rules:
- name: batch
  namespaceSelector: {matchLabels: {tier: batch}}
  defaults: {podSelection: Owned, behavior: {scaleDown: {stabilizationWindowSeconds: 600}}}
- name: bank
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: bank}}
  limits: {maxReplicas: 1}
- name: shop
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: shop}}
  defaults: {podSelection: Owned}
  limits: {maxReplicas: 10, minSyncPeriodSeconds: 10}
)")
      .value();
}

TEST(Mutate, FillsInWhatARuleSays) {
  const std::string complete =
      R"("minReplicas":1,"maxReplicas":5,"mode":"Active","metrics":[{"type":"Resource",)"
      R"("resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":80}}}])";
  const std::string behavior =
      R"({"op":"add","path":"/spec/behavior","value":{"scaleDown":{"stabilizationWindowSeconds":)"
      R"(600,"selectPolicy":"Max","policies":[{"type":"Percent","value":100,"periodSeconds":15}]},)"
      R"("scaleUp":{"stabilizationWindowSeconds":0,"selectPolicy":"Max","policies":)"
      R"([{"type":"Pods","value":4,"periodSeconds":15},)"
      R"({"type":"Percent","value":100,"periodSeconds":15}]}}})";
  const std::string owned = R"({"op":"add","path":"/spec/podSelection","value":"Owned"})";
  const char* const unread = " is left out: the labels of namespace shop could not be read";
  const struct {
    const char* about;
    std::optional<api::Labels> labels;
    std::string spec;
    std::string patch;
    std::vector<std::string> warnings;
    int asked;
  } kCases[] = {
      {"by the labels",
       api::Labels{{"tier", "batch"}},
       complete,
       "[" + behavior + "," + owned + "]",
       {},
       1},
      {"by the name", api::Labels{}, complete, "[" + owned + "]", {}, 1},
      {"without labels",
       std::nullopt,
       complete,
       "",
       {std::string("spec.behavior: rule batch") + unread,
        std::string("spec.podSelection: rule batch") + unread},
       1},
      {"one of the two",
       api::Labels{{"tier", "batch"}},
       complete + R"(,"podSelection":"Selector")",
       "[" + behavior + "]",
       {},
       1},
      {"neither",
       std::nullopt,
       complete +
           R"(,"podSelection":"Selector","behavior":{"scaleUp":{"stabilizationWindowSeconds")"
           R"(:0,"selectPolicy":"Max","policies":[]},"scaleDown":{"selectPolicy":"Max",)"
           R"("policies":[]}})",
       "",
       {},
       0},
  };
  for (const auto& c : kCases) {
    FakeLookup lookup({.namespace_labels = c.labels});
    const Answered answered = Ask(AdmissionPhase::kMutate, ReviewJson("CREATE", PolicyJson(c.spec)),
                                  lookup, Hpas::kWarn, Rules());
    EXPECT_TRUE(answered.allowed) << c.about;
    EXPECT_EQ(answered.patch, c.patch) << c.about;
    EXPECT_EQ(answered.warnings, c.warnings) << c.about;
    EXPECT_EQ(lookup.asked, c.asked) << c.about;
  }
}

TEST(Validate, KeepsPoliciesWithinTheLimitsOfARule) {
  const std::string most =
      "spec.maxReplicas: is 11; rule shop of the chart's value policyRules allows 10 at most";
  const std::string least =
      "spec.syncPeriodSeconds: is 9; rule shop of the chart's value policyRules allows 10 at least";
  const struct {
    const char* about;
    std::string old_spec;  // empty: a creation
    std::string spec;
    std::vector<std::string> refusals;
    std::vector<std::string> warnings;
  } kCases[] = {
      {"within", "", R"("maxReplicas":10,"syncPeriodSeconds":10)", {}, {}},
      {"beyond", "", R"("maxReplicas":11,"syncPeriodSeconds":9)", {most, least}, {}},
      {"as before", R"("maxReplicas":11)", R"("maxReplicas":11,"minReplicas":2)", {}, {most}},
      {"further than before", R"("maxReplicas":10)", R"("maxReplicas":11)", {most}, {}},
      {"switched off",
       R"("maxReplicas":10)",
       R"("maxReplicas":11,"mode":"Disabled")",
       {},
       {"spec.mode is Disabled: nothing is scaled until it is set to Active", most}},
      {"switched on", R"("maxReplicas":11,"mode":"Disabled")", R"("maxReplicas":11)", {most}, {}},
  };
  for (const auto& c : kCases) {
    FakeLookup lookup;
    const Answered answered =
        Ask(AdmissionPhase::kValidate,
            c.old_spec.empty() ? ReviewJson("CREATE", PolicyJson(c.spec))
                               : ReviewJson("UPDATE", PolicyJson(c.spec), PolicyJson(c.old_spec)),
            lookup, Hpas::kWarn, Rules());
    EXPECT_EQ(answered.allowed, c.refusals.empty()) << c.about;
    for (const std::string& refusal : c.refusals) {
      EXPECT_THAT(answered.message, HasSubstr(refusal)) << c.about;
    }
    EXPECT_EQ(answered.warnings, c.warnings) << c.about;
  }
  // Kubernetes' own kind is never touched.
  FakeLookup lookup;
  const std::string hpa = ReviewJson("CREATE", HpaJson(R"("maxReplicas":11)"));
  const Answered answered = Ask(AdmissionPhase::kValidate, hpa, lookup, Hpas::kRefuse, Rules());
  EXPECT_TRUE(answered.allowed);
  EXPECT_THAT(answered.warnings, testing::IsEmpty());
  EXPECT_EQ(Ask(AdmissionPhase::kMutate, hpa, lookup, Hpas::kRefuse, Rules()).patch, "");
}

TEST(Validate, WhatIsNeverRefused) {
  const struct {
    const char* about;
    std::string review;
  } kCases[] = {
      {"a deletion", ReviewJson("DELETE", "null", PolicyJson(kBadBounds))},
      {"the end of a deletion",
       ReviewJson("UPDATE", PolicyJson(kBadBounds, kDeleted), PolicyJson(kBounds, kDeleted))},
      {"a status", ReviewJson("UPDATE", PolicyJson(kBadBounds), PolicyJson(kBounds),
                              R"(,"subResource":"status")")},
      {"a connection", ReviewJson("CONNECT", "null")},
  };
  for (const auto& c : kCases) {
    FakeLookup lookup;
    EXPECT_TRUE(Ask(AdmissionPhase::kValidate, c.review, lookup).allowed) << c.about;
    EXPECT_EQ(lookup.asked, 0) << c.about;
  }
}

TEST(Validate, ARivalRefusesWhoeverTakesTheTargetOver) {
  const std::string active = kBounds;
  const std::string off = active + R"(,"mode":"Disabled")";
  const std::string looks_on = active + R"(,"mode":"DryRun")";
  const std::string other = R"("maxReplicas":9)";
  const struct {
    const char* about;
    std::string old_spec;
    std::string spec;
    bool allowed;
  } kCases[] = {
      {"created", "", active, false},
      {"created switched off", "", off, true},
      {"created looking on", "", looks_on, true},
      {"edited elsewhere", active, other, true},
      {"switched on", off, active, false},
      {"switched off", active, off, true},
  };
  for (const auto& c : kCases) {
    FakeLookup lookup({.rivals = {{"HorizontalPodAutoscaler shop/old"}}});
    const Answered answered =
        Ask(AdmissionPhase::kValidate,
            c.old_spec.empty() ? ReviewJson("CREATE", PolicyJson(c.spec))
                               : ReviewJson("UPDATE", PolicyJson(c.spec), PolicyJson(c.old_spec)),
            lookup);
    EXPECT_EQ(answered.allowed, c.allowed) << c.about;
    EXPECT_THAT(answered.message + testing::PrintToString(answered.warnings),
                HasSubstr("HorizontalPodAutoscaler shop/old"))
        << c.about;
  }
}

TEST(Validate, AVersionOfTheTargetIsNoOtherTarget) {
  FakeLookup lookup({.rivals = {{"HorizontalPodAutoscaler shop/old"}}});
  std::string before = PolicyJson(kBounds);
  before.replace(before.find("apps/v1"), 7, "apps/v1beta1");
  EXPECT_TRUE(
      Ask(AdmissionPhase::kValidate, ReviewJson("UPDATE", PolicyJson(kBounds), before), lookup)
          .allowed);
}

TEST(Validate, AZoneThatIsUnknownIsRefusedUntilItIsOneThatWasKnown) {
  const auto policy = [](const char* zone, int max) {
    return PolicyJson(R"("maxReplicas":)" + std::to_string(max) +
                      R"(,"schedules":[{"name":"day","timeZone":")" + zone +
                      R"(","from":"08:00","to":"18:00","minReplicas":2}])");
  };
  FakeLookup lookup;
  const auto ask = [&](const std::string& review) {
    return Ask(AdmissionPhase::kValidate, review, lookup);
  };
  EXPECT_TRUE(ask(ReviewJson("CREATE", policy("UTC", 9))).allowed);
  EXPECT_THAT(ask(ReviewJson("CREATE", policy("Mars/Olympus", 9))).message,
              HasSubstr("spec.schedules[0].timeZone: is not known here"));
  EXPECT_FALSE(ask(ReviewJson("UPDATE", policy("Mars/Olympus", 9), policy("UTC", 9))).allowed);
  // It is gone since: whatever else is edited is still possible.
  EXPECT_TRUE(
      ask(ReviewJson("UPDATE", policy("Mars/Olympus", 8), policy("Mars/Olympus", 9))).allowed);
}

TEST(Validate, APolicyThatTakesOverWaitsForItsRival) {
  const auto takes = [](const char* whom) {
    return R"(,"annotations":{"ballast.dev/takes-over":")" + std::string(whom) + R"("})";
  };
  const std::string took = R"(,"status":{"conditions":[{"type":"TookOver","status":"True"}]})";
  const auto with_status = [&](std::string object) {
    return object.insert(object.size() - 1, took);
  };
  const std::string off = std::string(kBounds) + R"(,"mode":"Disabled")";
  const std::string web = takes("HorizontalPodAutoscaler/web");
  const struct {
    const char* about;
    std::string review;
    bool allowed;
  } kCases[] = {
      {"its rival", ReviewJson("CREATE", PolicyJson(kBounds, web)), true},
      {"another", ReviewJson("CREATE", PolicyJson(kBounds, takes("HorizontalPodAutoscaler/db"))),
       false},
      {"no HPA", ReviewJson("CREATE", PolicyJson(kBounds, takes("AutoScalePolicy/web"))), false},
      {"switched on", ReviewJson("UPDATE", PolicyJson(kBounds, web), PolicyJson(off, web)), true},
      {"switched on once it took over",
       ReviewJson("UPDATE", with_status(PolicyJson(kBounds, web)),
                  with_status(PolicyJson(off, web))),
       false},
  };
  for (const auto& c : kCases) {
    FakeLookup lookup({.rivals = {{.who = "HorizontalPodAutoscaler shop/web", .hpa = "web"}}});
    const Answered answered = Ask(AdmissionPhase::kValidate, c.review, lookup);
    EXPECT_EQ(answered.allowed, c.allowed) << c.about << answered.message;
    EXPECT_THAT(testing::PrintToString(answered.warnings),
                HasSubstr(c.allowed ? "until HorizontalPodAutoscaler shop/web is gone" : ""))
        << c.about;
  }
  FakeLookup lookup({.rivals = {{.who = "AutoScalePolicy shop/old"},
                                {.who = "HorizontalPodAutoscaler shop/web", .hpa = "web"}}});
  EXPECT_FALSE(Ask(AdmissionPhase::kValidate, kCases[0].review, lookup).allowed)
      << "a second rival";
}

// Kubernetes has validated HPAs before they get here.
TEST(Validate, HpasAreRefusedOnlyIfWantedAndForWhatIsWrongForEver) {
  const std::string bounds = kBounds;
  const auto metric = [&](const std::string& source) {
    return bounds + R"(,"metrics":[{"type":"Resource","resource":{"name":"cpu","target":)" +
           source + "}}]";
  };
  const struct {
    const char* about;
    std::string spec;
    bool refused;         // with kRefuse
    const char* warning;  // with kWarn, where errors are warnings
  } kCases[] = {
      {"contradicts itself", kBadBounds, true, "must not be less than minReplicas"},
      {"a negative target", metric(R"({"type":"AverageValue","averageValue":"-1"})"), true,
       "must be greater than 0"},
      {"a new value", metric(R"({"type":"Percentile","averageValue":"-1"})"), false, "Percentile"},
      {"a new field", std::string(kBadBounds) + R"(,"newer":{"x":1})", false,
       "must not be less than minReplicas"},
      {"a bound that was widened",
       bounds + R"(,"behavior":{"scaleUp":{"stabilizationWindowSeconds":7200}})", false,
       "must be between 0 and 3600"},
      {"another type", R"("maxReplicas":"5")", false, "whole number"},
      {"nothing wrong but new", bounds + R"(,"newer":1)", false, ""},
  };
  for (const auto& c : kCases) {
    for (const std::string& review :
         {ReviewJson("CREATE", HpaJson(c.spec)),
          ReviewJson("UPDATE", HpaJson(c.spec), HpaJson(kBounds + std::string(R"(,"x":1)")))}) {
      FakeLookup lookup;
      const Answered warned = Ask(AdmissionPhase::kValidate, review, lookup);
      EXPECT_TRUE(warned.allowed) << c.about;
      EXPECT_THAT(testing::PrintToString(warned.warnings), HasSubstr(c.warning)) << c.about;
      EXPECT_EQ(Ask(AdmissionPhase::kValidate, review, lookup, Hpas::kRefuse).allowed, !c.refused)
          << c.about;
      const Answered off = Ask(AdmissionPhase::kValidate, review, lookup, Hpas::kOff);
      EXPECT_TRUE(off.allowed && off.warnings.empty()) << c.about;
    }
  }
  FakeLookup rival(
      {.rivals = {{"AutoScalePolicy shop/web"}}, .target = Facts::TargetState::kNoScale});
  const std::string review = ReviewJson("CREATE", HpaJson(kBounds));
  EXPECT_THAT(Ask(AdmissionPhase::kValidate, review, rival, Hpas::kRefuse).message,
              HasSubstr("by AutoScalePolicy shop/web already"));
  EXPECT_THAT(Ask(AdmissionPhase::kValidate, review, rival).warnings,
              testing::ElementsAre(HasSubstr("by AutoScalePolicy shop/web already"),
                                   HasSubstr("has no scale subresource")));
  FakeLookup no_scale({.target = Facts::TargetState::kNoScale});
  EXPECT_TRUE(Ask(AdmissionPhase::kValidate, review, no_scale, Hpas::kRefuse).allowed)
      << "it may get one later";
}

std::string Repeat(const std::string& text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    out += (i == 0 ? "" : ",") + text;
  }
  return out;
}

// A little JSON that decodes to a long list of large values.
TEST(Validate, WhatNoRealObjectHasIsNotDecoded) {
  const std::string bounds = kBounds;
  const std::string many = bounds + R"(,"metrics":[)" + Repeat("null", 1001) + "]";
  const std::string enormous = bounds + R"(,"metrics":[)" + Repeat("{}", 70'000) + "]";
  const std::string off = R"(,"mode":"Disabled")";
  const struct {
    const char* about;
    std::string review;
    const char* refusal;  // empty: none
    const char* warning;
  } kCases[] = {
      {"a policy", ReviewJson("CREATE", PolicyJson(many)),
       "is too large: spec.metrics has 1001 entries", ""},
      {"an enormous policy", ReviewJson("CREATE", PolicyJson(enormous)),
       "is too large: it has more than 65536 values", ""},
      {"labels",
       ReviewJson("CREATE",
                  PolicyJson(bounds, R"(,"labels":{)" + Repeat(R"("a":"b")", 40'000) + "}")),
       "is too large", ""},
      {"an HPA", ReviewJson("CREATE", HpaJson(many)), "",
       "not checked: spec.metrics has 1001 entries, more than 1000"},
      {"a stop", ReviewJson("UPDATE", PolicyJson(many + off), PolicyJson(many)), "",
       "not checked: spec.metrics"},
      {"a stop of an enormous one",
       ReviewJson("UPDATE", PolicyJson(enormous + off), PolicyJson(enormous)), "",
       "not checked: it has more than"},
      {"created switched off", ReviewJson("CREATE", PolicyJson(enormous + off)), "is too large",
       ""},
      {"the end of a deletion",
       ReviewJson("UPDATE", PolicyJson(enormous, kDeleted), PolicyJson(enormous, kDeleted)), "",
       ""},
      {"a deletion", ReviewJson("DELETE", "null", PolicyJson(enormous)), "", ""},
      {"a stop with a mistake of what was too long",
       ReviewJson("UPDATE", PolicyJson(kBadBounds + off), PolicyJson(many)), "",
       "invalid while off: spec.maxReplicas"},
      {"mended", ReviewJson("UPDATE", PolicyJson(bounds), PolicyJson(many)), "", ""},
      {"a name that looks like the mode",
       ReviewJson(
           "UPDATE",
           PolicyJson(enormous + R"(,"x":{"mode":"Disabled"}},"spec.mode":"Disabled","y":{)"),
           PolicyJson(enormous)),
       "is too large", ""},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.about);
    FakeLookup lookup;
    const Answered answered = Ask(AdmissionPhase::kValidate, c.review, lookup);
    EXPECT_EQ(answered.allowed, *c.refusal == '\0') << answered.message;
    EXPECT_THAT(answered.message, HasSubstr(c.refusal));
    EXPECT_THAT(testing::PrintToString(answered.warnings), HasSubstr(c.warning));
    EXPECT_EQ(Ask(AdmissionPhase::kMutate, c.review, lookup).message, "");
  }
  std::string hpa = ReviewJson("CREATE", HpaJson(enormous));
  hpa.replace(hpa.find("\"kind\":\"AutoScalePolicy\""), 24, R"("kind":"HorizontalPodAutoscaler")");
  FakeLookup lookup;
  EXPECT_THAT(Ask(AdmissionPhase::kValidate, hpa, lookup).warnings,
              testing::ElementsAre(HasSubstr("not checked: it has more than 65536 values")));
}

TEST(Validate, OfManyErrorsTheFirstAreTold) {
  const std::string metric = R"({"type":"Odd)" + std::string(200, 'd') + R"("})";
  FakeLookup lookup;
  const Answered answered = Ask(
      AdmissionPhase::kValidate,
      ReviewJson("CREATE",
                 PolicyJson(std::string(kBounds) + R"(,"metrics":[)" + Repeat(metric, 100) + "]")),
      lookup);
  EXPECT_FALSE(answered.allowed);
  EXPECT_LE(answered.message.size(), 4200U);
  EXPECT_TRUE(answered.message.ends_with(" more errors")) << answered.message;
  const Answered labels =
      Ask(AdmissionPhase::kValidate,
          ReviewJson("CREATE", PolicyJson(kBounds, R"(,"labels":{)" +
                                                       Repeat(R"("not a key":"b")", 10'000) + "}")),
          lookup);
  EXPECT_THAT(labels.message, HasSubstr("name part must consist of"));
  EXPECT_TRUE(labels.message.ends_with(" more errors")) << labels.message;
}

TEST(AnswerReview, NamesThatNobodyHasAreNoReview) {
  FakeLookup lookup;
  std::string body = ReviewJson("CREATE", PolicyJson(kBounds));
  body.replace(body.find("u-1"), 3, std::string(513, 'u'));
  const auto answer = AnswerReview(AdmissionPhase::kValidate, body, {lookup});
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(answer.error().message, HasSubstr("more than 512 bytes"));
}

}  // namespace
}  // namespace ballast::webhooks
