#include "api/base/lower.h"

#include <gtest/gtest.h>

namespace ballast {
namespace {

TEST(Lower, ChangesAsciiLettersAlone) {
  EXPECT_EQ(Lower("Content-LENGTH az@[`{ 09"), "content-length az@[`{ 09");
  EXPECT_EQ(Lower("\xc3\x84"), "\xc3\x84");
}

}  // namespace
}  // namespace ballast
