// Every decision must equal the one that the upstream controller came to.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "api/json.h"
#include "operator/cli/decision_stream.h"
#include "operator/engine/snapshot_json.h"
#include "tests/conformance/equality.h"
#include "tests/conformance/vectors.h"

namespace ballast::testing {
namespace {

std::string VectorFile(const std::string& name) {
  const char* folder = std::getenv("BALLAST_TEST_DATA");
  return std::filesystem::path(folder == nullptr ? "." : folder) / (name + ".ndjson.gz");
}

// Feeds one line's snapshot to the stream and reports what differs from what is expected.
void Check(const std::string& line, cli::DecisionStream& stream) {
  const auto vector = json::Parse(line);
  ASSERT_TRUE(vector.ok()) << vector.error().message;
  json::Decoder decoder(*vector);
  const std::string text = decoder.root().Required("snapshot").Print();
  const auto snapshot = engine::ParseSnapshot(text);
  ASSERT_TRUE(snapshot.ok()) << snapshot.error().message;
  const auto answer = json::Parse(stream.Answer(text));
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  json::Decoder answer_decoder(*answer);
  for (const std::string& difference :
       Differences(*snapshot, decoder.root().Required("expected"), answer_decoder.root())) {
    ADD_FAILURE() << decoder.root().Member("id").Text() << " ("
                  << decoder.root().Member("about").Text() << ")\n"
                  << difference;
  }
}

class Decide : public ::testing::TestWithParam<const char*> {};

TEST_P(Decide, EqualsUpstream) {
  const auto lines = ReadGzipLines(VectorFile(GetParam()));
  ASSERT_TRUE(lines.ok()) << lines.error().message;
  ASSERT_FALSE(lines->empty());
  cli::DecisionStream stream(engine::Tracing::kOn);
  for (const std::string& line : *lines) {
    Check(line, stream);
  }
}

INSTANTIATE_TEST_SUITE_P(Vectors, Decide,
                         ::testing::Values("upstream-tables", "resource", "container", "pods",
                                           "object", "external", "multi", "behavior", "zero",
                                           "edge", "series", "failed-scale"),
                         [](const auto& file) {
                           std::string name = file.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace ballast::testing
