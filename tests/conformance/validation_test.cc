// Verdicts, field paths and defaults must be those of the upstream API server.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "api/autoscaling/object_check.h"
#include "api/json/json.h"
#include "api/json/json_writer.h"
#include "tests/conformance/vectors.h"

namespace ballast::testing {
namespace {

// Quantities are compared by value: decoding and encoding gives each value one spelling.
std::string Normal(const json::Cursor& spec) {
  api::AutoscalerSpec value;
  Decode(spec, value);
  json::Writer out;
  Encode(out, value);
  return out.Take();
}

void Check(const std::string& line) {
  const auto vector = json::Parse(line);
  ASSERT_TRUE(vector.ok()) << vector.error().message;
  json::Decoder decoder(*vector);
  const json::Cursor root = decoder.root();
  const json::Cursor expected = root.Member("expected");
  const std::string id(root.Member("id").Text());
  const api::ObjectCheck examination = api::CheckObject(root.Member("object"));

  bool valid = false;
  ASSERT_TRUE(expected.Required("valid").Read(valid));
  EXPECT_EQ(examination.valid(), valid) << id;
  if (expected.Member("fields").present()) {
    std::set<std::string> want;
    for (const json::Cursor& field : expected.Member("fields").Elements()) {
      want.emplace(field.Text());
    }
    std::set<std::string> got;
    for (const api::FieldError& error : examination.errors) {
      got.insert(error.field);
    }
    EXPECT_EQ(got, want) << id;
  }
  if (expected.Member("defaulted").present()) {
    json::Writer out;
    Encode(out, examination.autoscaler.spec);
    const auto got = json::Parse(out.Take());
    json::Decoder got_decoder(*got);
    EXPECT_EQ(Normal(got_decoder.root()), Normal(expected.Member("defaulted"))) << id;
  }
}

class Validation : public ::testing::TestWithParam<const char*> {};

TEST_P(Validation, EqualsUpstream) {
  const char* folder = std::getenv("BALLAST_TEST_DATA");
  const auto lines = ReadGzipLines(std::filesystem::path(folder == nullptr ? "." : folder) /
                                   (std::string(GetParam()) + ".ndjson.gz"));
  ASSERT_TRUE(lines.ok()) << lines.error().message;
  ASSERT_FALSE(lines->empty());
  for (const std::string& line : *lines) {
    Check(line);
  }
}

INSTANTIATE_TEST_SUITE_P(Vectors, Validation, ::testing::Values("validation", "mutations"),
                         [](const auto& file) { return std::string(file.param); });

}  // namespace
}  // namespace ballast::testing
