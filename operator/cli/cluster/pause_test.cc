#include "operator/cli/cluster/pause.h"

#include <gtest/gtest.h>

#include "api/autoscaling/pause_annotation.h"
#include "api/json/json.h"

namespace ballast::cli {
namespace {

constexpr Time kNow(1'700'000'000, 0);

// What the API server makes of the patch is what the operator reads.
TEST(Pause, IsWhatTheOperatorReads) {
  const struct {
    const char* hold;
    const char* by;
    const char* printed;
  } kCases[] = {
      {"ScaleDown", "alice", "alice paused scale-in until 2023-11-14T23:13:20Z: black friday"},
      {"ScaleUp", "alice", "alice paused scale-out until 2023-11-14T23:13:20Z: black friday"},
      {"All", "", nullptr},
  };
  for (const auto& c : kCases) {
    const auto document = json::Parse(PausePatch(
        {.until = kNow + Duration::Seconds(3'600), .reason = "black friday", .hold = c.hold},
        c.by));
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
