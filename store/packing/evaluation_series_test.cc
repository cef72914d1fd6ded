#include "store/packing/evaluation_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "store/packing/compress.h"
#include "store/testing/test_store.h"

namespace ballast::store {
namespace {

using testing::At;
using testing::EvaluationOf;

SeriesPoint Measured(double seconds, std::int64_t percent, const std::string& reason = "A") {
  EvaluationRecord evaluation = EvaluationOf("web", seconds, 5, 5, reason);
  evaluation.readings = {{"Resource/cpu", "Utilization", percent * 1000, At(seconds - 3)},
                         {"Pods/queue", "AverageValue", std::nullopt, std::nullopt}};
  return PointOf(evaluation);
}

TEST(EvaluationSeries, GivesBackWhatWasAdded) {
  EvaluationSeries series(Measured(0, 60));
  EXPECT_TRUE(series.Add(Measured(15.004, 75, "B")));
  SeriesPoint odd = Measured(15.004, -3);  // at the same time, and with an impossible value
  odd.current_replicas = 7;
  odd.desired_replicas = 2;
  odd.readings[1].milli = 123456789012;
  odd.readings[1].sampled = At(-100);
  EXPECT_TRUE(series.Add(odd));
  EXPECT_EQ(series.begin(), At(0));
  EXPECT_EQ(series.end(), At(15.004));

  const auto points = Unpack(series.Pack());
  ASSERT_TRUE(points.ok()) << points.error().message;
  ASSERT_EQ(points->size(), 3u);
  EXPECT_EQ((*points)[0].time, At(0));
  EXPECT_EQ((*points)[0].reason, "A");
  EXPECT_EQ((*points)[0].readings[0].metric, "Resource/cpu");
  EXPECT_EQ((*points)[0].readings[0].milli, 60'000);
  EXPECT_EQ((*points)[0].readings[0].sampled, At(-3));
  EXPECT_FALSE((*points)[0].readings[1].milli);
  EXPECT_FALSE((*points)[0].readings[1].sampled);
  EXPECT_EQ((*points)[1].time, At(15.004));
  EXPECT_EQ((*points)[1].reason, "B");
  EXPECT_EQ((*points)[1].readings[0].milli, 75'000);
  EXPECT_EQ((*points)[2].reason, "A");
  EXPECT_EQ((*points)[2].current_replicas, 7);
  EXPECT_EQ((*points)[2].desired_replicas, 2);
  EXPECT_EQ((*points)[2].readings[0].milli, -3'000);
  EXPECT_EQ((*points)[2].readings[1].milli, 123456789012);
  EXPECT_EQ((*points)[2].readings[1].sampled, At(-100));
}

TEST(EvaluationSeries, EndsWhenItIsFullWhenMetricsChangeAndWhenTimeGoesBack) {
  EvaluationSeries series(Measured(0, 60));
  SeriesPoint other = Measured(15, 60);
  other.readings.pop_back();
  EXPECT_FALSE(series.Add(other));
  EXPECT_FALSE(series.Add(Measured(-1, 60)));
  int added = 1;
  while (series.Add(Measured(added * 15, 60))) {
    ++added;
  }
  EXPECT_EQ(added, 240);
  EXPECT_EQ(series.evaluations(), added);
  EXPECT_EQ(Unpack(series.Pack())->size(), 240u);

  EvaluationSeries rare(Measured(0, 60));
  EXPECT_TRUE(rare.Add(Measured(2 * 3'600, 60)));
  EXPECT_FALSE(rare.Add(Measured(2 * 3'600 + 1, 60)));
}

// Numbers that stay, change, are absent for a while, in any order.
TEST(EvaluationSeries, GivesBackWhatStaysChangesAndIsAbsent) {
  std::mt19937 random{1};
  const auto below = [&](unsigned limit) { return static_cast<int>(random() % limit); };
  for (int round = 0; round < 200; ++round) {
    std::vector<SeriesPoint> added;
    SeriesPoint point = Measured(0, 60);
    std::optional<EvaluationSeries> series;
    for (int i = 0; i < 60; ++i) {
      point.time = At(i * 15 + below(2) * below(8) / 8.0);
      point.current_replicas = below(4) == 0 ? below(500) : point.current_replicas;
      point.desired_replicas = below(4) == 0 ? below(500) : point.desired_replicas;
      point.reason =
          below(5) == 0 ? std::string(1, static_cast<char>('A' + below(3))) : point.reason;
      if (below(3) == 0) {
        point.readings[0].milli = below(2) == 0 ? std::nullopt : std::optional(below(300) * 1'000);
        point.readings[0].sampled = below(2) == 0 ? std::nullopt : std::optional(At(below(900)));
      }
      if (series) {
        ASSERT_TRUE(series->Add(point));
      } else {
        series.emplace(point);
      }
      added.push_back(point);
    }
    EXPECT_EQ(Unpack(series->Pack()).value(), added) << round;
  }
}

// The size for a busy autoscaler: a few percent of noise, and evaluations never exactly on time.
TEST(EvaluationSeries, TakesAFewBytesForEachEvaluation) {
  EvaluationSeries series(Measured(0, 60));
  for (int i = 1; i < 240; ++i) {
    ASSERT_TRUE(series.Add(Measured(i * 15 + i * 37 % 10 / 1000.0, 60 + i * 7919 % 23)));
  }
  EXPECT_LT(Compress(series.Pack())->size(), 240 * 4);
}

TEST(EvaluationSeries, DamageIsFoundNotFollowed) {
  EvaluationSeries series(Measured(0, 60));
  series.Add(Measured(15, 61, "B"));
  const std::string text = series.Pack();
  for (std::size_t i = 0; i < text.size(); ++i) {
    EXPECT_FALSE(Unpack(text.substr(0, i)).ok()) << i;
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 0x80);
    (void)Unpack(changed);  // must return, with any result
  }
  EXPECT_EQ(Unpack("no series").error().code, Code::kCorrupt);
}

}  // namespace
}  // namespace ballast::store
