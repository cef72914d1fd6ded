#include "operator/controllers/evaluation_slots.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <string>

namespace ballast::controllers {
namespace {

using namespace std::chrono_literals;
using process::SteadyTime;

constexpr Duration kPeriod = Duration::Seconds(15);

api::ObjectReference Policy(const std::string& namespace_, int number) {
  return {"AutoScalePolicy", namespace_, "web-" + std::to_string(number)};
}

TEST(EvaluationSlots, NextRunIsAPeriodAfterTheLast) {
  EvaluationSlots slots;
  const api::ObjectReference policy = Policy("shop", 0);
  const SteadyTime first = slots.NextRun(policy, kPeriod, SteadyTime(1h));
  EXPECT_GT(first, SteadyTime(1h));
  EXPECT_LE(first, SteadyTime(1h) + 15s);
  EXPECT_EQ(slots.NextRun(policy, kPeriod, first), first + 15s);
  EXPECT_EQ(slots.NextRun(policy, kPeriod, first + 1ms), first + 15s) << "however late it began";
  EXPECT_EQ(slots.NextRun(policy, kPeriod, first - 1ms), first);
  EXPECT_EQ(slots.NextRun(policy, kPeriod, first + 40s), first + 45s) << "it took too long";
  EXPECT_GT(slots.NextRun(policy, kPeriod, SteadyTime(0s)), SteadyTime(0s));
}

TEST(EvaluationSlots, ANamespaceSharesSlotsOfTwoHundred) {
  EvaluationSlots slots;
  std::map<SteadyTime, int> moments;
  for (int i = 0; i < 500; ++i) {
    ++moments[slots.NextRun(Policy("shop", i), kPeriod, SteadyTime(1h))];
  }
  std::multiset<int> taken;
  for (const auto& [at, count] : moments) {
    taken.insert(count);
  }
  EXPECT_EQ(taken, (std::multiset<int>{100, 200, 200}));
  auto last = moments.begin()->first;
  for (auto moment = std::next(moments.begin()); moment != moments.end(); last = moment++->first) {
    EXPECT_GT(moment->first - last, 3s) << "they are spread over the period";
  }
}

TEST(EvaluationSlots, APlaceThatIsLeftIsTakenByTheNext) {
  EvaluationSlots slots;
  std::set<SteadyTime> moments;
  for (int i = 0; i < 200; ++i) {
    moments.insert(slots.NextRun(Policy("shop", i), kPeriod, SteadyTime(1h)));
  }
  ASSERT_EQ(moments.size(), 1U);
  slots.Leave(Policy("shop", 7));
  slots.Leave(Policy("shop", 7));
  (void)slots.NextRun(Policy("shop", 8), Duration::Seconds(20), SteadyTime(1h));
  EXPECT_TRUE(moments.contains(slots.NextRun(Policy("shop", 200), kPeriod, SteadyTime(1h))));
  EXPECT_TRUE(moments.contains(slots.NextRun(Policy("shop", 201), kPeriod, SteadyTime(1h))))
      << "another period has other moments";
  EXPECT_FALSE(moments.contains(slots.NextRun(Policy("shop", 202), kPeriod, SteadyTime(1h))));
}

TEST(EvaluationSlots, NamespacesAreSpreadOverThePeriod) {
  EvaluationSlots slots;
  std::array<int, 15> in_second{};
  for (int i = 0; i < 3'000; ++i) {
    const auto wait =
        slots.NextRun(Policy("shop-" + std::to_string(i), 0), kPeriod, SteadyTime(1h)) -
        SteadyTime(1h);
    ++in_second[static_cast<std::size_t>(std::min<std::int64_t>(wait / 1s, 14))];
  }
  for (const int count : in_second) {
    EXPECT_GT(count, 120);
    EXPECT_LT(count, 290);
  }
}

TEST(EvaluationSlots, SlotsAreSharedAcrossNamespacesWhileTheyShareAList) {
  bool across = true;
  EvaluationSlots slots([&] { return across; });
  const auto points = [&] {
    std::set<SteadyTime> all;
    for (int i = 0; i < 400; ++i) {
      all.insert(slots.NextRun(Policy("shop-" + std::to_string(i), 0), kPeriod, SteadyTime(1h)));
    }
    return all.size();
  };
  EXPECT_EQ(points(), 2U);
  across = false;
  EXPECT_EQ(points(), 400U);
  across = true;
  EXPECT_EQ(points(), 2U);
}

}  // namespace
}  // namespace ballast::controllers
