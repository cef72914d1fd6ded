#include "operator/kube/headers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ballast::kube {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(ParseRetryAfter, ReadsSeconds) {
  EXPECT_EQ(ParseRetryAfter("7"), 7s);
  for (const char* long_ : {"121", "99999999999", "99999999999999999999999"}) {
    EXPECT_EQ(ParseRetryAfter(long_), kLongestRetryAfter) << long_;
  }
  for (const char* none : {"", "soon", "-1", "1.5", "Wed, 21 Oct 2015 07:28:00 GMT"}) {
    EXPECT_EQ(ParseRetryAfter(none), std::nullopt) << none;
  }
}

TEST(ParseWarnings, TakesTheTextsOut) {
  EXPECT_THAT(ParseWarnings(R"(299 - "v1 is deprecated")"), ElementsAre("v1 is deprecated"));
  EXPECT_THAT(ParseWarnings(R"(299 - "a, \"b\"", 299 - "c\\")"), ElementsAre("a, \"b\"", "c\\"));
  for (const char* none : {"", "299 - x", R"(299 - "cut off)", R"("\)"}) {
    EXPECT_THAT(ParseWarnings(none), IsEmpty()) << none;
  }
}

}  // namespace
}  // namespace ballast::kube
