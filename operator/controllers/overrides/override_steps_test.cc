#include "operator/controllers/overrides/override_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
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
                    const Obstacle& obstacle = NoObstacle, const OverridePhases& told = {}) {
  std::vector<cluster::OverridePointer> pointers;
  for (api::AutoScaleOverride& one : all) {
    pointers.push_back(std::make_shared<const api::AutoScaleOverride>(std::move(one)));
  }
  // The policies web and api have the labels that selectors name here.
  const auto subjects =
      [](const api::AutoScaleOverride& override) -> std::vector<api::ObjectReference> {
    if (!override.spec.selector) {
      return {override.target()};
    }
    return {{api::kPolicyKind, "shop", "api"}, {api::kPolicyKind, "shop", "web"}};
  };
  // Each has 10 replicas at most.
  const auto find = [](const api::ObjectReference& name) {
    api::Autoscaler policy;
    policy.kind = name.kind;
    policy.metadata.name = name.name;
    policy.spec.max_replicas = 10;
    return std::make_shared<const api::Autoscaler>(std::move(policy));
  };
  return StepsAt(pointers, {subjects, find, obstacle}, told, After(seconds));
}

// The same as Hold, of all that have some label, made so many seconds after noon.
api::AutoScaleOverride HoldOfAll(const std::string& phase, std::int64_t made = 0) {
  api::AutoScaleOverride override = Hold("", phase);
  override.metadata.name = override.metadata.uid = "all-hold";
  override.metadata.creation_timestamp = After(made);
  override.spec.selector.emplace();
  override.spec.selector->match_labels = {{"tier", "web"}};
  return override;
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

// As long as one that has ended by itself.
TEST(OverrideSteps, KeepOneThatSomebodyHasEnded) {
  api::AutoScaleOverride ended = Hold("web", "Active");
  ended.ended = "2026-03-04T18:00:00Z";
  const OverrideSteps first = Steps({ended}, 60);
  EXPECT_THAT(Written(first),
              ElementsAre("web-hold Expired: ended early, at 2026-03-04T12:01:01Z"));
  EXPECT_EQ(first.statuses.front().status.ended, After(61));
  EXPECT_EQ(first.autoscalers.size(), 1U);
  ended.status = first.statuses.front().status;
  const OverrideSteps second = Steps({ended}, 62);
  EXPECT_THAT(Written(second), IsEmpty());
  EXPECT_THAT(second.outdated, IsEmpty());
  EXPECT_EQ(second.next, After(61 + 30 * kDay));
  EXPECT_EQ(Steps({ended}, 61 + 30 * kDay).outdated.size(), 1U);
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

TEST(OverrideSteps, SayWhoseOneIs) {
  api::AutoScaleOverride owned = Hold("web", "Active");
  owned.spec.owner = "alice";
  const OverrideSteps steps = Steps({owned}, 0);
  ASSERT_EQ(steps.statuses.size(), 1U);
  EXPECT_EQ(steps.statuses.front().status.owner, "alice");
  EXPECT_THAT(steps.autoscalers, IsEmpty());
}

// Its status could not be written, and is tried again.
TEST(OverrideSteps, EvaluateOnceForEachPhase) {
  const OverrideSteps first = Steps({Hold("web", "")}, 0);
  EXPECT_EQ(first.autoscalers.size(), 1U);
  const OverrideSteps again = Steps({Hold("web", "")}, 15, NoObstacle, first.phases);
  EXPECT_THAT(Written(again), ElementsAre("web-hold Active"));
  EXPECT_THAT(again.autoscalers, IsEmpty());
  EXPECT_EQ(Steps({Hold("web", "")}, 3600, NoObstacle, again.phases).autoscalers.size(), 1U);
}

// Its end may be far away.
TEST(OverrideSteps, DeleteAnInvalidOneAMonthAfterItsBeginning) {
  api::AutoScaleOverride invalid = Hold("web", "Invalid", "too long");
  invalid.problem = "too long";
  invalid.spec.until = After(3600 * kDay);
  EXPECT_THAT(Steps({invalid}, 30 * kDay - 1).outdated, IsEmpty());
  EXPECT_EQ(Steps({invalid}, 30 * kDay).outdated.size(), 1U);
}

TEST(OverrideSteps, AskForTheObstacleOnceForEachAutoscaler) {
  int asked = 0;
  const auto count = [&](const api::ObjectReference&) {
    ++asked;
    return std::string();
  };
  Steps({Hold("web", ""), HoldOfAll(""), HoldOfAll("", -60)}, 0, count);
  EXPECT_EQ(asked, 2);
}

TEST(OverrideSteps, AreApartForEachAutoscaler) {
  const OverrideSteps steps = Steps({Hold("web", ""), Hold("api", "")}, 0);
  EXPECT_THAT(Written(steps), ElementsAre("web-hold Active", "api-hold Active"));
  EXPECT_EQ(steps.active.size(), 2U);
}

// Of both forms, the newest counts for each autoscaler by itself.
TEST(OverrideSteps, CompareThoseBySelectorWithThoseByName) {
  const auto effect = [](const OverrideSteps& steps) {
    std::vector<std::string> phases;
    for (const auto& [of, status] : steps.statuses) {
      phases.push_back(of->metadata.name + " " + status.phase + " " +
                       (status.matched ? std::to_string(*status.matched) : "-") +
                       (status.message.empty() ? "" : ": " + status.message));
    }
    return phases;
  };
  const std::string until = " is newer and counts until 2026-03-04T13:00:00Z";
  EXPECT_THAT(effect(Steps({HoldOfAll("")}, 0)), ElementsAre("all-hold Active 2"));
  EXPECT_EQ(Steps({HoldOfAll("")}, 0).autoscalers.size(), 2U);

  api::AutoScaleOverride newer = Hold("web", "");
  newer.metadata.creation_timestamp = After(10);
  EXPECT_THAT(effect(Steps({HoldOfAll(""), newer}, 10)),
              ElementsAre("all-hold Active 2: without effect on 1 of 2, as on AutoScalePolicy web: "
                          "web-hold" +
                              until,
                          "web-hold Active -"));
  EXPECT_THAT(effect(Steps({HoldOfAll("", 20), newer}, 20)),
              ElementsAre("all-hold Active 2", "web-hold Superseded -: all-hold" + until));
  api::AutoScaleOverride other = Hold("api", "");
  other.metadata.creation_timestamp = After(10);
  EXPECT_THAT(effect(Steps({HoldOfAll(""), newer, other}, 10)),
              testing::Contains("all-hold Superseded 2: without effect on 2 of 2, as on "
                                "AutoScalePolicy api: api-hold" +
                                until));

  api::AutoScaleOverride later = HoldOfAll("");
  later.spec.from = After(60);
  EXPECT_THAT(effect(Steps({later}, 0)),
              ElementsAre("all-hold Pending 2: begins at 2026-03-04T12:01:00Z"));

  EXPECT_THAT(effect(Steps({HoldOfAll("Active")}, 3600)), ElementsAre("all-hold Expired -"));
  EXPECT_EQ(Steps({HoldOfAll("Active")}, 3600).autoscalers.size(), 2U);
  EXPECT_THAT(Steps({HoldOfAll("Expired")}, 3600).statuses, IsEmpty());
}

TEST(OverrideSteps, SayToWhatTheSpecLimitsOne) {
  const auto pin = [](api::AutoScaleOverride override, std::int32_t replicas) {
    override.spec.hold.clear();
    override.spec.pin = replicas;
    return override;
  };
  EXPECT_THAT(Written(Steps({pin(Hold("web", "Active"), 10)}, 0)), IsEmpty());
  EXPECT_THAT(Written(Steps({pin(Hold("web", "Active"), 11)}, 0)),
              ElementsAre("web-hold Active: counts as 10, the maxReplicas of AutoScalePolicy web"));
  EXPECT_THAT(Written(Steps({pin(HoldOfAll("Active"), 11)}, 0)),
              ElementsAre("all-hold Active: limited on 2 of 2: counts as 10, the maxReplicas of "
                          "AutoScalePolicy api"));
  const auto off = [](const api::ObjectReference& name) {
    return std::string(name.name == "api" ? "it is off" : "");
  };
  EXPECT_THAT(Written(Steps({pin(HoldOfAll("Active"), 11)}, 0, off)),
              ElementsAre("all-hold Active: without effect on 1 of 2, as on AutoScalePolicy api: "
                          "it is off; limited on 1 of 2: counts as 10, the maxReplicas of "
                          "AutoScalePolicy web"));
}

TEST(OverrideSteps, SayWhatAnotherTypeLeavesOfOne) {
  struct Other {
    const char* type;
    std::int32_t count;  // of a hold: none
  };
  // An override of web that is made at noon, named by its type.
  const auto make = [](const Other& what) {
    api::AutoScaleOverride made = Hold("web", "Active");
    const std::string type = what.type;
    made.metadata.name = made.metadata.uid = type;
    if (type != "All" && type != "ScaleUp" && type != "ScaleDown") {
      made.spec.hold.clear();
      (type == "pin"     ? made.spec.pin
       : type == "floor" ? made.spec.floor
                         : made.spec.ceiling) = what.count;
    } else {
      made.spec.hold = type;
    }
    return made;
  };
  const std::string until = " until 2026-03-04T13:00:00Z";
  const std::string held = "without effect: All holds every count" + until;
  const std::string pinned = "without effect: pin pins the replicas" + until;
  const struct {
    Other one;
    std::vector<Other> others;
    std::string message;
  } kCases[] = {
      {{"floor", 3}, {{"ceiling", 5}}, ""},
      {{"floor", 3}, {{"ceiling", 2}}, ""},
      {{"floor", 3}, {{"pin", 4}}, pinned},
      {{"floor", 3}, {{"pin", 4}, {"ceiling", 2}}, pinned},
      {{"floor", 3}, {{"ScaleUp", 0}}, ""},
      {{"floor", 3}, {{"All", 0}}, held},
      {{"floor", 3}, {{"All", 0}, {"pin", 4}}, held},
      {{"ceiling", 3}, {{"floor", 2}}, ""},
      {{"ceiling", 3}, {{"floor", 3}}, ""},
      {{"ceiling", 3}, {{"floor", 4}}, "counts as 4, the floor of floor"},
      {{"ceiling", 3}, {{"floor", 40}}, "counts as 10, the floor of floor"},
      {{"ceiling", 0}, {{"floor", 1}}, "counts as 1, the floor of floor"},
      {{"ceiling", 0}, {{"floor", 0}}, "counts as 1, the floor of floor"},
      {{"ceiling", -1}, {{"floor", 0}}, "counts as 1, the minReplicas of AutoScalePolicy web"},
      {{"ceiling", 11}, {{"floor", 40}}, "counts as 10, the maxReplicas of AutoScalePolicy web"},
      {{"ceiling", 3}, {{"floor", 4}, {"pin", 4}}, pinned},
      {{"ceiling", 3}, {{"All", 0}}, held},
      {{"pin", 3}, {{"floor", 4}, {"ceiling", 2}, {"ScaleDown", 0}}, ""},
      {{"pin", 3}, {{"All", 0}}, held},
      {{"All", 0}, {{"pin", 3}, {"floor", 4}, {"ceiling", 2}}, ""},
  };
  for (const auto& c : kCases) {
    std::vector<api::AutoScaleOverride> all = {make(c.one)};
    std::ranges::transform(c.others, std::back_inserter(all), make);
    std::string message;
    for (const auto& [of, status] : Steps(all, 0).statuses) {
      EXPECT_EQ(status.phase, "Active");
      message = of->metadata.name == c.one.type ? status.message : message;
    }
    EXPECT_EQ(message, c.message) << &c - kCases;
  }
  api::AutoScaleOverride longer = make({"floor", 3});
  longer.spec.until = longer.spec.until + Duration::Seconds(1);
  EXPECT_THAT(Written(Steps({longer, make({"pin", 4})}, 0)),
              ElementsAre("floor Active: no effect yet: pin pins the replicas" + until));
  api::AutoScaleOverride floor_of_all = HoldOfAll("Active");
  floor_of_all.spec.hold.clear();
  floor_of_all.spec.floor = 3;
  EXPECT_THAT(Written(Steps({floor_of_all, make({"pin", 4})}, 0)),
              ElementsAre("all-hold Active: without effect on 1 of 2, as on AutoScalePolicy web: "
                          "pin pins the replicas" +
                          until));
}

TEST(OverrideSteps, SayWhyOneHasNoEffect) {
  const auto gone = [](const api::ObjectReference&) { return "there is none"; };
  EXPECT_THAT(Written(Steps({Hold("web", "Active")}, 0, gone)),
              ElementsAre("web-hold Active: without effect: there is none"));
  EXPECT_THAT(Steps({Hold("web", "Active")}, 0, gone).autoscalers, IsEmpty());
  EXPECT_THAT(Written(Steps({Hold("web", "Active", "without effect: there is none")}, 0, gone)),
              IsEmpty());
  EXPECT_THAT(Written(Steps({Hold("web", "Active", "there is none")}, 0)),
              ElementsAre("web-hold Active"))
      << "there is one by now";
  EXPECT_THAT(Written(Steps({HoldOfAll("Active")}, 0, gone)),
              ElementsAre("all-hold Active: without effect on 2 of 2, as on AutoScalePolicy api: "
                          "there is none"));
}

}  // namespace
}  // namespace ballast::controllers
