#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/autoscaling/condition_types.h"
#include "operator/engine/testing/test_snapshot.h"

namespace ballast::engine {
namespace {

using testing::Ago;
using ::testing::HasSubstr;
using testing::MakeSnapshot;

ScheduleWindow Bound(const char* name, std::optional<std::int32_t> min,
                     std::optional<std::int32_t> max) {
  return {.name = name,
          .time_zone = "UTC",
          .start = Ago(3600),
          .end = Ago(-3600),
          .min_replicas = min,
          .max_replicas = max};
}

// Such an evaluation asks no metric, so that nothing else says what limits the count.
TEST(Bounds, ThatMoveTheCountAloneAreWhatLimitsIt) {
  const ScheduleWindow day = Bound("day", 9, {});
  const ScheduleWindow night = Bound("night", {}, 2);
  ScheduleWindow of_alice = Bound("web-floor", 9, {});
  of_alice.origin = OverrideOrigin{"alice", "sale"};
  ScheduleWindow freeze = Bound("freeze", {}, {});
  freeze.hold = api::kHoldAll;
  const struct {
    const char* what;
    const char* kind;
    std::int32_t count;
    std::vector<ScheduleWindow> schedules;
    std::vector<ScheduleWindow> overrides;
    std::string limited;  // the condition's reason and message; empty: it is as before
  } kCases[] = {
      {"a floor",
       api::kPolicyKind,
       4,
       {day},
       {},
       "TooFewReplicas: the replica count was less than the minimum: schedule \"day\" sets a "
       "minimum of 9 until 2026-03-04T13:00:00Z"},
      {"a ceiling",
       api::kPolicyKind,
       4,
       {night},
       {},
       "TooManyReplicas: the replica count was more than the maximum: schedule \"night\" sets a "
       "maximum of 2 until 2026-03-04T13:00:00Z"},
      {"the spec's maximum",
       api::kPolicyKind,
       25,
       {},
       {},
       "TooManyReplicas: the replica count was more than the maximum"},
      {"a move that is held", api::kPolicyKind, 4, {day, freeze}, {}, ""},
      {"metrics within the bounds", api::kPolicyKind, 9, {day}, {}, ""},
      {"an HPA's maximum, as upstream", api::kHpaKind, 25, {}, {}, ""},
      {"an HPA's override",
       api::kHpaKind,
       4,
       {},
       {of_alice},
       "TooFewReplicas: the replica count was less than the minimum: override \"web-floor\" of "
       "alice sets a minimum of 9 until 2026-03-04T13:00:00Z: sale"},
  };
  for (const auto& c : kCases) {
    Snapshot snapshot = MakeSnapshot(c.kind, c.count);
    snapshot.schedules.emplace().windows = c.schedules;
    snapshot.overrides = c.overrides;
    const Decision decision = Decide(snapshot);
    const api::Condition* limited = testing::FindCondition(decision.status, api::kScalingLimited);
    EXPECT_EQ(limited == nullptr || limited->status != "True"
                  ? ""
                  : limited->reason + ": " + limited->message,
              c.limited)
        << c.what;
  }
}

TEST(Bounds, LimitTheCountInADryRunAndNotOneThatIsOff) {
  Snapshot snapshot = MakeSnapshot(api::kPolicyKind, 4);
  snapshot.schedules.emplace().windows = {Bound("day", 9, {})};
  snapshot.autoscaler.spec.mode = "DryRun";
  EXPECT_TRUE(IsTrue(Decide(snapshot).status.conditions, api::kScalingLimited));
  snapshot.autoscaler.spec.mode = "";
  snapshot.schedules->windows = {Bound("night", {}, 0)};
  const Decision decision = Decide(snapshot);
  EXPECT_EQ(decision.target_replicas, 0);
  EXPECT_FALSE(IsTrue(decision.status.conditions, api::kScalingLimited));
}

TEST(Bounds, LimitTheCountWhileItStaysThereUntilAMetricIsKnown) {
  Snapshot snapshot = MakeSnapshot(api::kPolicyKind, 4);
  const auto limited = [&](std::int32_t count, std::vector<ScheduleWindow> windows) {
    std::get<api::Scale>(snapshot.scale).spec_replicas = count;
    snapshot.schedules.emplace().windows = std::move(windows);
    snapshot.autoscaler.status = Decide(snapshot).status;
    return testing::FindCondition(snapshot.autoscaler.status, api::kScalingLimited)->message;
  };
  EXPECT_THAT(limited(4, {Bound("day", 9, {})}), HasSubstr("\"day\""));
  snapshot.metrics = {Failure{"no answer"}};
  EXPECT_THAT(limited(9, {Bound("morning", 9, {})}), HasSubstr("\"morning\""));
  EXPECT_THAT(limited(9, {}), HasSubstr("within its bounds"));
}

}  // namespace
}  // namespace ballast::engine
