#include "operator/engine/metric/by_pod.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ballast::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using Numbers = ByPod<int>;

std::vector<Numbers::Entry> List(const Numbers& numbers) {
  return {numbers.begin(), numbers.end()};
}

TEST(ByPod, IsInTheOrderOfNamesAndTheLastOfEqualNamesCounts) {
  EXPECT_THAT(List(Numbers({{"b", 1}, {"a", 2}, {"b", 3}, {"c", 4}, {"a", 5}, {"b", 6}})),
              ElementsAre(Pair("a", 5), Pair("b", 6), Pair("c", 4)));
  EXPECT_THAT(List(Numbers({{"a", 1}, {"a", 2}})), ElementsAre(Pair("a", 2)));
  EXPECT_TRUE(Numbers().empty());
}

TEST(ByPod, FindsWhatIsThere) {
  const Numbers numbers({{"b", 1}, {"d", 2}});
  ASSERT_NE(numbers.Find("b"), nullptr);
  EXPECT_EQ(*numbers.Find("d"), 2);
  for (const char* name : {"", "a", "c", "e"}) {
    EXPECT_EQ(numbers.Find(name), nullptr) << name;
  }
}

TEST(ByPod, PutsIntoThePlaceOfWhatIsThere) {
  Numbers numbers({{"a", 1}, {"c", 2}});
  numbers.Put({{"d", 3}, {"a", 4}, {"b", 5}});
  EXPECT_THAT(List(numbers), ElementsAre(Pair("a", 4), Pair("b", 5), Pair("c", 2), Pair("d", 3)));
}

TEST(ByPod, RemovesWhatIsNamed) {
  Numbers numbers({{"a", 1}, {"b", 2}, {"c", 3}});
  numbers.Remove({"a", "c", "d"});
  EXPECT_THAT(List(numbers), ElementsAre(Pair("b", 2)));
}

TEST(ByPod, JoinsWhatIsInBoth) {
  std::string text;
  ForEachInBoth(Numbers({{"a", 1}, {"c", 2}, {"d", 3}}), Numbers({{"b", 4}, {"c", 5}, {"d", 6}}),
                [&](int x, int y) { text += std::to_string(x) + std::to_string(y) + " "; });
  EXPECT_EQ(text, "25 36 ");
}

}  // namespace
}  // namespace ballast::engine
