#include "operator/cli/kubectl_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ballast::cli {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Result<KubectlFlags> ParseFlags(const std::vector<std::string>& words) {
  KubectlFlags flags;
  flags::Command command("ballast");
  AddKubectlFlags(command, flags, "");
  command.OnRun([] {});
  TRY(command.Parse(words));
  return flags;
}

TEST(KubectlFlags, AreHandedOnToKubectl) {
  const auto flags = ParseFlags({"--context", "c", "--as=jane", "--as-uid", "7", "--as-group=a",
                                 "--as-group", "b", "--request-timeout", "30"});
  ASSERT_TRUE(flags.ok()) << flags.error().message;
  EXPECT_TRUE(flags->any());
  EXPECT_THAT(WordsOf(*flags), ElementsAre("--context=c", "--as=jane", "--as-uid=7",
                                           "--request-timeout=30", "--as-group=a", "--as-group=b"));
  EXPECT_FALSE(KubectlFlags().any());
  EXPECT_TRUE(KubectlFlags{.as_groups = {"a"}}.any());
  EXPECT_THAT(WordsOf({}), IsEmpty());
}

TEST(KubectlFlags, ReadATimeoutAsKubectlDoes) {
  const struct {
    const char* text;
    std::chrono::milliseconds timeout;
  } kCases[] = {{"30", 30s}, {"1m30s", 90s}, {"500ms", 500ms}, {"0", 0s}, {"0s", 0s}};
  for (const auto& c : kCases) {
    const auto flags = ParseFlags({"--request-timeout", c.text});
    ASSERT_TRUE(flags.ok()) << flags.error().message;
    EXPECT_EQ(RequestTimeout(*flags), c.timeout) << c.text;
  }
  EXPECT_EQ(RequestTimeout({}), std::nullopt);
  for (const char* text : {"-5s", "soon", "1.5"}) {
    EXPECT_FALSE(ParseFlags({std::string("--request-timeout=") + text}).ok()) << text;
  }
}

}  // namespace
}  // namespace ballast::cli
