#include "webhooks/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "api/base64.h"
#include "webhooks/test_review.h"

namespace ballast::webhooks {
namespace {

using testing::HasSubstr;

constexpr const char* kBounds = R"("minReplicas":2,"maxReplicas":5)";
constexpr const char* kBadBounds = R"("minReplicas":7,"maxReplicas":5)";
constexpr const char* kDeleted =
    R"(,"deletionTimestamp":"2026-04-08T04:42:29Z","finalizers":["example.com/x"])";

// The fields of an answer that a test looks at.
struct Answered {
  bool allowed = false;
  std::string message;
  std::vector<std::string> warnings;
  std::string patch;
};

Answered Ask(Step step, const std::string& body, Lookup& lookup) {
  const auto text = AnswerReview(step, body, lookup);
  EXPECT_TRUE(text.ok()) << text.error().message;
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
    const auto answer = AnswerReview(Step::kValidate, body, lookup);
    ASSERT_FALSE(answer.ok()) << body.substr(0, 100);
    EXPECT_THAT(answer.error().message, HasSubstr(reason));
  }
}

TEST(Mutate, FillsInWhatASchemaCannotAndNothingElse) {
  FakeLookup lookup;
  const Answered first = Ask(
      Step::kMutate, ReviewJson("CREATE", PolicyJson(R"("maxReplicas":5,"metrics":[])")), lookup);
  EXPECT_TRUE(first.allowed);
  EXPECT_EQ(first.patch,
            R"([{"op":"add","path":"/spec/minReplicas","value":1},)"
            R"({"op":"replace","path":"/spec/metrics","value":[{"type":"Resource","resource":)"
            R"({"name":"cpu","target":{"type":"Utilization","averageUtilization":80}}}]},)"
            R"({"op":"add","path":"/spec/mode","value":"Active"},)"
            R"({"op":"add","path":"/spec/syncPeriodSeconds","value":15},)"
            R"({"op":"add","path":"/spec/podSelection","value":"Selector"}])");
  const struct {
    const char* about;
    std::string review;
  } kLeftAlone[] = {
      {"complete",
       ReviewJson(
           "UPDATE",
           PolicyJson(
               R"("minReplicas":1,"maxReplicas":5,"mode":"Active",)"
               R"("syncPeriodSeconds":15,"podSelection":"Selector","metrics":[{"type":"Resource","resource":)"
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
    const Answered answered = Ask(Step::kMutate, c.review, lookup);
    EXPECT_TRUE(answered.allowed) << c.about;
    EXPECT_EQ(answered.patch, "") << c.about;
  }
  EXPECT_EQ(lookup.asked, 0);
}

// `old_spec` empty: a creation. An empty `refusal`: allowed. `asked`: about the surroundings.
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
       "invalid, to be mended before it is switched on: spec.maxReplicas", 1},
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
        Ask(Step::kValidate,
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
    EXPECT_TRUE(Ask(Step::kValidate, c.review, lookup).allowed) << c.about;
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
        Ask(Step::kValidate,
            c.old_spec.empty() ? ReviewJson("CREATE", PolicyJson(c.spec))
                               : ReviewJson("UPDATE", PolicyJson(c.spec), PolicyJson(c.old_spec)),
            lookup);
    EXPECT_EQ(answered.allowed, c.allowed) << c.about;
    EXPECT_THAT(answered.message + testing::PrintToString(answered.warnings),
                HasSubstr("HorizontalPodAutoscaler shop/old"))
        << c.about;
  }
  FakeLookup lookup({.rivals = {{"AutoScalePolicy shop/web"}}});
  EXPECT_FALSE(Ask(Step::kValidate, ReviewJson("CREATE", HpaJson(kBounds)), lookup).allowed);
}

}  // namespace
}  // namespace ballast::webhooks
