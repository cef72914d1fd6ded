#include "operator/hpa/agreement.h"

#include <gtest/gtest.h>

#include <vector>

namespace ballast::hpa {
namespace {

using enum Agreement::Judgement;

constexpr Duration kPeriod = Duration::Seconds(15);
constexpr Duration kWindow = Duration::Seconds(60);

Time At(int seconds) { return Time(1'700'000'000 + seconds, 0); }

struct Case {
  const char* name;
  struct Evaluation {
    int at;
    int ours;
    int theirs;
  };
  std::vector<Evaluation> evaluations;
  Agreement::Judgement verdict;  // of the last one
};

const Case kCases[] = {
    {"the first one", {{0, 3, 3}}, kTooEarly},
    {"just before the window has passed", {{0, 3, 3}, {59, 3, 5}}, kTooEarly},
    {"the window has passed", {{0, 3, 3}, {60, 3, 3}}, kAgrees},
    {"one is ahead", {{0, 3, 3}, {60, 3, 3}, {75, 5, 3}, {90, 5, 3}, {105, 5, 3}}, kAgrees},
    {"it stays that way", {{0, 3, 3}, {60, 3, 3}, {75, 5, 3}, {106, 5, 3}}, kDiffers},
    {"the other one has followed", {{0, 3, 3}, {75, 5, 3}, {106, 5, 3}, {107, 5, 5}}, kAgrees},
    {"ahead again and again", {{0, 3, 3}, {75, 5, 3}, {90, 5, 5}, {106, 6, 5}}, kAgrees},
    {"the clock was set back", {{1000, 3, 3}, {0, 3, 3}, {59, 3, 3}}, kTooEarly},
};

TEST(Agreement, IsJudgedAfterAWindowAndTwoPeriods) {
  for (const Case& c : kCases) {
    Agreement agreement;
    Agreement::Judgement verdict = kDiffers;
    for (const auto& [at, ours, theirs] : c.evaluations) {
      verdict = agreement.Judge(At(at), ours, theirs, kPeriod, kWindow);
    }
    EXPECT_EQ(verdict, c.verdict) << c.name;
  }
}

TEST(Agreement, StartsAnewAfterAnInterruption) {
  Agreement agreement;
  agreement.Judge(At(0), 3, 5, kPeriod, kWindow);
  EXPECT_EQ(agreement.Judge(At(100), 3, 5, kPeriod, kWindow), kDiffers);
  agreement.StartAnew();
  EXPECT_EQ(agreement.Judge(At(115), 3, 5, kPeriod, kWindow), kTooEarly);
}

}  // namespace
}  // namespace ballast::hpa
