#include "webhooks/admit_override.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "webhooks/admit.h"
#include "webhooks/testing/test_review.h"

namespace ballast::webhooks {
namespace {

// An override made at noon of 2026-03-04, with that until and more fields.
std::string OverrideJson(const std::string& more,
                         const std::string& until = "2026-03-04T14:00:00Z") {
  return R"({"apiVersion":"ballast.dev/v1alpha1","kind":"AutoScaleOverride","metadata":{)"
         R"("name":"sale","namespace":"shop","creationTimestamp":"2026-03-04T12:00:00Z"},)"
         R"("spec":{"target":{"kind":"AutoScalePolicy","name":"web"},"reason":"sale","until":")" +
         until + R"(","floor":9)" + more + "}}";
}

enum class Step { kDefault, kValidate };

Verdict Ask(Step step, const std::string& operation, const std::string& object,
            const std::string& old_object = "null", const std::string& user = "alice") {
  const auto document = json::Parse(
      ReviewJson(operation, object, old_object, R"(,"userInfo":{"username":")" + user + R"("})"));
  json::Decoder decoder(document.value());
  const auto review = DecodeReview(decoder.root());
  EXPECT_TRUE(review.ok());
  FakeLookup lookup;
  const Verdict verdict =
      step == Step::kDefault
          ? Default(*review, {.lookup = lookup})
          : Validate(*review, {.lookup = lookup, .longest_override = Duration::Seconds(7200)});
  EXPECT_EQ(lookup.asked, 0);
  return verdict;
}

TEST(AdmitOverride, TheOwnerIsWhoeverSendsIt) {
  const struct {
    const char* name;
    const char* operation;
    std::string object;
    std::string old_object;
    std::string patch;
  } kCases[] = {
      {"a new one", "CREATE", OverrideJson(""), "null",
       R"([{"op":"add","path":"/spec/owner","value":"alice"}])"},
      {"a forged one", "CREATE", OverrideJson(R"(,"owner":"bob")"), "null",
       R"([{"op":"add","path":"/spec/owner","value":"alice"}])"},
      {"her own", "CREATE", OverrideJson(R"(,"owner":"alice")"), "null", ""},
      {"applied again", "UPDATE", OverrideJson(""), OverrideJson(R"(,"owner":"bob")"),
       R"([{"op":"add","path":"/spec/owner","value":"bob"}])"},
      {"edited", "UPDATE", OverrideJson(R"(,"owner":"eve")"), OverrideJson(R"(,"owner":"bob")"),
       R"([{"op":"add","path":"/spec/owner","value":"bob"}])"},
      {"claimed later", "UPDATE", OverrideJson(R"(,"owner":"eve")"), OverrideJson(""),
       R"([{"op":"remove","path":"/spec/owner"}])"},
      {"deleted", "DELETE", "null", OverrideJson(""), ""},
  };
  for (const auto& c : kCases) {
    const Verdict verdict = Ask(Step::kDefault, c.operation, c.object, c.old_object);
    EXPECT_TRUE(verdict.allowed()) << c.name;
    EXPECT_EQ(verdict.patch, c.patch) << c.name;
  }
  const std::string long_name(2000, 'x');
  EXPECT_THAT(Ask(Step::kDefault, "CREATE", OverrideJson(""), "null", long_name).patch,
              ::testing::SizeIs(::testing::Lt(1100U)));
}

TEST(AdmitOverride, RefusesWhatIsWrong) {
  const struct {
    const char* name;
    const char* operation;
    std::string object;
    std::string old_object;
    const char* error;
  } kCases[] = {
      {"right", "CREATE", OverrideJson(""), "null", ""},
      {"two types", "CREATE", OverrideJson(R"(,"pin":7)"), "null",
       "spec: must have exactly one of pin, floor, ceiling and hold"},
      {"over already", "CREATE", OverrideJson("", "2026-03-04T11:00:00Z"), "null",
       "spec.until: must be later than 2026-03-04T12:00:00Z, when it begins"},
      {"longer than the installation allows", "CREATE", OverrideJson("", "2026-03-04T14:00:01Z"),
       "null",
       "spec.until: must be at most 2h after 2026-03-04T12:00:00Z, when it begins, which is the "
       "longest that this installation allows; for longer, change the autoscaler's spec"},
      {"no time", "CREATE", OverrideJson("", "soon"), "null",
       "spec.until: must be a time like \"2026-04-08T04:42:29Z\""},
      {"another spec", "UPDATE", OverrideJson(R"(,"pin":7)"), OverrideJson(""),
       "spec: is immutable: end the override (ballast override end NAME), and make another one"},
      {"the same spec", "UPDATE", OverrideJson(""), OverrideJson(""), ""},
      {"deleted", "DELETE", "null", OverrideJson(""), ""},
  };
  for (const auto& c : kCases) {
    const Verdict verdict = Ask(Step::kValidate, c.operation, c.object, c.old_object);
    EXPECT_EQ(verdict.allowed() ? "" : Print(verdict.errors.front()), c.error) << c.name;
  }
}

// As a copy of one that has ended.
TEST(AdmitOverride, WarnsOfOneThatIsMadeEnded) {
  const auto warnings = [](const std::string& more, const std::string& operation) {
    const std::string made = OverrideJson("");
    const std::string object = "{" + more + made.substr(1);
    return Ask(Step::kValidate, operation, object, operation == "UPDATE" ? made : "null").warnings;
  };
  const std::string ended = R"("ended":"2026-03-04T12:00:00Z",)";
  EXPECT_THAT(warnings("", "CREATE"), ::testing::IsEmpty());
  EXPECT_THAT(warnings(ended, "CREATE"),
              ::testing::ElementsAre(::testing::HasSubstr("is made with it never counts")));
  EXPECT_THAT(warnings(ended, "UPDATE"), ::testing::IsEmpty());
}

TEST(AdmitOverride, WarnsOfBoundsThatLimitIt) {
  const auto policy = [](const std::string& name, std::int32_t most) {
    api::Autoscaler autoscaler;
    autoscaler.kind = api::kPolicyKind;
    autoscaler.metadata.name = name;
    autoscaler.spec.max_replicas = most;
    return std::make_shared<const api::Autoscaler>(std::move(autoscaler));
  };
  const auto document = json::Parse(ReviewJson("CREATE", OverrideJson("")));  // a floor of 9
  json::Decoder decoder(document.value());
  const auto review = DecodeReview(decoder.root());
  ASSERT_TRUE(review.ok());
  const auto warnings = [&](std::vector<std::shared_ptr<const api::Autoscaler>> subjects) {
    FakeLookup lookup;
    lookup.subjects = std::move(subjects);
    return Validate(*review, {.lookup = lookup}).warnings;
  };
  EXPECT_THAT(warnings({policy("web", 9)}), ::testing::IsEmpty());
  EXPECT_THAT(warnings({policy("web", 8)}),
              ::testing::ElementsAre("floor: counts as 8, the maxReplicas of AutoScalePolicy web"));
  EXPECT_THAT(warnings({policy("a", 9), policy("b", 8), policy("c", 7)}),
              ::testing::ElementsAre("floor: counts as 8, the maxReplicas of AutoScalePolicy b; 1 "
                                     "more have bounds that limit it"));
}

}  // namespace
}  // namespace ballast::webhooks
