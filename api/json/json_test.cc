#include "api/json/json.h"
#include "api/json/json_writer.h"
#include "api/json/pick_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

namespace ballast::json {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Nested(int levels) { return std::string(levels, '[') + std::string(levels, ']'); }

TEST(JsonParse, Refused) {
  const struct {
    const char* name;
    std::string text;
    const char* says;
  } kCases[] = {
      {"empty", "", "not JSON: at byte 0"},
      {"half an object", R"({"a":1)", "missing a comma or '}'"},
      {"two values", "1 2", "not JSON: at byte 2"},
      {"bad UTF-8", "\"\xff\xfe\"", "invalid encoding"},
      {"too deep", Nested(kMaxDepth + 1), "nested deeper than 64 levels"},
      {"deep enough for any recursion", Nested(1'000'000), "nested deeper than 64 levels"},
  };
  for (const auto& c : kCases) {
    const auto parsed = Parse(c.text);
    ASSERT_FALSE(parsed.ok()) << c.name;
    EXPECT_EQ(parsed.error().code, Code::kInvalid) << c.name;
    EXPECT_THAT(parsed.error().message, HasSubstr(c.says)) << c.name;
  }
  EXPECT_TRUE(Parse(Nested(kMaxDepth)).ok());
}

TEST(JsonDecoder, FirstProblemNamesItsPath) {
  const struct {
    const char* text;
    const char* problem;
  } kCases[] = {
      {R"({"spec":{"list":[{"n":1},{"n":"x"}]}})",
       "spec.list[1].n: expected an integer, got a string"},
      {R"({"spec":{"list":[{}]}})", "spec.list[0].n: is required"},
      {R"({"spec":{"list":[{"n":null}]}})", "spec.list[0].n: is required"},
      {R"({"spec":{"list":[{"n":1.0}]}})", "spec.list[0].n: expected an integer, got a number"},
      {R"({"spec":{"list":[{"n":2147483648}]}})", "spec.list[0].n: does not fit in 32 bits"},
      {R"({"spec":{"list":{}}})", "spec.list: expected an array, got an object"},
      {R"({"spec":7})", "spec: expected an object, got a number"},
      {R"([])", "expected an object, got an array"},
      {R"({})", "spec: is required"},
  };
  for (const auto& c : kCases) {
    const auto document = Parse(c.text);
    ASSERT_TRUE(document.ok()) << c.text;
    Decoder decoder(document.value());
    for (const Cursor& item : decoder.root().Required("spec").Member("list").Elements()) {
      std::int32_t n = 0;
      item.Required("n").Read(n);
    }
    ASSERT_FALSE(decoder.status().ok()) << c.text;
    EXPECT_EQ(decoder.status().error().message, c.problem) << c.text;
  }
}

TEST(JsonDecoder, ReadsNumbersExactly) {
  const struct {
    const char* text;
    double value;
  } kCases[] = {{"0.1", 0.1},   {"-2.5e-3", -0.0025}, {"1E-33", 1e-33}, {"1e300", 1e300},
                {"0E-33", 0.0}, {"-0E-23", 0.0},      {"0.0e99", 0.0},  {"0e-400", 0.0}};
  for (const auto& c : kCases) {
    const auto document = Parse(c.text);
    ASSERT_TRUE(document.ok()) << c.text;
    Decoder decoder(document.value());
    double value = 42;
    EXPECT_TRUE(decoder.root().Read(value)) << c.text;
    EXPECT_EQ(value, c.value) << c.text;
  }
}

TEST(JsonDecoder, ReadsWhatIsThereAndLeavesTheRest) {
  const auto document = Parse(R"({"s":"text","b":true,"i":-5,"d":0.25,"n":null})");
  ASSERT_TRUE(document.ok());
  Decoder decoder(document.value());
  std::string s;
  bool b = false;
  std::int64_t i = 0;
  double d = 0;
  std::optional<std::string> n = "kept";
  decoder.root().Member("s").Read(s);
  decoder.root().Member("b").Read(b);
  decoder.root().Member("i").Read(i);
  decoder.root().Member("d").Read(d);
  decoder.root().Member("n").Read(n);
  EXPECT_TRUE(decoder.status().ok());
  EXPECT_EQ(s, "text");
  EXPECT_TRUE(b);
  EXPECT_EQ(i, -5);
  EXPECT_EQ(d, 0.25);
  EXPECT_EQ(n, "kept");
  std::string names;
  for (const auto& [name, value] : decoder.root().Members()) {
    names += value.present() ? name : "-";
  }
  EXPECT_EQ(names, "sbid-");
  EXPECT_EQ(decoder.root().Member("d").NumberText(), "0.25");
}

TEST(JsonWriter, PrintsWhatParseReads) {
  Writer w;
  w.Object([&] {
    w.Field("text", std::string("quote \" and \n"));
    w.Field("absent", std::optional<std::int32_t>());
    w.Field("number", std::int64_t{1} << 60);
    w.Array("list", [&] {
      w.Value(true);
      w.Null();
      w.Raw(R"({"raw":1})");
    });
  });
  const std::string text = w.Take();
  EXPECT_EQ(
      text,
      R"({"text":"quote \" and \n","number":1152921504606846976,"list":[true,null,{"raw":1}]})");
  EXPECT_TRUE(Parse(text).ok());
  EXPECT_THAT(w.Take(), StartsWith(""));
}

// Also where SIMD code looks at sixteen bytes in one step.
TEST(Json, ControlCharactersAreEscapedWhenWrittenAndRefusedWhenNot) {
  for (char c = 0; c < 0x20; ++c) {
    for (std::size_t at = 0; at < 40; ++at) {
      std::string text(40, 'x');
      text[at] = c;
      Writer out;
      out.Value(text);
      const auto document = Parse(out.Take());
      ASSERT_TRUE(document.ok()) << int{c};
      Decoder decoder(*document);
      EXPECT_EQ(decoder.root().Text(), text);
      EXPECT_FALSE(Parse("\"" + text + "\"").ok()) << int{c};
    }
  }
}

TEST(Json, NumbersAreReadExactly) {
  const std::pair<const char*, const char*> kCases[] = {
      {"0", "0"},
      {"-0", "0"},
      {"4294967295", "4294967295"},
      {"4294967296", "4294967296"},
      {"-2147483648", "-2147483648"},
      {"-2147483649", "-2147483649"},
      {"18446744073709551615", "18446744073709551615"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"-9223372036854775809", "-9223372036854776000.0"},
      {"1e2", "100.0"},
      {"0.1", "0.1"},
      {"0E-66", "0.0"},
      {"0.0E+300", "0.0"},
      {"-0.0", "-0.0"},
      {"1e-400", "0.0"},
      {"2.2250738585072011e-308", "2.225073858507201e-308"},
      {"9007199254740993.0", "9007199254740992.0"},
      {"17976931348623157e292", "1.7976931348623157e308"},
  };
  for (const auto& [text, printed] : kCases) {
    const auto document = Parse("[" + std::string(text) + "]");
    ASSERT_TRUE(document.ok()) << text << ": " << document.error().message;
    Decoder decoder(*document);
    EXPECT_EQ(decoder.root().Print(), "[" + std::string(printed) + "]") << text;
  }
  // Beyond the range of a double, and numbers for which RapidJSON used to read beyond a table.
  for (const std::string text : {"17976931348623159e292", "1e309", "-1e99999999999"}) {
    EXPECT_FALSE(Parse(text).ok()) << text;
  }
  EXPECT_FALSE(Parse("63999" + std::string(90, '9') + "E283").ok());
}

TEST(ParseAtMost, CountsValuesAndNames) {
  const struct {
    const char* text;
    std::size_t values;
  } kCases[] = {{"1", 1},         {"[]", 1}, {"[1,2]", 3}, {R"({"a":"b"})", 3}, {"[[],{},null]", 4},
                {"[true,1.5]", 3}};
  for (const auto& c : kCases) {
    EXPECT_TRUE(ParseAtMost(c.values, c.text).ok()) << c.text;
    const auto too_many = ParseAtMost(c.values - 1, c.text);
    ASSERT_FALSE(too_many.ok()) << c.text;
    EXPECT_EQ(too_many.error().code, Code::kFull) << c.text;
  }
}

TEST(PickTexts, FindsThemByTheirPaths) {
  const std::set<std::string> paths = {"a", "b.c", "b.d.e", "n"};
  const struct {
    const char* text;
    std::map<std::string, std::string> found;
  } kCases[] = {
      {R"({"a":"1","b":{"c":"2","d":{"e":"3"},"x":"4"},"n":7})",
       {{"a", "1"}, {"b.c", "2"}, {"b.d.e", "3"}}},
      {R"({"x":{"a":"1"},"b":[{"c":"2"}],"a":null})", {}},
      {R"({"x":[[],{"a":"1"}],"b":{"x":[1,{"c":"1"}],"c":"2"}})", {{"b.c", "2"}}},
      {R"({"b.c":"spoof","b":{"c":"first","c":"second"}})", {{"b.c", "first"}}},
      {R"(["a"])", {}},
      {R"("a")", {}},
  };
  for (const auto& c : kCases) {
    const auto found = PickTexts(c.text, paths);
    ASSERT_TRUE(found.ok()) << c.text;
    EXPECT_EQ(*found, c.found) << c.text;
  }
  for (const std::string& bad : {std::string("{\"a\":\"1\""), std::string("{\"a\":\"\xff\"}"),
                                 std::string(100'000, '['), std::string("{} {}")}) {
    const auto found = PickTexts(bad, paths);
    ASSERT_FALSE(found.ok()) << bad.substr(0, 20);
    EXPECT_EQ(found.error().code, Code::kInvalid);
  }
}

}  // namespace
}  // namespace ballast::json
