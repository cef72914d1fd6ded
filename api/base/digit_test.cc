#include "api/base/digit.h"

#include <gtest/gtest.h>

#include <string>

namespace ballast {
namespace {

TEST(Digit, IsOneOfTen) {
  std::string digits;
  for (int byte = 0; byte < 256; ++byte) {
    if (IsDigit(static_cast<char>(byte))) {
      digits += static_cast<char>(byte);
    }
  }
  EXPECT_EQ(digits, "0123456789");
}

TEST(Digit, IsAllThatANumberHas) {
  EXPECT_TRUE(IsAllDigits("0"));
  EXPECT_TRUE(IsAllDigits("0123456789"));
  for (const char* other : {"", "-1", "+1", "1.0", "1e3", " 1", "1 ", "\xd9\xa1"}) {
    EXPECT_FALSE(IsAllDigits(other)) << other;
  }
}

}  // namespace
}  // namespace ballast
