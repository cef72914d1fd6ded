#include "operator/sources/request_history.h"

#include <gtest/gtest.h>

namespace ballast::sources {
namespace {

using namespace std::chrono_literals;
using process::SteadyTime;

constexpr SteadyTime kBegan{1h};

TEST(RequestHistory, ExpectsWhatWasAskedForAPeriodAgo) {
  RequestHistory history;
  history.Note("shop", "app=a", 5, 15s, kBegan);
  history.Note("shop", "app=b", 3, 15s, kBegan + 400ms);
  history.Note("shop", "app=c", 9, 15s, kBegan - 8s);
  history.Note("other", "app=a", 2, 10s, kBegan);
  const struct {
    const char* name;
    std::chrono::nanoseconds after;
    std::size_t queries;
    std::size_t pods;
  } kCases[] = {
      {"just asked for", 500ms, 2, 8},
      {"between", 3s, 0, 0},
      {"soon, one of them", 14'300ms, 1, 5},
      {"soon, both", 14'500ms, 2, 8},
      {"now", 15s, 2, 8},
      {"overdue, one of them", 16'100ms, 1, 3},
      {"the third", 22s, 1, 9},
      {"after two periods", 30s, 2, 8},
  };
  for (const auto& c : kCases) {
    const RequestHistory::Sum sum = history.Around("shop", kBegan + c.after, 1s);
    EXPECT_EQ(sum.queries, c.queries) << c.name;
    EXPECT_EQ(sum.pods, c.pods) << c.name;
  }
  EXPECT_EQ(history.Around(kBegan + 30s, 1s).size(), 2U);
  EXPECT_EQ(history.Around(kBegan + 15s, 1s).size(), 1U)
      << "the other namespace has another period";
}

TEST(RequestHistory, CountsASelectorOnce) {
  RequestHistory history;
  history.Note("shop", "app=a", 5, 15s, kBegan);
  history.Note("shop", "app=a", 6, 15s, kBegan + 10ms);
  EXPECT_EQ(history.Around("shop", kBegan + 1s, 1s).queries, 1U);
  EXPECT_EQ(history.Around("shop", kBegan + 1s, 1s).pods, 6U);
}

TEST(RequestHistory, ForgetsWhatIsNotAskedForAnyMore) {
  RequestHistory history;
  history.Note("shop", "app=a", 5, 15s, kBegan);
  history.DropOld(kBegan + 45s);
  EXPECT_EQ(history.Around("shop", kBegan + 45s, 1s).queries, 1U);
  history.DropOld(kBegan + 46s);
  EXPECT_EQ(history.Around("shop", kBegan + 45s, 1s).queries, 0U);
}

}  // namespace
}  // namespace ballast::sources
