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
