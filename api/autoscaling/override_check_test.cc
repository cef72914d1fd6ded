#include "api/autoscaling/override_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ballast::api {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Time kNow{1'772'625'600, 0};  // 2026-03-04T12:00:00Z

std::vector<std::string> Complaints(const std::string& text) {
  const auto document = json::Parse(text);
  json::Decoder decoder(document.value());
  std::vector<std::string> complaints;
  for (const FieldError& error : CheckOverrideObject(decoder.root(), UnknownFields::kRefused,
                                                     Duration::Seconds(7200), kNow)) {
    complaints.push_back(Print(error));
  }
  return complaints;
}

std::string Object(const std::string& spec, const std::string& metadata = R"("name":"sale")") {
  return R"({"apiVersion":"ballast.dev/v1alpha1","kind":"AutoScaleOverride","metadata":{)" +
         metadata + R"(},"spec":{)" + spec + "}}";
}

constexpr const char* kTarget = R"("target":{"kind":"AutoScalePolicy","name":"web"})";
constexpr const char* kRest = R"(,"until":"2026-03-04T14:00:00Z","reason":"sale")";

TEST(OverrideCheck, TellsAllThatIsWrongAtOnce) {
  EXPECT_THAT(Complaints(Object(kTarget + std::string(kRest) + R"(,"floor":3)")), IsEmpty());
  EXPECT_THAT(
      Complaints(Object(
          R"("target":{"kind":"Deployment","name":""},"until":"2026-03-04T11:00:00Z","reason":"",)"
          R"("floor":0,"mood":"good")",
          R"("name":"Sale")")),
      ElementsAre("spec.target.kind: must be AutoScalePolicy or HorizontalPodAutoscaler, is "
                  "\"Deployment\"",
                  "spec.target.name: must not be empty", "spec.reason: must not be empty",
                  "spec.floor: must be 1 or more, is 0",
                  "spec.mood: is not known here; remove it, or check its spelling and where it "
                  "stands",
                  ::testing::StartsWith("metadata.name: "),
                  "spec.until: must be later than 2026-03-04T12:00:00Z, when it begins"));
}

TEST(OverrideCheck, TellsNothingThatFollowsFromAnotherMistake) {
  const struct {
    std::string object;
    std::vector<std::string> complaints;
  } kCases[] = {
      {Object(kTarget + std::string(R"(,"reason":"sale","floor":3)")), {"spec.until: must be set"}},
      {Object(kTarget + std::string(kRest) + R"(,"floor":"3")"),
       {"spec.floor: must be a whole number of at most 32 bits"}},
      {Object(kTarget + std::string(kRest) + R"(,"hold":"")"),
       {"spec.hold: must not be empty; set it, or leave it out"}},
      {Object(kTarget + std::string(kRest) + R"(,"hold":"Up")"),
       {"spec.hold: must be All, ScaleUp or ScaleDown, is \"Up\""}},
      {Object(kTarget + std::string(kRest) + R"(,"hold":"scaleUp")"),
       {"spec.hold: must be All, ScaleUp or ScaleDown, is \"scaleUp\"; did you mean ScaleUp?"}},
      {Object(kTarget + std::string(kRest) + R"(,"reason":"","pin":3,"floor":3)"),
       {"spec.reason: is set twice; keep one",
        "spec: must have exactly one of pin, floor, ceiling and hold"}},
      {R"({"apiVersion":"ballast.dev/v1alpha1","kind":"AutoScaleOverride","metadata":{"name":"a"}})",
       {"spec: must be set"}},
      {R"({"apiVersion":"ballast.dev/v1","kind":"AutoScaleOverride","metadata":{"name":"a"},"spec":{)" +
           (kTarget + std::string(kRest)) + R"(,"pin":3}})",
       {"apiVersion: must be ballast.dev/v1alpha1, is \"ballast.dev/v1\""}},
      {"[]", {"must be an object with named fields"}},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Complaints(c.object), c.complaints) << c.object;
  }
}

// One that begins later is measured from then on.
TEST(OverrideCheck, CountsFromNowWhereTheObjectDoesNotSayWhenItWasMade) {
  const std::string floor = R"(,"reason":"sale","floor":3)";
  EXPECT_THAT(
      Complaints(Object(kTarget + std::string(R"(,"until":"2026-03-04T14:00:01Z")") + floor)),
      ElementsAre(::testing::HasSubstr("must be at most 2h after 2026-03-04T12:00:00Z")));
  EXPECT_THAT(Complaints(Object(kTarget +
                                std::string(R"(,"from":"2026-05-01T00:00:00Z","until":)"
                                            R"("2026-05-01T02:00:00Z")") +
                                floor)),
              IsEmpty());
}

}  // namespace
}  // namespace ballast::api
