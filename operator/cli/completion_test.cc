#include "operator/cli/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "operator/cli/commands.h"

namespace ballast::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

class CompletionTest : public ::testing::Test {
 protected:
  CompletionTest() {
    AddHistory(program_, status_);
    AddWhy(program_, status_);
    AddValidate(program_, status_);
    AddCompletion(program_, status_);
    auto& override = program_.AddSubcommand("override");
    override.AddOption("ACTION", action_, "").OneOf({"end"});
    override.AddOption("OVERRIDE", name_, "");
    program_.AddSubcommand("__complete").Hide();
  }

  std::vector<std::string> Texts(const std::vector<std::string>& words) {
    std::vector<std::string> texts;
    for (const Candidate& candidate : Complete(program_, words).candidates) {
      texts.push_back(candidate.text);
    }
    return texts;
  }

  std::string action_;
  std::string name_;
  flags::Command program_;
  ExitStatus status_ = ExitStatus::kDone;
};

TEST_F(CompletionTest, SubcommandsAndFlags) {
  EXPECT_THAT(Texts({""}), ElementsAre("history", "why", "validate", "completion", "override"));
  EXPECT_THAT(Texts({"wh"}), ElementsAre("why"));
  EXPECT_THAT(Texts({"help", "wh"}), ElementsAre("why"));
  EXPECT_THAT(Texts({"help", "why", ""}), IsEmpty());
  EXPECT_THAT(Texts({"--h"}), ElementsAre("--help"));
  EXPECT_THAT(Texts({"history", "--"}),
              IsSupersetOf({"--store", "--since", "--output", "--help", "--follow"}));
  EXPECT_THAT(Texts({"history", "shop/web", "--un"}), ElementsAre("--until"));
  EXPECT_THAT(Texts({"why", "--un"}), IsEmpty());
  EXPECT_THAT(Texts({"nothing", ""}), IsEmpty());
  const auto completion = Complete(program_, {"history", "--since"});
  ASSERT_EQ(completion.candidates.size(), 1U);
  EXPECT_THAT(completion.candidates[0].help, Not(IsEmpty()));
}

TEST_F(CompletionTest, ChoicesOfValues) {
  EXPECT_THAT(Texts({"why", "-o", ""}), Contains("json"));
  EXPECT_THAT(Texts({"history", "--output", "js"}), ElementsAre("json"));
  EXPECT_THAT(Texts({"history", "--output=js"}), ElementsAre("--output=json"));
  EXPECT_THAT(Texts({"history", "--output", "="}), Contains("json")) << "as bash has it";
  EXPECT_THAT(Texts({"history", "--output", "=", "js"}), ElementsAre("json"));
  EXPECT_THAT(Texts({"history", "--kind", "h"}), ElementsAre("hpa"));
  EXPECT_THAT(Texts({"completion", ""}), ElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(Texts({"override", ""}), ElementsAre("end")) << "one choice, too";
  EXPECT_THAT(Texts({"history", "--since", ""}), IsEmpty());
}

TEST_F(CompletionTest, WhatOnlyOthersKnow) {
  const struct {
    std::vector<std::string> words;
    Wanted wanted;
    const char* word;
  } kCases[] = {
      {{"why", ""}, Wanted::kAutoscaler, ""},
      {{"why", "sho"}, Wanted::kAutoscaler, "sho"},
      {{"why", "--utc", "-o", "json", "a"}, Wanted::kAutoscaler, "a"},
      {{"why", "--store", "db", "a"}, Wanted::kAutoscaler, "a"},
      {{"why", "--store=db", "a"}, Wanted::kAutoscaler, "a"},
      {{"why", "--store", "=", "db", "a"}, Wanted::kAutoscaler, "a"},
      {{"why", "shop/web", ""}, Wanted::kNothing, ""},
      {{"why", "-n", "s"}, Wanted::kNamespace, "s"},
      {{"why", "--namespace=s"}, Wanted::kNamespace, "s"},
      {{"why", "-nshop", "a"}, Wanted::kAutoscaler, "a"},
      {{"why", "-nsh"}, Wanted::kNamespace, "sh"},
      {{"history", "-fn", "s"}, Wanted::kNamespace, "s"},
      {{"history", "-fnsh"}, Wanted::kNamespace, "sh"},
      {{"why", "--store", "/var/"}, Wanted::kFile, "/var/"},
      {{"validate", ""}, Wanted::kFile, ""},
      {{"override", "end", "w"}, Wanted::kOverride, "w"},
      {{"validate", "-f", ""}, Wanted::kFile, ""},
      {{"why", "--nothing", ""}, Wanted::kAutoscaler, ""},
  };
  for (const auto& c : kCases) {
    const auto completion = Complete(program_, c.words);
    EXPECT_EQ(completion.wanted, c.wanted) << ::testing::PrintToString(c.words);
    if (c.wanted != Wanted::kNothing) {
      EXPECT_EQ(completion.word, c.word) << ::testing::PrintToString(c.words);
    }
  }
  const auto completion =
      Complete(program_, {"why", "--store", "x", "--store=db", "-n", "shop", ""});
  EXPECT_EQ(ValueOf(*completion.command, completion.arguments, "--store"), "db");
  EXPECT_EQ(ValueOf(*completion.command, completion.arguments, "--namespace"), "shop");
  EXPECT_EQ(ValueOf(*completion.command, completion.arguments, "--kind"), "");
  EXPECT_THAT(Texts({"why", "-ojs"}), ElementsAre("-ojson"));
  const auto glued = Complete(program_, {"history", "-fnshop", ""});
  EXPECT_EQ(ValueOf(*glued.command, glued.arguments, "--namespace"), "shop");
}

}  // namespace
}  // namespace ballast::cli
