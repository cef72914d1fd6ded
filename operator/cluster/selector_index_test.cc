#include "operator/cluster/selector_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace ballast::cluster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SelectorIndex, FindsWhatMayMatch) {
  SelectorIndex index;
  for (const auto& [name, selector] : {
           std::pair{"both", "app=web,tier=front"},
           {"other-tier", "app=web,tier=back"},
           {"other-app", "app=other,tier=front"},
           {"one-of", "app in (other,web),tier in (back,front)"},
           {"none-of", "app in (a,b),tier=front"},
           {"presence", "tier"},
           {"absence", "!gone,app=web"},
           {"not-in", "app notin (web)"},  // a candidate only: the caller checks it
           {"nothing", ""},
           {"unreadable", "app in ("},
       }) {
    index.Put({"shop", name}, selector);
  }
  index.Put({"other", "elsewhere"}, "app=web");
  EXPECT_THAT(index.Find("shop", {"app=web", "tier=front"}),
              ElementsAre("absence", "both", "not-in", "one-of", "presence"));
  EXPECT_THAT(index.Find("other", {"app=web"}), ElementsAre("elsewhere"));
  EXPECT_THAT(index.Find("nowhere", {"app=web"}), IsEmpty());
}

TEST(SelectorIndex, FollowsChanges) {
  SelectorIndex index;
  index.Put({"shop", "a"}, "app=web,tier=front");
  index.Put({"shop", "b"}, "app=web");
  index.Put({"shop", "a"}, "app=other");
  EXPECT_THAT(index.Find("shop", {"app=web", "tier=front"}), ElementsAre("b"));
  EXPECT_THAT(index.Find("shop", {"app=other"}), ElementsAre("a"));
  index.Put({"shop", "a"}, "tier");
  EXPECT_THAT(index.Find("shop", {"app=other"}), ElementsAre("a"));
  index.Remove({"shop", "a"});
  index.Remove({"shop", "a"});
  index.Put({"shop", "b"}, "");
  EXPECT_THAT(index.Find("shop", {"app=web", "tier=front", "app=other"}), IsEmpty());
}

}  // namespace
}  // namespace ballast::cluster
