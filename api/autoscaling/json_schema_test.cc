#include "api/autoscaling/json_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "api/json/json.h"

namespace ballast::api {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

int CheckRefusesUnknownFields(const json::Cursor& schema, const std::string& path) {
  int objects = 0;
  const json::Cursor properties = schema.Member("properties");
  if (properties.present()) {
    ++objects;
    bool others = true;
    schema.Member("additionalProperties").Read(others);
    EXPECT_FALSE(others) << path;
  }
  for (const auto& [name, member] : properties.Members()) {
    objects += CheckRefusesUnknownFields(member, path + "." + std::string(name));
  }
  if (schema.Member("items").present()) {
    objects += CheckRefusesUnknownFields(schema.Member("items"), path + "[]");
  }
  return objects;
}

TEST(JsonSchema, RefusesUnknownFieldsAtEachPlaceAndOtherKinds) {
  const struct {
    std::string schema;
    const char* kind;
    int objects;  // more than so many
  } kCases[] = {{PolicyJsonSchema(), "AutoScalePolicy", 40},
                {OverrideJsonSchema(), "AutoScaleOverride", 4}};
  for (const auto& c : kCases) {
    const auto document = json::Parse(c.schema);
    ASSERT_TRUE(document.ok()) << document.error().message;
    json::Decoder decoder(*document);
    EXPECT_GT(CheckRefusesUnknownFields(decoder.root(), ""), c.objects) << c.kind;
    const json::Cursor properties = decoder.root().Member("properties");
    EXPECT_EQ(properties.Member("kind").Member("const").Text(), c.kind);
    EXPECT_EQ(properties.Member("apiVersion").Member("const").Text(), "ballast.dev/v1alpha1");
    EXPECT_THAT(c.schema, Not(HasSubstr("x-kubernetes-")));
  }
}

}  // namespace
}  // namespace ballast::api
