#include "operator/engine/selector_check.h"

#include <gtest/gtest.h>

#include "operator/engine/testing/test_snapshot.h"

namespace ballast::engine {
namespace {

TEST(SelectorCheck, Problems) {
  const struct {
    const char* name;
    const char* selector;
    std::vector<Rival> rivals;
    const char* reason;   // of the event
    const char* message;  // "" if there is none
  } kCases[] = {
      {"fine", "app=web", {}, "", ""},
      {"missing", "", {}, "SelectorRequired", "selector is required"},
      {"a rival elsewhere", "app=web", {{"b", "app=other"}}, "", ""},
      {"a rival without a selector", "app=web", {{"b", ""}}, "", ""},
      {"a rival with a bad selector", "app=web", {{"b", "app in"}}, "", ""},
      {"rivals",
       "app=web",
       {{"z", "app"}, {"a", "app=web"}},
       "AmbiguousSelector",
       "pods by selector app=web are controlled by multiple HPAs: [shop/a shop/web shop/z]"},
  };
  for (const auto& c : kCases) {
    Snapshot snapshot = testing::MakeHpa(2);
    snapshot.rivals = c.rivals;
    api::Scale scale = std::get<api::Scale>(snapshot.scale);
    scale.selector = c.selector;
    auto problem = CheckSelector(snapshot, scale);
    if (!problem) {
      problem = CheckRivals(snapshot, scale, std::get<PodList>(snapshot.pods), kQuirksOf136);
    }
    ASSERT_EQ(problem.has_value(), *c.message != '\0') << c.name;
    if (problem) {
      EXPECT_EQ(problem->event_reason, c.reason) << c.name;
      EXPECT_EQ(problem->message, c.message) << c.name;
    }
  }
}

TEST(SelectorCheck, RivalsWithoutPodsDoNotMeet) {
  Snapshot snapshot = testing::MakeHpa(2);
  snapshot.rivals = {{"other", "app=web"}};
  EXPECT_FALSE(
      CheckRivals(snapshot, std::get<api::Scale>(snapshot.scale), PodList{}, kQuirksOf136));
}

TEST(SelectorCheck, NamesTwoRivalsSince137) {
  Snapshot snapshot = testing::MakeHpa(2);
  snapshot.rivals = {{"z", "app"}, {"a", "app=web"}};
  const auto problem = CheckRivals(snapshot, std::get<api::Scale>(snapshot.scale),
                                   std::get<PodList>(snapshot.pods), kQuirksOf137);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->message,
            "pods by selector app=web are controlled by more than one HPA (e.g. [shop/a "
            "shop/web])");
}

TEST(SelectorCheck, PodsThatCouldNotBeListed) {
  Snapshot snapshot = testing::MakeHpa(2);
  snapshot.pods = Failure{"no cache"};
  const Conclusion conclusion = testing::Evaluate(snapshot);
  ASSERT_EQ(conclusion.events.size(), 1u);
  EXPECT_EQ(conclusion.events[0].reason, "FailedComputeMetricsReplicas");
  EXPECT_EQ(conclusion.events[0].message, "no cache");
  EXPECT_EQ(testing::FindCondition(conclusion.status, "ScalingActive"), nullptr);
}

}  // namespace
}  // namespace ballast::engine
