#include "api/base/near_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ballast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NearNames, TheMostAlikeFirst) {
  const std::vector<std::string> names = {"shop/web", "shop/api", "shop/worker", "blog/web",
                                          "shop/web"};
  EXPECT_THAT(NearNames("shop/wbe", names), ElementsAre("shop/web", "blog/web"));
  EXPECT_THAT(NearNames("web", names), ElementsAre("blog/web", "shop/web"));
  EXPECT_THAT(NearNames("api", {"a-long-namespace/web"}), IsEmpty());
  EXPECT_THAT(NearNames("something-else-altogether", names), IsEmpty());
  EXPECT_THAT(NearNames(std::string(1'000'000, 'w'), names), IsEmpty());
}

TEST(NearNames, TwoLettersSwappedAreOneEdit) {
  const std::vector<std::string> commands = {"get",   "why",   "pin",   "hold", "pause",
                                             "floor", "check", "table", "plot"};
  const std::pair<const char*, const char*> cases[] = {
      {"gte", "get"},     {"wyh", "why"},     {"pni", "pin"},
      {"hodl", "hold"},   {"pasue", "pause"}, {"floro", "floor"},
      {"chekc", "check"}, {"tabel", "table"}, {"polt", "plot"}};
  for (const auto& [given, meant] : cases) {
    EXPECT_THAT(NearNames(given, commands), ElementsAre(meant));
  }
  EXPECT_THAT(NearNames("shop/bd", {"shop/db", "shop/web"}), ElementsAre("shop/db"));
}

TEST(NearNames, WhateverTheCase) {
  EXPECT_THAT(NearNames("MAXREPLICA", {"minReplicas", "maxReplicas"}),
              ElementsAre("maxReplicas", "minReplicas"));
  // One that is the same otherwise is meant.
  EXPECT_THAT(NearNames("maxreplicas", {"minReplicas", "maxReplicas"}), ElementsAre("maxReplicas"));
}

TEST(DidYouMean, NamesThemAll) {
  EXPECT_EQ(DidYouMean("histroy", {"why", "history"}), "; did you mean history?");
  EXPECT_EQ(DidYouMean("web", {"shop/web", "blog/web"}), "; did you mean blog/web or shop/web?");
  EXPECT_EQ(DidYouMean("histroy", {"why"}), "");
}

}  // namespace
}  // namespace ballast
