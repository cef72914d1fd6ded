#include "webhooks/review.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "webhooks/limits.h"

namespace ballast::webhooks {
namespace {

TEST(EncodeAnswer, EchoesTheUidAndSaysNoMoreThanNeeded) {
  const ReviewSubject subject{.uid = "u-1"};
  EXPECT_EQ(EncodeAnswer(subject, {}),
            R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",)"
            R"("response":{"uid":"u-1","allowed":true}})");
}

TEST(EncodeAnswer, ARefusalNamesEachField) {
  const ReviewSubject subject{.uid = "u-1", .kind = "AutoScalePolicy", .name = "web"};
  EXPECT_EQ(
      EncodeAnswer(subject, {.errors = {{"spec.a", "is bad"}, {"", "all is bad"}}}),
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"u-1",)"
      R"("allowed":false,"status":{"status":"Failure","code":422,"reason":"Invalid",)"
      R"("message":"spec.a: is bad; all is bad","details":{"kind":"AutoScalePolicy",)"
      R"("name":"web","causes":[{"reason":"FieldValueInvalid","field":"spec.a",)"
      R"("message":"is bad"},{"reason":"FieldValueInvalid","field":"",)"
      R"("message":"all is bad"}]}}}})");
}

TEST(EncodeAnswer, APatchIsBase64AndHasItsType) {
  EXPECT_THAT(EncodeAnswer({.uid = "u"}, {.patch = "[]"}),
              testing::HasSubstr(R"("patchType":"JSONPatch","patch":"W10=")"));
}

TEST(EncodeAnswer, WarningsAreCutToWhatIsPassedOn) {
  Verdict verdict;
  // 252 bytes, then characters of two bytes: 258 in all, and the cut would split the first of
  // these.
  verdict.warnings.push_back(std::string(252, 'x') + "\u00e4\u00e4\u00e4");
  for (int i = 0; i < 100; ++i) {
    verdict.warnings.push_back(std::string(120, 'y'));
  }
  const std::string answer = EncodeAnswer({.uid = "u"}, verdict);
  EXPECT_THAT(answer, testing::HasSubstr("\"" + std::string(252, 'x') + "...\""));
  EXPECT_LT(answer.size(), 4096 + 400);
  EXPECT_TRUE(json::Parse(answer).ok());
}

// Whatever the texts, and however JSON must escape them.
TEST(EncodeAnswer, IsNeverLargerThanAllowed) {
  for (const char c : {'x', '"', '\x01'}) {
    for (const std::size_t size : {1U, 100U, 5000U}) {
      const std::string text(size, c);
      Verdict verdict;
      for (int i = 0; i < 60; ++i) {
        verdict.errors.Add(text, text);
        verdict.warnings.push_back(text);
      }
      const std::string name(std::min(size, kMaxName), c);
      const std::string answer = EncodeAnswer({.uid = name, .kind = name, .name = name}, verdict);
      EXPECT_LE(answer.size(), kMaxAnswer);
      EXPECT_THAT(answer, testing::HasSubstr("errors"));
      EXPECT_TRUE(json::Parse(answer).ok());
    }
  }
}

}  // namespace
}  // namespace ballast::webhooks
