#include "api/base/shared.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace ballast {
namespace {

using Names = std::vector<std::string>;

TEST(Shared, IsEmptyAtFirst) {
  const Shared<Names> names;
  EXPECT_TRUE(names.empty());
  EXPECT_TRUE(names->empty());
  EXPECT_EQ(names.begin(), names.end());
  EXPECT_EQ(names, Shared<Names>(Names()));
}

TEST(Shared, CopiesHaveTheSameValueAtTheSamePlace) {
  Shared<Names> names = {"web", "db"};
  const Shared<Names> copy = names;
  EXPECT_EQ(&*copy, &*names);
  names = {"web"};
  EXPECT_EQ(*names, Names({"web"}));
  EXPECT_EQ(*copy, Names({"web", "db"}));
}

TEST(Shared, ComparesByValue) {
  const Shared<Names> names = {"web", "db"};
  EXPECT_EQ(names, (Shared<Names>{"web", "db"}));
  EXPECT_NE(names, (Shared<Names>{"web"}));
  EXPECT_NE(names, Shared<Names>());
}

TEST(Shared, StandsForItsValue) {
  const auto first = [](const Names& names) { return names.front(); };
  EXPECT_EQ(first(Shared<Names>{"web", "db"}), "web");
}

}  // namespace
}  // namespace ballast
