#include "webhooks/json_patch.h"

#include <gtest/gtest.h>

namespace ballast::webhooks {
namespace {

TEST(PatchTo, SaysOnlyWhatIsMissingOrDiffers) {
  const struct {
    const char* from;
    const char* to;
    const char* patch;
  } kCases[] = {
      {R"({"a":1})", R"({"a":1})", ""},
      {R"({"a":1,"gone":2})", R"({"a":1})", ""},
      {R"({})", R"({"a":{"b":[1]}})", R"([{"op":"add","path":"/a","value":{"b":[1]}}])"},
      {R"({"a":null})", R"({"a":3})", R"([{"op":"add","path":"/a","value":3}])"},
      {R"({"a":{"b":1}})", R"({"a":{"b":2,"c":3}})",
       R"([{"op":"replace","path":"/a/b","value":2},{"op":"add","path":"/a/c","value":3}])"},
      {R"({"l":[{"x":1},{}]})", R"({"l":[{"x":1},{"y":2}]})",
       R"([{"op":"add","path":"/l/1/y","value":2}])"},
      {R"({"l":[]})", R"({"l":[1]})", R"([{"op":"replace","path":"/l","value":[1]}])"},
      {R"({"a/b~c":1})", R"({"a/b~c":2})", R"([{"op":"replace","path":"/a~1b~0c","value":2}])"},
  };
  for (const auto& c : kCases) {
    const auto from = json::Parse(c.from);
    const auto to = json::Parse(c.to);
    json::Decoder from_root(*from);
    json::Decoder to_root(*to);
    EXPECT_EQ(PatchTo(from_root.root(), to_root.root()), c.patch) << c.from;
  }
}

}  // namespace
}  // namespace ballast::webhooks
