#include "operator/cli/terminal/columns.h"

#include <gtest/gtest.h>

#include <string>

#include "operator/cli/terminal/table.h"

namespace ballast::cli {
namespace {

TEST(Columns, CountsAsATerminalDoes) {
  const struct {
    const char* name;
    const char* text;
    std::size_t width;
  } kCases[] = {
      {"nothing", "", 0},
      {"ASCII", "web", 3},
      {"two bytes", "größe", 5},
      {"three bytes", "▁▂█", 3},
      {"wide", "队列", 4},
      {"in colour", "\x1b[31mno\x1b[0m", 2},
      {"colours", "\x1b[1;31mno\x1b[m", 2},
      {"malformed", "a\xFFz", 3},
      {"cut off", "a\xE2\x96", 3},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(WidthOf(c.text), c.width) << c.name;
  }
}

TEST(Columns, FitsBetweenCharacters) {
  const struct {
    const char* text;
    std::size_t width;
    const char* fitted;
  } kCases[] = {
      {"web", 3, "web"},
      {"website", 6, "web..."},
      {"队列长度", 8, "队列长度"},
      {"größer", 5, "gr..."},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(FitTo(c.text, c.width), c.fitted) << c.text << " " << c.width;
  }
}

TEST(Columns, FitsDotsAlone) {
  EXPECT_EQ(FitTo("website", 3), "...");
  EXPECT_EQ(FitTo("website", 2), "..");
  EXPECT_EQ(FitTo("website", 0), "");
}

TEST(Align, CountsColumnsNotBytes) {
  EXPECT_EQ(Align({{"METRIC", "VALUE"}, {"größe", "8"}}),
            "METRIC  VALUE\n"
            "größe   8\n");
}

TEST(Table, DoesNotMoveRowsThatArePrinted) {
  Table table;
  EXPECT_EQ(table.Add({{"A", "B"}, {"1", "2"}}), "A  B\n1  2\n");
  EXPECT_EQ(table.Add({{"long", "3"}}), "long  3\n");
  EXPECT_EQ(table.Add({{"4", "5"}}), "4     5\n");
}

}  // namespace
}  // namespace ballast::cli
