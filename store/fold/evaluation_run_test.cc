#include "store/fold/evaluation_run.h"

#include <gtest/gtest.h>

#include <string>

#include "store/testing/test_store.h"

namespace ballast::store {
namespace {

using testing::At;
using testing::EvaluationOf;

TEST(EvaluationRun, EndsWithWhatItCameToNotWithItsReasonOnceThoseAlternate) {
  RunBudget budget;
  const char* reasons[] = {"A", "B"};
  int spans = 1;
  int brought = 0;
  EvaluationRun span(1, EvaluationOf("web", 0, 5, 5, "A"), MadeBy::kEvaluated);
  for (int i = 1; i < 240; ++i) {  // an hour
    const EvaluationRecord next = EvaluationOf("web", i * 15, 5, 5, reasons[i % 2]);
    if (span.Continues(next, MadeBy::kEvaluated, budget)) {
      brought += span.BringsReason(next) ? 1 : 0;
      span.Add(next);
    } else {
      budget.Take(next.time);
      span = EvaluationRun(++spans, next, MadeBy::kEvaluated);
    }
  }
  EXPECT_EQ(spans, 11);  // ten at once; the next one comes only after six hours
  EXPECT_EQ(span.evaluations(), 240 - 10);
  EXPECT_EQ(span.others(), (240 - 10) / 2);
  EXPECT_EQ(brought, 1);  // in the last run
  EXPECT_FALSE(span.Continues(EvaluationOf("web", 3600, 5, 6, "A"), MadeBy::kEvaluated, budget));
}

// Else `why` would tell the first cause of them all.
TEST(EvaluationRun, ARefusalForAnotherCauseBeginsAnotherOne) {
  RunBudget budget;
  const auto refusal = [](int seconds, const char* cause, const std::string& error = "") {
    EvaluationRecord refused = EvaluationOf("web", seconds, 5, 5, "OutOfDate");
    refused.cause = cause;
    refused.message = cause + error;
    return refused;
  };
  const EvaluationRun run(1, refusal(0, "no news"), MadeBy::kRefused);
  EXPECT_TRUE(
      run.Continues(refusal(15, "no news", ": no answer within 3 s"), MadeBy::kRefused, budget));
  const EvaluationRecord other = refusal(15, "it cannot be read");
  EXPECT_FALSE(run.Continues(other, MadeBy::kRefused, budget));
  for (int i = 0; i < 10; ++i) {
    budget.Take(other.time);
  }
  EXPECT_TRUE(run.Continues(other, MadeBy::kRefused, budget)) << "they alternate";
  const EvaluationRun evaluated(1, refusal(0, "", "2 pods"), MadeBy::kEvaluated);
  EXPECT_TRUE(evaluated.Continues(refusal(15, "", "3 pods"), MadeBy::kEvaluated, budget));
}

TEST(EvaluationRun, KeepsTheExtremesOfEachMetric) {
  EvaluationRecord evaluation = EvaluationOf("web", 0, 5, 5);
  evaluation.readings = {{"Resource/cpu", "Utilization", 60'000, {}},
                         {"Pods/queue", "AverageValue", {}, {}}};
  EvaluationRun span(1, evaluation, MadeBy::kEvaluated);
  for (const std::int64_t milli : {55'000, 71'000, 65'000}) {
    evaluation.readings[0].milli = milli;
    span.Add(evaluation);
  }
  EXPECT_EQ(span.ranges()[0].low, 55'000);
  EXPECT_EQ(span.ranges()[0].high, 71'000);
  EXPECT_FALSE(span.ranges()[1].any);
}

TEST(EvaluationRun, AnotherSpecOrOtherMetricsBeginAnotherOne) {
  RunBudget budget;
  EvaluationRecord evaluation = EvaluationOf("web", 0, 5, 5);
  evaluation.generation = 1;
  const EvaluationRun span(1, evaluation, MadeBy::kEvaluated);
  evaluation.time = At(15);
  EXPECT_TRUE(span.Continues(evaluation, MadeBy::kEvaluated, budget));
  evaluation.generation = 2;
  EXPECT_FALSE(span.Continues(evaluation, MadeBy::kEvaluated, budget));
  evaluation.generation = 1;
  evaluation.readings = {{"Resource/cpu", "Utilization", 60'000, {}}};
  EXPECT_FALSE(span.Continues(evaluation, MadeBy::kEvaluated, budget));
  EXPECT_FALSE(
      span.Continues(EvaluationOf("web", 31, 5, 5), MadeBy::kEvaluated, budget));  // after a pause
  evaluation.readings.clear();
  EXPECT_TRUE(span.Continues(evaluation, MadeBy::kEvaluated, budget));
  EXPECT_FALSE(span.Continues(evaluation, MadeBy::kObserved, budget))
      << "another controller decided";
  evaluation.clock_jumped = true;
  EXPECT_FALSE(span.Continues(evaluation, MadeBy::kEvaluated, budget));
}

}  // namespace
}  // namespace ballast::store
