#include "operator/flags/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace ballast::flags {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

enum class Syntax { kYaml, kJson };

class CommandLine : public ::testing::Test {
 protected:
  CommandLine() {
    Command& command = program_.AddSubcommand("print", "Print objects");
    command.AddOption("FILE", files_, "Files");
    command.AddOption("--count", count_, "How many").Between(1, 9).ShowDefault();
    command.AddOption("--share", share_, "How much of it").Below("More");
    command.AddOption("--limit", limit_, "The newest").NotNegative().ShowType("N").Below("More");
    command.AddChoice("-o,--output", syntax_, {{"yaml", Syntax::kYaml}, {"json", Syntax::kJson}},
                      "The syntax");
    command.AddChoice("--exact", exact_, {{"yaml", Syntax::kYaml}}, "Not YAML", Case::kMatters);
    command.AddFlag("--all,!--some", all_, "All").Excludes("--count");
    command.AddOption("--in", in_, "Where from").OneOf({"file", "archive"}).ShowDefault();
    command.AddParsed(
        "--even",
        [](const std::string& text) -> Status {
          if (text.size() % 2 != 0) {
            return Error{Code::kInvalid, "has an odd length"};
          }
          return Done{};
        },
        "Letters in pairs");
    command.OnCheck([this]() -> Status {
      if (files_.size() > 2) {
        return Error{Code::kInvalid, "--all: no more than two files"};
      }
      return Done{};
    });
    command.OnRun([this] { ran_ = true; });
    Command& secret = program_.AddSubcommand("secret");
    secret.Hide();
    secret.AddOption("NAME", names_, "").Required().Takes(1, 2);
    secret.AddOption("--word", word_, "").Required();
    program_.AddVersion("program 1");
    program_.RequireSubcommand();
  }

  // Empty: nothing is wrong.
  std::string Problem(const std::string& line) {
    std::istringstream words(line);
    const Status parsed = program_.Parse({std::istream_iterator<std::string>(words), {}});
    return parsed.ok() ? "" : parsed.error().message;
  }
  std::string Printed(const std::string& line) {
    ::testing::internal::CaptureStdout();
    EXPECT_EQ(Problem(line), "");
    return ::testing::internal::GetCapturedStdout();
  }

  Command program_{"program", "Prints."};
  std::vector<std::string> files_;
  std::int32_t count_ = 5;
  double share_ = 0;
  std::optional<std::int64_t> limit_;
  std::optional<Syntax> syntax_;
  Syntax exact_ = Syntax::kJson;
  bool all_ = false;
  std::string in_ = "file";
  std::vector<std::string> names_;
  std::string word_;
  bool ran_ = false;
};

TEST_F(CommandLine, OptionsSetTheirTargets) {
  EXPECT_EQ(Problem("print a b --count 7 --limit=0 -o JSON --exact yaml --even ab"), "");
  EXPECT_TRUE(ran_);
  EXPECT_THAT(files_, ElementsAre("a", "b"));
  EXPECT_EQ(count_, 7);
  EXPECT_EQ(limit_, 0);
  EXPECT_EQ(syntax_, Syntax::kJson);
  EXPECT_EQ(exact_, Syntax::kYaml);
  EXPECT_FALSE(all_);
  const Command& command = *program_.subcommands().front();
  EXPECT_TRUE(command.Given("--limit"));
  EXPECT_FALSE(command.Given("--all"));
}

TEST_F(CommandLine, WhatIsWrongIsSaidAndNothingRuns) {
  const std::pair<const char*, const char*> kCases[] = {
      {"", "A subcommand is required"},
      {"print --nothing", "program print has no --nothing\nRun with --help"},
      {"print a --limt=3 b c", "program print has no --limt; did you mean --limit?\n"},
      {"--versoin", "program has no --versoin; did you mean --version?\n"},
      {"print --count 10", "--count: Value 10 not in range 1 to 9"},
      {"print --count x", "--count: x is not a whole number\n"},
      {"print --count 3.5", "--count: 3.5 is not a whole number\n"},
      {"print --count 99999999999", "--count: 99999999999 is too great\n"},
      {"print --share x", "--share: x is not a number\n"},
      {"print --count", "--count: a value is missing\n"},
      {"print --limit -1", "--limit: -1 is negative\n"},
      {"print -o xml", "--output: xml is none of yaml, json\n"},
      {"print -o yml", "--output: yml is none of yaml, json; did you mean yaml?\n"},
      {"print --in zip", "--in: zip is none of file, archive\n"},
      {"print --in fil", "--in: fil is none of file, archive; did you mean file?\n"},
      {"print -o 0", "--output: 0 is none of yaml, json\n"},
      {"print --exact YAML", "--exact: YAML is none of yaml; did you mean yaml?\n"},
      {"print --all --count 3", "--count excludes --all"},
      {"print --even abc", "--even: has an odd length"},
      {"print a b c", "--all: no more than two files"},
  };
  for (const auto& [line, problem] : kCases) {
    EXPECT_THAT(Problem(line), HasSubstr(problem)) << line;
    EXPECT_FALSE(ran_) << line;
  }
}

TEST(AnotherCommandLine, AWordThatHasNoPlaceIsNamed) {
  Command program("program");
  std::string name;
  program.AddSubcommand("hold").AddOption("NAME", name, "");
  EXPECT_EQ(program.Parse({"hold", "web", "3", "4"}).error().message,
            "program hold has no argument for \"3\"\nRun with --help for more information.\n");
}

TEST_F(CommandLine, HelpAndVersionArePrintedInsteadOfRunning) {
  EXPECT_EQ(Printed("--version"), "program 1\n");
  const std::string help = Printed("--help");
  EXPECT_THAT(help, HasSubstr("print"));
  EXPECT_EQ(help.find("secret"), std::string::npos) << help;
  EXPECT_EQ(Printed("print --help"),
            R"(Print objects
Usage: program print [OPTIONS] [FILE...]

Positionals:
  FILE                        Files

Options:
  -h,--help                   Print this help message and exit
  --count 1..9=5              How many
  -o,--output yaml|json       The syntax
  --exact yaml                Not YAML
  --all,--some                All
  --in file|archive=file      Where from
  --even TEXT                 Letters in pairs

More:
  --share FLOAT               How much of it
  --limit N                   The newest

)");
  EXPECT_THAT(Printed("secret --help"),
              AllOf(HasSubstr("Usage: program secret [OPTIONS] NAME...\n"), HasSubstr("  NAME "),
                    HasSubstr("  --word TEXT (required)")));
  EXPECT_FALSE(ran_);
}

TEST_F(CommandLine, SubcommandsAreListedBelowTheirHeadings) {
  Command program("program");
  program.BeginHeading("Questions");
  program.AddSubcommand("why", "Say why");
  program.BeginHeading("Answers");
  program.AddSubcommand("because", "Say so");
  ::testing::internal::CaptureStdout();
  EXPECT_TRUE(program.Parse({"--help"}).ok());
  EXPECT_THAT(::testing::internal::GetCapturedStdout(),
              HasSubstr("\nQuestions:\n"
                        "  why                         Say why\n"
                        "\nAnswers:\n"
                        "  because                     Say so\n"));
}

TEST_F(CommandLine, CompletionLearnsWhatThereIs) {
  ASSERT_EQ(program_.subcommands().size(), 2U);
  EXPECT_TRUE(program_.subcommands().back()->hidden());
  const Command& command = *program_.subcommands().front();
  EXPECT_EQ(command.name(), "print");
  EXPECT_EQ(command.description(), "Print objects");
  EXPECT_FALSE(command.hidden());
  EXPECT_FALSE(command.FindOption("--nothing"));
  const auto output = command.FindOption("-o");
  ASSERT_TRUE(output);
  EXPECT_EQ(output, command.FindOption("--output"));
  EXPECT_EQ(output->help(), "The syntax");
  EXPECT_EQ(output->shown_values(), "yaml|json");
  EXPECT_EQ(command.FindOption("--in")->shown_values(), "file|archive");
  EXPECT_EQ(output->most_values(), 1U);
  EXPECT_FALSE(output->IsArgument());
  EXPECT_TRUE(command.FindOption("FILE")->IsArgument());
  EXPECT_EQ(command.FindOption("--all")->most_values(), 0U);
}

}  // namespace
}  // namespace ballast::flags
