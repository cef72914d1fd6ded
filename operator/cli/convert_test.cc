#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "operator/cli/commands.h"
#include "operator/cli/testing/run.h"

namespace ballast::cli {
namespace {

using testing::Answer;

std::string Read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The files of testdata/convert. NAME.yaml or NAME.json is converted to NAME.txt: the exit status,
// what is listed, and the policies. With the variable BALLAST_WRITE_GOLDEN set, NAME.txt is
// written.
std::vector<std::filesystem::path> Inputs() {
  const char* folder = std::getenv("BALLAST_TEST_DATA");
  std::vector<std::filesystem::path> inputs;
  if (folder != nullptr) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".txt") {
        inputs.push_back(entry.path());
      }
    }
  }
  std::ranges::sort(inputs);
  return inputs;
}

TEST(Convert, IsAsRecorded) {
  const auto inputs = Inputs();
  ASSERT_FALSE(inputs.empty());
  for (const std::filesystem::path& input : inputs) {
    SCOPED_TRACE(input);
    const Answer done = testing::Run(AddConvert, {}, Read(input));
    const std::string text = "exit status " + std::to_string(static_cast<int>(done.status)) + "\n" +
                             done.error + "policies:\n" + done.out;
    const std::filesystem::path golden = std::filesystem::path(input).replace_extension(".txt");
    if (std::getenv("BALLAST_WRITE_GOLDEN") != nullptr) {
      std::ofstream(golden) << text;
    }
    EXPECT_EQ(text, Read(golden));
  }
}

TEST(Convert, MakesPoliciesThatAreValid) {
  for (const std::filesystem::path& input : Inputs()) {
    SCOPED_TRACE(input);
    const std::string policies = testing::Run(AddConvert, {}, Read(input)).out;
    if (policies.empty()) {
      continue;
    }
    const Answer checked = testing::Run(AddValidate, {}, policies);
    EXPECT_EQ(checked.status, ExitStatus::kDone) << checked.out;
    EXPECT_THAT(checked.out, ::testing::HasSubstr("AutoScalePolicy"));
  }
}

TEST(Convert, PrintsAsTheObjectsCameInOrAsAsked) {
  constexpr const char* kHpa =
      R"({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"web"},)"
      R"("spec":{"maxReplicas":3,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment",)"
      R"("name":"web"}}})";
  EXPECT_THAT(testing::Run(AddConvert, {}, kHpa).out, ::testing::StartsWith("{"));
  EXPECT_THAT(testing::Run(AddConvert, {"-o", "yaml"}, kHpa).out,
              ::testing::StartsWith("apiVersion:"));
}

TEST(Convert, RefusesAnInputWithoutAutoscalers) {
  const Answer done = testing::Run(AddConvert, {}, "kind: Deployment\napiVersion: apps/v1\n");
  EXPECT_EQ(done.status, ExitStatus::kUsedWrong);
  EXPECT_EQ(done.out, "");
  EXPECT_THAT(done.error, ::testing::HasSubstr("Deployment: is no autoscaler; left out\n"));
}

}  // namespace
}  // namespace ballast::cli
