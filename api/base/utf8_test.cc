#include "api/base/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace ballast {
namespace {

TEST(Utf8, FindsTheFirstByteThatDoesNotBelong) {
  const struct {
    const char* name;
    std::string bad;
  } kCases[] = {
      {"a continuation alone", "\x80"},
      {"an overlong slash", "\xC0\xAF"},
      {"overlong in three", "\xE0\x9F\xBF"},
      {"a surrogate", "\xED\xA0\x80"},
      {"overlong in four", "\xF0\x8F\xBF\xBF"},
      {"beyond U+10FFFF", "\xF4\x90\x80\x80"},
      {"no lead byte", "\xFF"},
      {"cut short", "\xE2\x82"},
      {"no continuation", "\xC3("},
  };
  for (const auto& c : kCases) {
    for (const std::size_t before : {0, 1, 7, 8, 9, 30}) {
      const std::string start(before, 'a');
      EXPECT_EQ(FindInvalidUtf8(start + c.bad), before) << c.name;
      EXPECT_EQ(FindInvalidUtf8(start + c.bad + "more text"), before) << c.name;
    }
  }
}

TEST(Utf8, AcceptsTheEndsOfEveryRange) {
  for (const std::string good : {"", "a", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80",
                                 "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF", "\xF0\x90\x80\x80",
                                 "\xF4\x8F\xBF\xBF", "eight ch\xC3\xA4racters and more"}) {
    EXPECT_EQ(FindInvalidUtf8(good), good.size()) << good;
  }
}

TEST(Utf8, ReplacesEachMalformedByte) {
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},
      {"a\xC3\xA4", "a\xC3\xA4"},
      {"\xFF", "\xEF\xBF\xBD"},
      {"a\xE2\x82", "a\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"\xC3(\x80)", "\xEF\xBF\xBD(\xEF\xBF\xBD)"},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(ReplaceInvalidUtf8(text), expected);
  }
}

TEST(Shorten, CutsNoCharacterInTwo) {
  const struct {
    const char* text;
    std::size_t size;
    const char* expected;
  } kCases[] = {{"short", 5, "short"},
                {"a longer one", 8, "a lon..."},
                {"\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4", 7, "\xC3\xA4\xC3\xA4..."},
                {"\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4", 6, "\xC3\xA4..."},
                {"abcd", 3, "..."}};
  for (const auto& c : kCases) {
    EXPECT_EQ(Shorten(c.text, c.size), c.expected) << c.text;
  }
}

}  // namespace
}  // namespace ballast
