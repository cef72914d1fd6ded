#include "operator/runtime/shared_lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "operator/runtime/fair_queue.h"

namespace ballast::runtime {
namespace {

using namespace std::chrono_literals;
using process::SteadyTime;
using std::chrono::nanoseconds;
using LaneOutcome = SharedLanes::LaneOutcome;

// Requests that are as long as they say, on lanes, in virtual time.
class Line {
 public:
  explicit Line(std::size_t lanes) : lanes_(lanes) {}

  void Submit(const std::string& namespace_, nanoseconds takes,
              LaneOutcome ends = LaneOutcome::kServed) {
    lanes_.Ask(namespace_, now_);
    waiting_.Push(namespace_, {namespace_, now_, takes, ends});
    waits_.insert(namespace_);
    BeginAll();
  }
  void Pass(nanoseconds span) {
    const SteadyTime until = now_ + span;
    while (!running_.empty()) {
      const auto next = std::ranges::min_element(
          running_, {}, [](const Running& running) { return running.ends; });
      if (next->ends > until) {
        break;
      }
      now_ = next->ends;
      lanes_.End(next->lane, next->as, now_);
      running_.erase(next);
      BeginAll();
    }
    now_ = until;
  }
  // The longest wait of the requests that have begun since the last call, of namespaces whose names
  // begin like that.
  nanoseconds TakeLongestWait(const std::string& prefix) {
    nanoseconds longest{};
    for (auto& [namespace_, wait] : longest_) {
      if (namespace_.starts_with(prefix)) {
        longest = std::max(longest, std::exchange(wait, {}));
      }
    }
    return longest;
  }
  // Whether any of these still waits.
  bool Waits(const std::string& prefix) const {
    return waits_.lower_bound(prefix) != waits_.end() &&
           waits_.lower_bound(prefix)->starts_with(prefix);
  }
  std::size_t Held(const std::string& namespace_) const {
    return static_cast<std::size_t>(std::ranges::count(
        running_, namespace_, [](const Running& running) { return running.namespace_; }));
  }
  const SharedLanes& lanes() const { return lanes_; }

 private:
  struct Waiting {
    std::string namespace_;
    SteadyTime since;
    nanoseconds takes;
    LaneOutcome as;
  };
  struct Running {
    std::string namespace_;
    SteadyTime ends;
    LaneOutcome as;
    SharedLanes::Lane lane;
  };
  void BeginAll() {
    while (auto next = waiting_.PopIf([this](const auto& of) { return lanes_.May(of); })) {
      waits_.erase(waits_.find(next->namespace_));
      nanoseconds& longest = longest_[next->namespace_];
      longest = std::max(longest, now_ - next->since);
      running_.push_back(
          {next->namespace_, now_ + next->takes, next->as, lanes_.Begin(next->namespace_, now_)});
    }
  }

  SharedLanes lanes_;
  FairQueue<Waiting> waiting_;
  std::multiset<std::string> waits_;  // their namespaces
  std::vector<Running> running_;
  std::map<std::string, nanoseconds> longest_;
  SteadyTime now_{1h};
};

constexpr auto kHangs = 10s;  // until the request's deadline
constexpr auto kQuick = 20ms;

TEST(SharedLanes, ANamespaceThatIsAloneHoldsAll) {
  Line line(8);
  for (int i = 0; i < 40; ++i) {
    line.Submit("alone", kHangs);
  }
  EXPECT_EQ(line.Held("alone"), 8U);
  line.Submit("shop", kQuick);
  line.Pass(kHangs);
  EXPECT_EQ(line.TakeLongestWait("shop"), kHangs) << "it was not alone any more";
  EXPECT_EQ(line.Held("alone"), 4U);
  line.Submit("shop", kQuick);
  line.Pass(kQuick);
  EXPECT_EQ(line.TakeLongestWait("shop"), 0s);
  line.Pass(SharedLanes::kRemembered);
  for (int i = 0; i < 40; ++i) {
    line.Submit("alone", kHangs);
  }
  EXPECT_EQ(line.Held("alone"), 6U) << "nobody else has asked for a minute, but it is slow";
  line.Submit("shop", kQuick);
  line.Pass(kQuick);
  EXPECT_EQ(line.TakeLongestWait("shop"), 0s);
}

TEST(SharedLanes, NoNamespaceHoldsMoreThanHalfOrWhatIsLeftToThoseThatHoldNone) {
  Line line(8);
  line.Submit("shop", kQuick);
  line.Pass(1s);
  for (const std::string other : {"a", "b", "c", "d", "e"}) {
    for (int i = 0; i < 9; ++i) {
      line.Submit(other, 900ms);
    }
  }
  EXPECT_EQ(line.Held("a"), 4U);
  EXPECT_EQ(line.Held("b"), 2U);
  EXPECT_EQ(line.Held("c"), 1U);
  EXPECT_EQ(line.Held("d"), 1U);
  EXPECT_EQ(line.Held("e"), 0U);
  EXPECT_EQ(line.lanes().held(), 8U);
  EXPECT_EQ(line.lanes().slow(), 0U);
}

TEST(SharedLanes, RemembersWhoIsSlowForAMinute) {
  Line line(8);
  line.Submit("shop", kQuick);
  std::vector<std::string> slow;
  for (int i = 0; i < 100; ++i) {
    line.Submit(slow.emplace_back("slow-" + std::to_string(i)), 1001ms);
  }
  const auto is_slow = [&](const std::string& name) { return line.lanes().IsSlow(name); };
  line.Pass(60s);
  EXPECT_TRUE(std::ranges::all_of(slow, is_slow));
  line.Pass(SharedLanes::kRemembered);
  line.Submit("shop", kQuick);
  EXPECT_TRUE(std::ranges::none_of(slow, is_slow));
}

// Of eight prompt answers in a row after a minute, some are no service.
class SharedLanesForgetTest : public testing::TestWithParam<std::pair<LaneOutcome, bool>> {};

TEST_P(SharedLanesForgetTest, ASlowNamespaceIsNoneAnyMoreOnceItWasServedPromptly) {
  const auto [ends, forgotten] = GetParam();
  Line line(8);
  line.Submit("slow", kHangs);
  line.Pass(kHangs);
  for (int second = 0; second < 80; ++second) {
    line.Submit("slow", kQuick, ends);
    line.Pass(1s);
  }
  EXPECT_NE(line.lanes().IsSlow("slow"), forgotten);
  for (int i = 0; i < 8; ++i) {
    EXPECT_TRUE(forgotten || line.lanes().IsSlow("slow")) << i;
    line.Submit("slow", kQuick, LaneOutcome::kServed);
    line.Submit("slow", kQuick, ends);
    line.Pass(1s);
  }
  EXPECT_FALSE(line.lanes().IsSlow("slow"));
}

INSTANTIATE_TEST_SUITE_P(Ends, SharedLanesForgetTest,
                         testing::Values(std::pair(LaneOutcome::kServed, true),
                                         std::pair(LaneOutcome::kRefused, false),
                                         std::pair(LaneOutcome::kUnsent, false)));

// A policy may have another metric beside one that is refused.
class SharedLanesRefusedTest : public testing::TestWithParam<std::pair<LaneOutcome, nanoseconds>> {
};

TEST_P(SharedLanesRefusedTest, WhoeverIsRefusedPromptlyDoesNotWaitForSlowOnes) {
  const auto [ends, wait] = GetParam();
  Line line(8);
  for (const auto takes : {2s, kHangs}) {
    line.Submit("shop", kQuick, ends);
    line.Pass(kQuick);
    for (int i = 0; i < 10; ++i) {
      line.Submit("slow-" + std::to_string(i), takes);
    }
    line.Pass(4s);
  }
  line.Submit("shop", kQuick, ends);
  line.Pass(kHangs);
  EXPECT_EQ(line.TakeLongestWait("shop"), wait);
}

INSTANTIATE_TEST_SUITE_P(Ends, SharedLanesRefusedTest,
                         testing::Values(std::pair(LaneOutcome::kServed, 0s),
                                         std::pair(LaneOutcome::kRefused, 0s),
                                         std::pair(LaneOutcome::kUnsent, 6s)));

// All are alike, so nothing is left to anybody.
TEST(SharedLanes, WhereEveryNamespaceIsSlowTheyHoldAll) {
  Line line(8);
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 10; ++i) {
      line.Submit("slow-" + std::to_string(i), 2s);
    }
  }
  line.Pass(10s);
  EXPECT_EQ(line.lanes().held(), 8U);
  EXPECT_EQ(line.lanes().slow(), 8U);
}

// Namespaces whose requests hang, and how long they may delay one that is slow, and asks seldom.
class SharedLanesSlowTest : public testing::TestWithParam<std::pair<int, nanoseconds>> {};

TEST_P(SharedLanesSlowTest, WaitsForOthersInTurn) {
  const auto [hanging, longest] = GetParam();
  Line line(8);
  for (int period = 0; period < 60; ++period) {
    for (int i = 0; i < hanging; ++i) {
      for (int request = 0; request < 6; ++request) {
        line.Submit("hung-" + std::to_string(i), kHangs);
      }
    }
    line.Submit("shop", kQuick);
    const auto later = std::chrono::seconds(period * 7 % 13);
    line.Pass(later);
    if (period % 3 == 0) {
      line.Submit("slow", 2s);
    }
    line.Pass(15s - later);
    const nanoseconds wait = line.TakeLongestWait("slow");
    EXPECT_TRUE(period < 8 || wait <= longest) << period << ": " << wait.count();
  }
}

INSTANTIATE_TEST_SUITE_P(Hanging, SharedLanesSlowTest,
                         testing::Values(std::pair(1, 0s), std::pair(3, 10s), std::pair(4, 20s),
                                         std::pair(8, 30s), std::pair(12, 40s)));

struct HangCase {
  std::size_t lanes;
  int hanging;  // namespaces
  int of_each;  // requests that hang, of each in a period
};

class SharedLanesHangTest : public testing::TestWithParam<HangCase> {};

// Five other namespaces need half of the lanes for 2.5 s of each period of 15 s. Of those whose
// requests hang some are answered promptly.
TEST_P(SharedLanesHangTest, DelaysNobodyElse) {
  const HangCase& c = GetParam();
  constexpr auto kServed = 2600ms;
  Line line(c.lanes);
  for (int period = 0; period < 20; ++period) {
    for (int i = 0; i < c.hanging; ++i) {
      const std::string hung = "hung-" + std::to_string(i);
      for (int request = 0; request < c.of_each; ++request) {
        line.Submit(hung, kHangs);
        line.Submit(hung, kQuick);
      }
    }
    line.Pass(500ms);
    for (std::size_t request = 0; request < 100 * c.lanes / 8; ++request) {
      for (int shop = 0; shop < 5; ++shop) {
        line.Submit("shop-" + std::to_string(shop), kQuick);
      }
    }
    line.Pass(14'500ms);
    const nanoseconds longest = line.TakeLongestWait("shop-");
    const nanoseconds learning =
        std::max(2 * c.hanging / static_cast<int>(c.lanes), 1) * nanoseconds(kHangs);
    if (period * 15s <= learning + 15s) {
      EXPECT_LE(longest, learning + kServed) << period;
    } else {
      EXPECT_LE(longest, kServed) << period;
      EXPECT_FALSE(line.Waits("shop-")) << period;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Hangs, SharedLanesHangTest,
                         testing::Values(HangCase{8, 1, 40}, HangCase{8, 3, 40}, HangCase{8, 10, 4},
                                         HangCase{8, 10, 40}, HangCase{8, 50, 4},
                                         HangCase{4, 10, 40}, HangCase{3, 10, 4},
                                         HangCase{2, 10, 4}));

}  // namespace
}  // namespace ballast::runtime
