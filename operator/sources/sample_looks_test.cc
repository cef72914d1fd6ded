#include "operator/sources/sample_looks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "tests/support/fake_clock.h"

namespace ballast::sources {
namespace {

using namespace std::chrono_literals;

class SampleLooksTest : public testing::Test {
 protected:
  // An answer with samples that are taken every 15 s.
  Result<std::shared_ptr<const NamespaceMetrics>> Answer(const LookTarget& target) {
    asked_.push_back(target.namespace_ + "/" + target.selector);
    if (fails_) {
      return Error{Code::kUnavailable, "down"};
    }
    const std::int64_t second = clock_.Now().unix_nanoseconds() / 1'000'000'000;
    auto metrics = std::make_shared<NamespaceMetrics>();
    for (const std::string& pod : pods_) {
      api::PodMetrics sample;
      sample.name = pod;
      sample.timestamp = Time::FromUnixNanoseconds((second - second % 15) * 1'000'000'000);
      metrics->Add(std::move(sample));
    }
    return std::shared_ptr<const NamespaceMetrics>(metrics);
  }
  void RunFor(std::chrono::nanoseconds span, bool asks = true) {
    const auto until = clock_.Steady() + span;
    while (clock_.Steady() < until) {
      if (asks) {
        looks_.Note("shop", "app=web", 15s);
      }
      const auto next = looks_.Look();
      clock_.Advance(std::clamp<std::chrono::nanoseconds>(next - clock_.Steady(), 1ms,
                                                          until - clock_.Steady()));
    }
  }

  support::FakeClock clock_;
  bool fails_ = false;
  std::vector<std::string> pods_ = {"web-0", "web-1"};
  std::vector<std::string> asked_;
  SampleLooks looks_{clock_, [this](const LookTarget& target) { return Answer(target); }};
};

TEST_F(SampleLooksTest, FindTheRhythmOfWhatIsAskedFor) {
  RunFor(3min);
  const auto rhythm = looks_.rhythm();
  ASSERT_TRUE(rhythm);
  EXPECT_EQ(rhythm->interval, 15s);
  EXPECT_EQ(std::ranges::count(asked_, "shop/app=web"), asked_.size());
}

TEST_F(SampleLooksTest, NobodyLooksWhileNobodyAsks) {
  RunFor(5min, false);
  EXPECT_EQ(asked_.size(), 0U);
  looks_.Note("shop", "app=web", 300s);
  RunFor(30s, false);
  EXPECT_EQ(asked_.size(), 0U) << "it is asked for so seldom that no rhythm matters";
  RunFor(3min);
  const std::size_t before = asked_.size();
  EXPECT_GT(before, 0U);
  RunFor(2min, false);
  RunFor(1s, false);
  const std::size_t after = asked_.size();
  RunFor(10min, false);
  EXPECT_EQ(asked_.size(), after);
}

TEST_F(SampleLooksTest, ATargetWithoutSamplesIsLeftForAnother) {
  looks_.Note("shop", "app=empty", 15s);
  looks_.Note("shop", "app=web", 15s);
  pods_.clear();
  (void)looks_.Look();
  pods_ = {"web-0"};
  RunFor(3min);
  EXPECT_EQ(asked_.front(), "shop/app=empty");
  EXPECT_EQ(asked_.back(), "shop/app=web");
  EXPECT_TRUE(looks_.rhythm());
}

TEST_F(SampleLooksTest, AnOutageIsNoRhythm) {
  RunFor(3min);
  ASSERT_TRUE(looks_.rhythm());
  fails_ = true;
  RunFor(3min);
  EXPECT_FALSE(looks_.rhythm());
  fails_ = false;
  RunFor(15min);
  EXPECT_TRUE(looks_.rhythm());
}

TEST_F(SampleLooksTest, NewPodsAreNoNewSamples) {
  RunFor(3min);
  const auto rhythm = looks_.rhythm();
  ASSERT_TRUE(rhythm);
  for (int i = 0; i < 100; ++i) {
    pods_.push_back("web-" + std::to_string(i + 2));
    RunFor(7s);
    ASSERT_TRUE(looks_.rhythm()) << i;
    EXPECT_EQ(looks_.rhythm()->interval, 15s);
  }
}

}  // namespace
}  // namespace ballast::sources
