// Every decision must equal the one that the upstream controller came to.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "operator/explain/decision_stream.h"
#include "tests/conformance/check.h"
#include "tests/conformance/vectors.h"

namespace ballast::testing {
namespace {

std::string VectorFile(const std::string& name) {
  const char* folder = std::getenv("BALLAST_TEST_DATA");
  return std::filesystem::path(folder == nullptr ? "." : folder) / (name + ".ndjson.gz");
}

class Decide : public ::testing::TestWithParam<const char*> {};

TEST_P(Decide, EqualsUpstream) {
  const auto lines = ReadGzipLines(VectorFile(GetParam()));
  ASSERT_TRUE(lines.ok()) << lines.error().message;
  ASSERT_FALSE(lines->empty());
  explain::DecisionStream stream(engine::Tracing::kOn);
  for (const std::string& line : *lines) {
    const auto check = CheckVector(line, stream);
    ASSERT_TRUE(check.ok()) << check.error().message;
    for (const std::string& difference : check->differences) {
      ADD_FAILURE() << check->id << "\n" << difference;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Vectors, Decide,
                         ::testing::Values("upstream-tables", "resource", "container", "pods",
                                           "object", "external", "multi", "behavior", "zero",
                                           "edge", "series", "failed-scale", "kubernetes-1.37"),
                         [](const auto& file) {
                           std::string name = file.param;
                           std::ranges::replace_if(
                               name, [](char c) { return c == '-' || c == '.'; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace ballast::testing
