#include "api/base/stable_hash.h"

#include <gtest/gtest.h>

namespace ballast {
namespace {

// The test vectors of FNV's authors.
TEST(StableHash, IsTheOneOnDisks) {
  EXPECT_EQ(StableHash(""), 0xcbf29ce484222325U);
  EXPECT_EQ(StableHash("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(StableHash("foobar"), 0x85944171f73967e8U);
}

}  // namespace
}  // namespace ballast
