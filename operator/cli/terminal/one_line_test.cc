#include "operator/cli/terminal/one_line.h"

#include <gtest/gtest.h>

#include <string>

namespace ballast::cli {
namespace {

TEST(OneLine, HasNothingThatTerminalsObey) {
  EXPECT_EQ(OneLine("a\nb\tc\x1b]0;x\x07"
                    "d\u202Ee"),
            "a b c\uFFFD]0;x\uFFFDd\uFFFDe");
  EXPECT_EQ(OneLine(std::string(5'000, 'x')), std::string(5'000, 'x'));
  EXPECT_EQ(PrintableLines("a\r\n\n\x1b[8mb"), "a \n\n\uFFFD[8mb");
  EXPECT_EQ(PrintableLines("a\n"), "a\n");
}

}  // namespace
}  // namespace ballast::cli
