#include "operator/sources/source.h"

#include <gtest/gtest.h>

namespace ballast::sources {
namespace {

using namespace std::chrono_literals;

// An answer to another's request serves while it is younger.
TEST(Query, TakesAnswersOfATenthOfItsPeriodAndAtMostOneSecond) {
  const struct {
    std::int64_t period_seconds;
    std::chrono::nanoseconds max_age;
  } kCases[] = {{1, 100ms}, {5, 500ms}, {9, 900ms}, {10, 1s}, {15, 1s}, {3600, 1s}};
  const api::MetricSpec metric;
  const std::string text;
  for (const auto& c : kCases) {
    const Query query{.metric = metric,
                      .namespace_ = text,
                      .selector = text,
                      .period = Duration::Seconds(c.period_seconds)};
    EXPECT_EQ(query.freshness().max_age, c.max_age) << c.period_seconds;
  }
}

}  // namespace
}  // namespace ballast::sources
