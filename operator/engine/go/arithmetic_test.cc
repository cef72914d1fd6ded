#include "operator/engine/go/arithmetic.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ballast::engine::go {
namespace {

constexpr std::int64_t kMin64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int32_t kMin32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMax32 = std::numeric_limits<std::int32_t>::max();

TEST(GoNumbers, IntegersWrapAround) {
  EXPECT_EQ(Add(kMax64, std::int64_t{1}), kMin64);
  EXPECT_EQ(Multiply(kMax64, 100), -100);
  EXPECT_EQ(Divide(kMin64, -1), kMin64);
  EXPECT_EQ(Divide(-7, 2), -3);
  EXPECT_EQ(Add(kMax32, 1), kMin32);
  EXPECT_EQ(Subtract(kMin32, 1), kMax32);
}

TEST(GoNumbers, FloatsThatDoNotFitBecomeTheMinimum) {
  const struct {
    double value;
    std::int32_t as32;
    std::int64_t as64;
  } kCases[] = {
      {-1.9, -1, -1},
      {2147483647.9, kMax32, 2147483647},
      {2147483648.0, kMin32, 2147483648},
      {-2147483648.9, kMin32, -2147483648},
      {9223372036854774784.0, kMin32, 9223372036854774784},
      {9223372036854775808.0, kMin32, kMin64},
      {-9223372036854775808.0, kMin32, kMin64},
      {std::nan(""), kMin32, kMin64},
      {HUGE_VAL, kMin32, kMin64},
      {-HUGE_VAL, kMin32, kMin64},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(ToInt32(c.value), c.as32) << c.value;
    EXPECT_EQ(ToInt64(c.value), c.as64) << c.value;
  }
}

}  // namespace
}  // namespace ballast::engine::go
