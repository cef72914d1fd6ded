#include "api/json/json_split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/json/json.h"

namespace ballast::json {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SplitObject, GivesEachMemberAsItIsWritten) {
  const std::string text =
      R"( {"a" : {"b":[1,{"c":"}\"]"}]}, "n":-1.5e3 ,"s":"x,\\","":null,"e":{},"\u0041":true} )";
  const auto members = SplitObject(text);
  ASSERT_TRUE(members.ok()) << members.error().message;
  EXPECT_EQ(Find(*members, "a"), R"({"b":[1,{"c":"}\"]"}]})");
  EXPECT_EQ(Find(*members, "n"), "-1.5e3");
  EXPECT_EQ(Find(*members, "s"), R"("x,\\")");
  EXPECT_EQ(Find(*members, ""), "null");
  EXPECT_EQ(Find(*members, "e"), "{}");
  EXPECT_EQ(Find(*members, R"(\u0041)"), "true");
  EXPECT_EQ(Find(*members, "missing"), "");
  EXPECT_EQ(members->size(), 6U);
}

TEST(SplitArray, GivesEachElement) {
  const auto elements = SplitArray(R"([ 1 ,"a]", [2,[3]],{"x":[]}, null])");
  ASSERT_TRUE(elements.ok()) << elements.error().message;
  EXPECT_THAT(*elements, ElementsAre("1", R"("a]")", "[2,[3]]", R"({"x":[]})", "null"));
  EXPECT_THAT(SplitArray(" [ ] ").value(), IsEmpty());
}

TEST(SplitStream, GivesEachObject) {
  EXPECT_THAT(SplitStream("{\"a\":1}{}\n{\"b\":\"}{\"} ").value(),
              ElementsAre(R"({"a":1})", "{}", R"({"b":"}{"})"));
  EXPECT_THAT(SplitStream(" ").value(), IsEmpty());
  for (const char* text : {"{}1", "{} ---", "[]", "{}{"}) {
    EXPECT_FALSE(SplitStream(text).ok()) << text;
  }
}

TEST(Split, RefusesWhatIsNotWhole) {
  for (const char* text :
       {"", "1", "[]", "{", "{\"a\"", "{\"a\":", "{\"a\":}", "{\"a\":1", "{\"a\":1,}", "{\"a\":1}x",
        "{\"a\" 1}", "{a:1}", "{\"a\":\"", "{\"a\":\"\\", "{\"a\":[1}", "{,}"}) {
    EXPECT_FALSE(SplitObject(text).ok()) << text;
  }
  for (const char* text : {"", "{}", "[", "[1", "[1,", "[1,]", "[1]2", "[,]", "[1 2]", "[\"a"}) {
    EXPECT_FALSE(SplitArray(text).ok()) << text;
  }
}

TEST(Split, LeavesThePiecesToTheirReaders) {
  const auto elements = SplitArray(R"([{"a":1],2])");
  ASSERT_TRUE(elements.ok());
  EXPECT_THAT(*elements, ElementsAre(R"({"a":1])", "2"));
  EXPECT_FALSE(Parse(elements->front()).ok());
}

}  // namespace
}  // namespace ballast::json
