#include "operator/cli/cluster/pause.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/json/json.h"

namespace ballast::cli {
namespace {

using ::testing::HasSubstr;

constexpr Time kNow(1'700'000'000, 500'000'000);

TEST(Pause, EndsAfterASpanOrAtATime) {
  EXPECT_EQ(ParsePauseEnd("2h", kNow).value(), kNow + Duration::Seconds(7'200));
  EXPECT_EQ(ParsePauseEnd("2026-11-23T08:00:00+02:00", kNow).value(),
            ParseTime("2026-11-23T06:00:00Z").value());
  for (const char* wrong : {"", "soon", "-2h", "0s", "2020-01-01T00:00:00Z", "now"}) {
    const auto end = ParsePauseEnd(wrong, kNow);
    ASSERT_FALSE(end.ok()) << wrong;
    EXPECT_EQ(end.error().code, Code::kInvalid) << wrong;
    EXPECT_THAT(end.error().message, HasSubstr("--until")) << wrong;
  }
  EXPECT_EQ(ParsePauseEnd("soon", kNow).error().message,
            "--until: \"soon\" is neither a span from now (2h) nor a time (2026-11-23T06:00:00Z, "
            "\"2026-11-23 06:00\", 18:30)");
  EXPECT_THAT(ParsePauseEnd("2020-01-01T00:00:00Z", kNow).error().message,
              HasSubstr("is not in the future: it is 2023-11-14 22:13:20 UTC; give a span"));
}

// What the API server makes of the patch is what the operator reads.
TEST(Pause, IsWhatTheOperatorReads) {
  const struct {
    const char* only;
    const char* by;
    const char* printed;
  } kCases[] = {
      {"in", "alice", "alice paused scale-in until 2023-11-14T23:13:20Z: black friday"},
      {"out", "alice", "alice paused scale-out until 2023-11-14T23:13:20Z: black friday"},
      {"", "", nullptr},
  };
  for (const auto& c : kCases) {
    const auto document =
        json::Parse(PausePatch(kNow + Duration::Seconds(3'600), c.only, c.by, "black friday"));
    ASSERT_TRUE(document.ok());
    json::Decoder decoder(*document);
    api::Autoscaler policy{.kind = api::kPolicyKind};
    const auto annotations = decoder.root().Member("metadata").Member("annotations").Members();
    for (const auto& [name, value] : annotations) {
      if (value.IsString()) {
        policy.metadata.annotations[std::string(name)] = value.Text();
      }
    }
    const auto pause = api::PauseOf(policy, kNow);
    ASSERT_TRUE(pause);
    if (c.printed != nullptr) {
      EXPECT_EQ(Print(*pause), c.printed);
    } else {
      EXPECT_TRUE(pause->in && pause->out);
      EXPECT_EQ(pause->by, "");
    }
    EXPECT_TRUE(api::CheckPause(policy).empty());
  }
}

TEST(Pause, IsRemovedWhole) {
  EXPECT_EQ(ResumePatch(), R"({"metadata":{"annotations":{"ballast.dev/paused-until":null,)"
                           R"("ballast.dev/paused-direction":null,"ballast.dev/paused-by":null,)"
                           R"("ballast.dev/paused-reason":null}}})");
}

}  // namespace
}  // namespace ballast::cli
