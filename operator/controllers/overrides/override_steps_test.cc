#include "operator/controllers/overrides/override_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ballast::controllers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Time kNoon{1'772'625'600, 0};
constexpr std::int64_t kDay = 24 * 3600;

Time After(std::int64_t seconds) { return kNoon + Duration::Seconds(seconds); }

// A hold of an hour from noon on, with that status.
api::AutoScaleOverride Hold(const std::string& target, const std::string& phase,
                            const std::string& message = "") {
  api::AutoScaleOverride override;
  override.metadata.name = override.metadata.uid = target + "-hold";
  override.metadata.namespace_ = "shop";
  override.metadata.creation_timestamp = kNoon;
  override.spec.kind = api::kPolicyKind;
  override.spec.name = target;
  override.spec.until = After(3600);
  override.spec.reason = "sale";
  override.spec.hold = "All";
  override.status = {phase, message};
  return override;
}

std::string NoObstacle(const api::ObjectReference&) { return ""; }

OverrideSteps Steps(std::vector<api::AutoScaleOverride> all, std::int64_t seconds,
                    const Obstacle& obstacle = NoObstacle) {
  std::vector<cluster::OverridePointer> pointers;
  for (api::AutoScaleOverride& one : all) {
    pointers.push_back(std::make_shared<const api::AutoScaleOverride>(std::move(one)));
  }
  return StepsAt(pointers, obstacle, After(seconds));
}

// "web-hold Active" of each status to write.
std::vector<std::string> Written(const OverrideSteps& steps) {
  std::vector<std::string> written;
  for (const auto& [of, status] : steps.statuses) {
    written.push_back(of->metadata.name + " " + status.phase +
                      (status.message.empty() ? "" : ": " + status.message));
  }
  return written;
}

TEST(OverrideSteps, FollowTheTime) {
  const struct {
    const char* name;
    const char* phase;  // that the object has
    std::int64_t at;
    std::vector<std::string> written;
    bool evaluated;
    std::optional<Time> next;
  } kCases[] = {
      {"it is new", "", 0, {"web-hold Active"}, true, After(3600)},
      {"nothing to do", "Active", 1800, {}, false, After(3600)},
      {"it is over", "Active", 3600, {"web-hold Expired"}, true, After(3600 + 30 * kDay)},
      {"it was over while nobody looked",
       "",
       7200,
       {"web-hold Expired"},
       true,
       After(3600 + 30 * kDay)},
      {"kept", "Expired", 30 * kDay, {}, false, After(3600 + 30 * kDay)},
      {"deleted", "Expired", 3600 + 30 * kDay, {}, false, std::nullopt},
  };
  for (const auto& c : kCases) {
    const OverrideSteps steps = Steps({Hold("web", c.phase)}, c.at);
    EXPECT_EQ(Written(steps), c.written) << c.name;
    EXPECT_EQ(steps.autoscalers.size(), c.evaluated ? 1U : 0U) << c.name;
    EXPECT_EQ(steps.next, c.next) << c.name;
    EXPECT_EQ(steps.outdated.size(), c.next ? 0U : 1U) << c.name;
  }
}

// Its deletion has been asked for, and somebody's finalizer keeps it.
TEST(OverrideSteps, LeaveAloneWhatIsBeingDeleted) {
  api::AutoScaleOverride kept = Hold("web", "Expired");
  kept.metadata.deletion_timestamp = After(7200);
  const OverrideSteps steps = Steps({kept}, 3600 + 30 * kDay);
  EXPECT_THAT(steps.outdated, IsEmpty());
  EXPECT_THAT(Written(steps), IsEmpty());
  EXPECT_EQ(steps.next, std::nullopt) << "or it would be looked at without a pause";
}

TEST(OverrideSteps, AreApartForEachAutoscaler) {
  const OverrideSteps steps = Steps({Hold("web", ""), Hold("api", "")}, 0);
  EXPECT_THAT(Written(steps), ElementsAre("api-hold Active", "web-hold Active"));
  EXPECT_EQ(steps.active.size(), 2U);
}

TEST(OverrideSteps, SayWhyOneHasNoEffect) {
  const auto gone = [](const api::ObjectReference&) { return "there is none"; };
  EXPECT_THAT(Written(Steps({Hold("web", "Active")}, 0, gone)),
              ElementsAre("web-hold Active: there is none"));
  EXPECT_THAT(Steps({Hold("web", "Active")}, 0, gone).autoscalers, IsEmpty());
  EXPECT_THAT(Written(Steps({Hold("web", "Active", "there is none")}, 0, gone)), IsEmpty());
  EXPECT_THAT(Written(Steps({Hold("web", "Active", "there is none")}, 0)),
              ElementsAre("web-hold Active"))
      << "there is one by now";
}

}  // namespace
}  // namespace ballast::controllers
