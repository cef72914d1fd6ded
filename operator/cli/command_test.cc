#include "operator/cli/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ballast::cli {
namespace {

using ::testing::ElementsAre;

TEST(AskingForHelp, HasThreeSpellings) {
  EXPECT_THAT(AskingForHelp({}), ElementsAre("--help"));
  EXPECT_THAT(AskingForHelp({"help"}), ElementsAre("--help"));
  EXPECT_THAT(AskingForHelp({"help", "why"}), ElementsAre("why", "--help"));
  EXPECT_THAT(AskingForHelp({"why", "shop/help"}), ElementsAre("why", "shop/help"));
}

TEST(CheckSubcommand, NamesTheOneThatWasMeant) {
  flags::Command program("ballast");
  program.AddSubcommand("history");
  program.AddSubcommand("why");
  program.AddSubcommand("__history").Hide();
  EXPECT_TRUE(CheckSubcommand(program, {"why"}).ok());
  EXPECT_TRUE(CheckSubcommand(program, {"--version"}).ok());
  EXPECT_EQ(CheckSubcommand(program, {"histroy"}).error().message,
            "ballast has no subcommand \"histroy\"; did you mean history?\n"
            "Run with --help for more information.\n");
  EXPECT_EQ(CheckSubcommand(program, {"foo"}).error().message,
            "ballast has no subcommand \"foo\"\nRun with --help for more information.\n");
}

}  // namespace
}  // namespace ballast::cli
