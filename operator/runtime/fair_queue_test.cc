#include "operator/runtime/fair_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace ballast::runtime {
namespace {

using testing::ElementsAre;
using testing::Optional;

template <typename Queue>
std::vector<int> PopAll(Queue& queue) {
  std::vector<int> all;
  while (!queue.empty()) {
    all.push_back(queue.Pop());
  }
  return all;
}

TEST(FairQueue, NamespacesTakeTurns) {
  FairQueue<int> queue;
  for (const int entry : {1, 2, 3}) {
    queue.Push("noisy", entry);
  }
  queue.Push("shop", 10);
  queue.Push("noisy", 4);
  EXPECT_EQ(queue.size(), 5U);
  EXPECT_THAT(PopAll(queue), ElementsAre(1, 10, 2, 3, 4));
  EXPECT_EQ(queue.size(), 0U);
}

TEST(FairQueue, OrdersWhatANamespaceHas) {
  FairQueue<int, std::greater<>> queue;
  for (const int entry : {5, 7, 6}) {
    queue.Push("noisy", entry);
  }
  queue.Push("shop", 1);
  EXPECT_THAT(PopAll(queue), ElementsAre(7, 1, 6, 5));
}

TEST(FairQueue, WhoMayNotKeepsItsTurn) {
  FairQueue<int> queue;
  queue.Push("slow", 1);
  queue.Push("shop", 10);
  queue.Push("shop", 11);
  const auto quick = [](const std::string& namespace_) { return namespace_ != "slow"; };
  EXPECT_THAT(queue.PopIf(quick), Optional(10));
  EXPECT_THAT(queue.PopIf([](const std::string&) { return true; }), Optional(1));
  EXPECT_THAT(queue.PopIf(quick), Optional(11));
  queue.Push("slow", 2);
  EXPECT_EQ(queue.PopIf(quick), std::nullopt);
  EXPECT_EQ(queue.size(), 1U);
}

TEST(FairQueue, NamespacesTakeTurnsWithThoseThatAreFit) {
  FairQueue<int> queue;
  for (const int entry : {1, 2, 3, 4}) {
    queue.Push("noisy", entry);
  }
  queue.Push("shop", 10);
  queue.Push("shop", 11);
  const auto even = [](int entry) { return entry % 2 == 0; };
  EXPECT_THAT(queue.Extract(even), Optional(2));
  EXPECT_THAT(queue.Extract(even), Optional(10));
  EXPECT_THAT(queue.Extract(even), Optional(4));
  EXPECT_EQ(queue.Extract(even), std::nullopt);
  EXPECT_EQ(queue.CountIf([](const std::string& of) { return of == "noisy"; }), 2U);
  EXPECT_THAT(PopAll(queue), ElementsAre(11, 1, 3));
}

}  // namespace
}  // namespace ballast::runtime
