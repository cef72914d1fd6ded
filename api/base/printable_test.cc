#include "api/base/printable.h"

#include <gtest/gtest.h>

#include "api/base/utf8.h"

namespace ballast {
namespace {

using std::string_literals::operator""s;

TEST(Printable, LeavesWhatCanBeShownAndReplacesTheRest) {
  const struct {
    std::string text;
    std::string shown;
  } cases[] = {
      {"", ""},
      {"no pods \"web\" of größe 日本 🚀", "no pods \"web\" of größe 日本 🚀"},
      {"two\nlines\tand\r\nmore", "two lines and  more"},
      {"a\0b\x1b[31mred\x7f"s, "a\uFFFDb\uFFFD[31mred\uFFFD"},
      {"\xff\xfe garbage \xc3", "\uFFFD\uFFFD garbage \uFFFD"},
      {"\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
      {"c1 \u009b31m", "c1 \uFFFD31m"},
      {"txt.\u202Eexe", "txt.\uFFFDexe"},
      {"a\u061Cb", "a\uFFFDb"},
      {"line\u2028separator", "line separator"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Printable(c.text), c.shown);
  }
}

TEST(Printable, CutsBetweenCharacters) {
  EXPECT_EQ(Printable("exactly", 7), "exactly");
  EXPECT_EQ(Printable("too long", 7), "too ...");
  EXPECT_EQ(Printable("größe", 6), "gr...");
  EXPECT_EQ(Printable("größe", 7), "größe");
  EXPECT_EQ(Printable("日本日本", 9), "日本...");
  EXPECT_EQ(Printable("日本日本", 8), "日...");
  for (std::size_t max = 3; max < 40; ++max) {
    const std::string shown = Printable("\xff größe 日本 🚀\n and what comes after that", max);
    EXPECT_LE(shown.size(), max);
    EXPECT_EQ(FindInvalidUtf8(shown), shown.size());
  }
  EXPECT_LE(Printable(std::string(1'000'000, '\xff')).size(), kMaxForeignText);
}

TEST(EscapeUnprintable, LeavesTheMeaningOfJson) {
  for (const auto& [json, escaped] : std::vector<std::pair<std::string, std::string>>{
           {"", ""},
           {R"({"a":"plain, and of more than eight bytes"})",
            R"({"a":"plain, and of more than eight bytes"})"},
           {"\"\x7F\"", R"("\u007f")"},
           {"\"seven b\x7F\"", R"("seven b\u007f")"},
           {"\"\u009B2J\u0085\"", R"("\u009b2J\u0085")"},
           {"\"\u202E\u2028\uFEFF\u061C\"", R"("\u202e\u2028\ufeff\u061c")"},
           {"\"ä € 😀 \u00A0\"", "\"ä € 😀 \u00A0\""},
           {"\"cut \xC2", "\"cut \xC2"}}) {
    EXPECT_EQ(EscapeUnprintable(json), escaped);
  }
}

}  // namespace
}  // namespace ballast
