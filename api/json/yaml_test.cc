#include "api/json/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ballast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void ExpectConverted(const char* yaml, const char* json) {
  const auto converted = YamlToJson(yaml);
  ASSERT_TRUE(converted.ok()) << yaml << ": " << converted.error().message;
  EXPECT_THAT(*converted, ElementsAre(json)) << yaml;
}

TEST(YamlToJson, GivesScalarsTheirTypes) {
  const std::pair<const char*, const char*> cases[] = {
      {"a: text", R"({"a":"text"})"},
      {"a: 5", R"({"a":5})"},
      {"a: -1.5e3", R"({"a":-1500})"},
      {"a: 0.40", R"({"a":0.4})"},
      {"a: 0.05", R"({"a":0.05})"},
      {"a: .5", R"({"a":0.5})"},
      {"a: +5", R"({"a":5})"},
      {"a: 1e21", R"({"a":1e+21})"},
      {"a: 1e-7", R"({"a":1e-7})"},
      {"a: 100000000000000000000", R"({"a":100000000000000000000})"},
      {"a: 18446744073709551615", R"({"a":18446744073709551615})"},
      {"a: -9223372036854775808", R"({"a":-9223372036854775808})"},
      {"a: 1e999", R"({"a":"1e999"})"},
      {"a: 010", R"({"a":8})"},
      {"a: 0o17", R"({"a":15})"},
      {"a: 08", R"({"a":8})"},
      {"a: 0x1F", R"({"a":31})"},
      {"a: -0b11", R"({"a":-3})"},
      {"a: 1_000_000", R"({"a":1000000})"},
      {"a: _1", R"({"a":"_1"})"},
      {"a: -0", R"({"a":0})"},
      {"a: [y, Y, n, N, on, OFF]", R"({"a":[true,true,false,false,true,false]})"},
      {"yes: 1\n0x10: 2\n1.0: 3", R"({"true":1,"16":2,"1":3})"},
      {"1e6: 1\n0.1: 2", R"({"1e+06":1,"0.1":2})"},
      {"'yes': 1\n!!str no: 2", R"({"yes":1,"no":2})"},
      {"a: !!str 5", R"({"a":"5"})"},
      {"a: !!int '5'", R"({"a":5})"},
      {"a: !!float 5", R"({"a":5})"},
      {"a: !!binary aGk=", R"({"a":"hi"})"},
      {"a: !!binary YYB6", "{\"a\":\"a\xEF\xBF\xBDz\"}"},
      {"a: !mine 5", R"({"a":"5"})"},
      {"a: '5'", R"({"a":"5"})"},
      {"a: \"true\"", R"({"a":"true"})"},
      {"a: true", R"({"a":true})"},
      {"a: No", R"({"a":false})"},
      {"a: nO", R"({"a":"nO"})"},
      {"a: ~", R"({"a":null})"},
      {"a:", R"({"a":null})"},
      {"a: ''", R"({"a":""})"},
      {"a: 100m", R"({"a":"100m"})"},
      {"a: 007", R"({"a":7})"},
      {"a: 1.", R"({"a":1})"},
      {"a: 0", R"({"a":0})"},
      {"a: 2024-01-01", R"({"a":"2024-01-01"})"},
      {"a: 1.2.3.4", R"({"a":"1.2.3.4"})"},
      {"a: [1, x, {b: 2}]", R"({"a":[1,"x",{"b":2}]})"},
      {"a: |\n  two\n  lines\n", R"({"a":"two\nlines\n"})"},
      {"a: |\n  the last line does not end", R"({"a":"the last line does not end\n"})"},
      {"a: >-\n  nor\n  this", R"({"a":"nor this"})"},
      {"\xEF\xBB\xBF# put together\n---\r\n\xEF\xBB\xBF"
       "a: 1",
       R"({"a":1})"},
      {"x: &v {k: 1}\nz: *v", R"({"x":{"k":1},"z":{"k":1}})"},
      {R"({"json": ["is", "yaml"]})", R"({"json":["is","yaml"]})"},
  };
  for (const auto& [yaml, json] : cases) {
    ExpectConverted(yaml, json);
  }
}

// As go.yaml.in/yaml/v2 does it: members count in the order in which they stand.
TEST(YamlToJson, MergesMaps) {
  const std::pair<const char*, const char*> cases[] = {
      {"a: &a {x: 1, y z: 2}\nb: {<<: *a, x: 3}", R"({"a":{"x":1,"y z":2},"b":{"x":3,"y z":2}})"},
      {"{x: 3, <<: {x: 1}}", R"({"x":1})"},
      {"{<<: [{x: 1}, {x: 2, w: 4}]}", R"({"x":1,"w":4})"},
      {"{<<: {<<: {x: 1}, w: 2}}", R"({"x":1,"w":2})"},
      {"{'<<': {x: 1}}", R"({"<<":{"x":1}})"},
      {"{x: 1, x: 2}", R"({"x":1,"x":2})"},
  };
  for (const auto& [yaml, json] : cases) {
    ExpectConverted(yaml, json);
  }
}

TEST(YamlToJson, RefusesWhatJsonHasNot) {
  const std::pair<const char*, const char*> cases[] = {
      {"a: .inf", "no counterpart"},
      {"a: !!int x", "`x` is no !!int"},
      {"a: !!bool 5", "is no !!bool"},
      {"~: 1", "a key must be"},
      {"[a]: 1", "a key must be"},
      {"<<: 5", "must be a map"},
      {"<<: [{a: 1}, 5]", "must be a map"},
      {"!!null '': 1", "cannot be a key"},
      {"18446744073709551615: 1", "cannot be a key"},
  };
  for (const auto& [yaml, says] : cases) {
    const auto converted = YamlToJson(yaml);
    ASSERT_FALSE(converted.ok()) << yaml;
    EXPECT_THAT(converted.error().message, HasSubstr(says)) << yaml;
  }
}

TEST(YamlToJson, SplitsDocuments) {
  const auto converted = YamlToJson("---\na: 1\n---\n# nothing\n---\nb: 2\n");
  ASSERT_TRUE(converted.ok());
  EXPECT_THAT(*converted, ElementsAre(R"({"a":1})", R"({"b":2})"));
}

TEST(YamlToJson, SaysWhereItIsMalformed) {
  const auto converted = YamlToJson("a: 1\nb: [1, 2\nc: 3\n");
  ASSERT_FALSE(converted.ok());
  EXPECT_THAT(converted.error().message, HasSubstr("line 3"));
}

TEST(YamlToJson, LetsOnlyACommentFollowASeparator) {
  EXPECT_EQ(YamlToJson("--- # one\na: 1\n---\t\r\nb: 2\n")->size(), 2U);
  for (const char* yaml : {"a: 1\n--- {b: 2}\n", "a: 1\n----\nb: 2\n", "a: 1\n---b\n"}) {
    const auto converted = YamlToJson(yaml);
    ASSERT_FALSE(converted.ok()) << yaml;
    EXPECT_THAT(converted.error().message, HasSubstr("line 2: only a comment may follow ---"));
  }
}

TEST(FirstYamlToJson, TakesTheFirstDocumentAndTheLastOfEqualKeys) {
  EXPECT_EQ(*FirstYamlToJson("---\na: 1\na: 2\n--- b\nc: [\n"), R"({"a":2})");
  EXPECT_EQ(*FirstYamlToJson("# nothing\n"), "");
  EXPECT_FALSE(FirstYamlToJson("a: [").ok());
}

TEST(YamlToJson, RefusesWhatFollowsADocumentOnItsLine) {
  const auto documents = YamlToJson("{a: b}, {c: d}");
  ASSERT_FALSE(documents.ok());
  EXPECT_THAT(documents.error().message, ::testing::HasSubstr("line 1"));
}

// Whatever it is made of: each use of an alias is printed anew.
TEST(YamlToJson, RefusesWhatIsTooDeep) {
  for (const std::string& yaml :
       {std::string("a: &a {b: *a}"), std::string("a: &a [*a]"), std::string("a: &a {<<: *a}"),
        "a: " + std::string(65, '[') + std::string(65, ']')}) {
    const auto converted = YamlToJson(yaml);
    ASSERT_FALSE(converted.ok()) << yaml;
    EXPECT_THAT(converted.error().message, HasSubstr("more than 64 levels deep")) << yaml;
  }
}

TEST(YamlToJson, RefusesAnAliasBomb) {
  for (const std::string leaf : {"x", "~", "[]", "{}", "{k: }"}) {
    std::string before = leaf;
    std::string bomb;
    for (int i = 0; i < 12; ++i) {
      const std::string name = "a" + std::to_string(i);
      bomb += name + ": &" + name + " [" + before;
      for (int j = 0; j < 9; ++j) {
        bomb += ", " + before;
      }
      bomb += "]\n";
      before = "*" + name;
    }
    const auto converted = YamlToJson(bomb);
    ASSERT_FALSE(converted.ok()) << leaf;
    EXPECT_THAT(converted.error().message, HasSubstr("too large")) << leaf;
  }
}

TEST(JsonToYaml, PrintsBlocksThatReadBackTheSame) {
  const struct {
    const char* json;
    const char* yaml;
  } kCases[] = {
      {"{}", "{}\n"},
      {R"("text")", "text\n"},
      {R"({"a":[],"b":{},"c":null,"d":-1.5,"e":true})",
       "a: []\nb: {}\nc: null\nd: -1.5\ne: true\n"},
      {R"({"list":[1,{"x":"y","z":[2]},[3,4],{}]})",
       "list:\n- 1\n- x: \"y\"\n  z:\n  - 2\n- - 3\n  - 4\n- {}\n"},
      {R"({"a":{"b":{"c":"d e"}}})", "a:\n  b:\n    c: d e\n"},
      {R"(["no","1.0","","a: b","a #b","- x","caf\u00e9","two\nlines","50%","/a","x:"])",
       "- \"no\"\n- \"1.0\"\n- \"\"\n- \"a: b\"\n- \"a #b\"\n- \"- x\"\n- \"caf\u00e9\"\n"
       "- \"two\\nlines\"\n- \"50%\"\n- /a\n- \"x:\"\n"},
      {R"({"true":1,"a b":2,"":3})", "\"true\": 1\na b: 2\n\"\": 3\n"},
  };
  for (const auto& c : kCases) {
    const auto document = json::Parse(c.json);
    ASSERT_TRUE(document.ok()) << c.json;
    json::Decoder decoder(*document);
    const std::string yaml = JsonToYaml(decoder.root());
    EXPECT_EQ(yaml, c.yaml);
    const auto again = YamlToJson(yaml);
    ASSERT_TRUE(again.ok()) << yaml;
    EXPECT_EQ(again->front(), decoder.root().Print());
  }
}

TEST(ParseYaml, TakesOneDocument) {
  EXPECT_EQ(json::Decoder(*ParseYaml("a: 1\n---\n")).root().Print(), R"({"a":1})");
  EXPECT_EQ(ParseYaml("").error().message, "expected one YAML document, found 0");
  EXPECT_EQ(ParseYaml("a: 1\n---\nb: 2").error().message, "expected one YAML document, found 2");
  EXPECT_NE(ParseYaml("[").error().message.find("not YAML: line 1"), std::string::npos);
}

}  // namespace
}  // namespace ballast
