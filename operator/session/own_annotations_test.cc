#include "operator/session/own_annotations.h"

#include <gtest/gtest.h>

namespace ballast::session {
namespace {

TEST(SameOwnAnnotations, LooksAtThosePrefixedBallastDevOnly) {
  api::ObjectMeta before;
  before.annotations = {{"ballast.dev/paused-until", "x"}, {"ballast.device", "y"}, {"a", "b"}};
  api::ObjectMeta after = before;
  after.annotations["a"] = "c";
  after.annotations["ballast.device"] = "z";
  after.annotations["ballast.deu"] = "new";
  EXPECT_TRUE(SameOwnAnnotations(before, after));
  after.annotations["ballast.dev/paused-until"] = "z";
  EXPECT_FALSE(SameOwnAnnotations(before, after));
  after.annotations.erase("ballast.dev/paused-until");
  EXPECT_FALSE(SameOwnAnnotations(before, after));
  EXPECT_TRUE(SameOwnAnnotations({}, {}));
}

TEST(OwnAnnotations, AreThosePrefixedBallastDev) {
  api::ObjectMeta metadata;
  metadata.annotations = {{"ballast.dev/paused-until", "x"}, {"ballast.device", "y"}, {"a", "b"}};
  EXPECT_EQ(OwnAnnotations(metadata),
            (std::map<std::string, std::string>{{"ballast.dev/paused-until", "x"}}));
}

}  // namespace
}  // namespace ballast::session
