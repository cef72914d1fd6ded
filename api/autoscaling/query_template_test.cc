#include "api/autoscaling/query_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ballast::api {
namespace {

using testing::HasSubstr;

TEST(ExpandQuery, PutsInTheValuesWhereverQuotesAre) {
  const struct {
    const char* query;
    const char* expanded;
  } kCases[] = {
      {"", ""},
      {"sum(up)", "sum(up)"},
      {R"(a{n="$namespace",d='$target'})", R"(a{n="shop",d='we.b'})"},
      {R"(a{d=`$target`})", R"(a{d=`we.b`})"},
      {R"(a{d="${target}x$target-y"})", R"(a{d="we.bxwe.b-y"})"},
      {R"(a{p=~"$target-.*"})", R"(a{p=~"we\\.b-.*"})"},
      {R"(a{p !~ '$target-.+$'})", R"(a{p !~ 'we\\.b-.+$'})"},
      {R"(a{p=~`$target`})", R"(a{p=~`we\.b`})"},
      {"a{p=~ # why \"\n \"$target\"}", "a{p=~ # why \"\n \"we\\\\.b\"}"},
      {R"(a{p=~"x",d="$target"})", R"(a{p=~"x",d="we.b"})"},
      {R"(label_replace(a, "b", "$1-${1}", "c", "(.*)$"))",
       R"(label_replace(a, "b", "$1-${1}", "c", "(.*)$"))"},
      {R"(a{b="$$target"})", R"(a{b="$target"})"},
      {R"(a{b="\"$target"})", R"(a{b="\"we.b"})"},
      {R"(a{b='"', c="$target"})", R"(a{b='"', c="we.b"})"},
      {"a # it's $$ all\n + b", "a # it's $$ all\n + b"},
  };
  for (const auto& c : kCases) {
    const auto expanded = ExpandQuery(c.query, {"shop", "we.b"});
    ASSERT_TRUE(expanded.ok()) << c.query << ": " << expanded.error().message;
    EXPECT_EQ(*expanded, c.expanded);
  }
}

// Names of custom resources may be anything that can be a segment of a path.
TEST(ExpandQuery, AValueStaysWithinItsQuotes) {
  const struct {
    const char* query;
    const char* target;
    const char* expanded;
  } kCases[] = {
      {R"(a{d="$target"})", R"(x"} or b{c=")", R"(a{d="x\"} or b{c=\""})"},
      {R"(a{d='$target'})", R"(x'\)", R"(a{d='x\'\\'})"},
      {R"(a{d=~"$target"})", R"(".*|\)", R"(a{d=~"\"\\.\\*\\|\\\\"})"},
      {R"(a{d="$target"})", "x\ny", R"(a{d="x\ny"})"},
      {R"(a{d="$target"})", "$namespace", R"(a{d="$namespace"})"},
  };
  for (const auto& c : kCases) {
    const auto expanded = ExpandQuery(c.query, {"shop", c.target});
    ASSERT_TRUE(expanded.ok()) << c.query;
    EXPECT_EQ(*expanded, c.expanded);
  }
  EXPECT_FALSE(ExpandQuery("a{d=`$target`}", {"shop", "x`} or b"}).ok());
}

TEST(LiteralQuery, ExpandsToWhatItWasMadeOf) {
  for (const char* promql : {"up", R"(a{b=~"x$"})", R"q(a{b=~"($|c)"})q", R"(a{b="$namespace"})",
                             R"(a{b="${pod}"})", R"(a{b=~"$$"})", R"(a{b=~"$$$c$"})",
                             R"q(label_replace(a, "b", "$1-${1}", "c", "(.*)"))q"}) {
    const auto expanded = ExpandQuery(LiteralQuery(promql), {"shop", "web"});
    ASSERT_TRUE(expanded.ok()) << expanded.error().message;
    EXPECT_EQ(*expanded, promql);
  }
  EXPECT_EQ(LiteralQuery(R"(a{b=~"x$"})"), R"(a{b=~"x$"})");
}

TEST(CheckQuery, SaysWhatIsWrong) {
  const struct {
    const char* query;
    const char* message;
  } kCases[] = {
      {"$namespace", "$namespace outside of quotes"},
      {"rate(x[$target])", "$target outside of quotes"},
      {R"(a{b="$pod"})", "a variable that there is not: $pod"},
      {R"(a{b="$target_name"})", "not: $target_name"},
      {R"(a{b="${target"})", "has a ${target without its }"},
      {R"(a{b="\$target"})", "has \\$ in a string"},
      {R"(a{b="c})", "has a \" that does not end"},
      {"a{b=`c}", "has a ` that does not end"},
  };
  for (const auto& c : kCases) {
    const Status status = CheckQuery(c.query);
    ASSERT_FALSE(status.ok()) << c.query;
    EXPECT_EQ(status.error().code, Code::kInvalid);
    EXPECT_THAT(status.error().message, HasSubstr(c.message));
  }
  EXPECT_TRUE(CheckQuery("sum(up)").ok());
}

}  // namespace
}  // namespace ballast::api
