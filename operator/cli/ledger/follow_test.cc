#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "operator/cli/commands.h"
#include "operator/cli/ledger/history_print.h"
#include "operator/cli/testing/test_records.h"
#include "operator/explain/new_lines.h"
#include "store/sqlite/reader.h"
#include "store/testing/test_store.h"

namespace ballast::cli {
namespace {

using store::testing::At;
using store::testing::EvaluationOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// "5 -> 6 written", "gap", "edited".
std::string Describe(const explain::Line& line) {
  if (const auto* entry = std::get_if<store::Entry>(&line)) {
    const std::string outcome = Outcome(*entry);
    return Replicas(*entry) + (outcome.empty() ? "" : " " + outcome);
  }
  return std::holds_alternative<explain::Gap>(line)       ? "gap"
         : std::holds_alternative<store::EditEntry>(line) ? "edited"
                                                          : "by others";
}

class FollowTest : public testing::RecordsTest {
 protected:
  void Stay(const std::string& name, double from, double to, std::int32_t replicas) {
    for (double t = from; t <= to; t += 15) {
      ledger_->Append(store::Evaluated{EvaluationOf(name, t, replicas, replicas), {}, nullptr});
    }
  }
  store::DecisionId Intend(double at, std::int32_t from, std::int32_t to) {
    return ledger_->AppendDurably(store::Intended{EvaluationOf("web", at, from, to, "Up")}).id;
  }
  void Settle(store::DecisionId id, double at) {
    ledger_->Append(store::Concluded{id, store::testing::kWritten, At(at), {}, nullptr});
  }

  std::vector<std::string> Read(explain::NewLines& news) {
    EXPECT_TRUE(ledger_->Flush().ok());
    std::vector<std::string> told;
    const auto reader = store::Reader::Open(path_).value();
    const Status done = news.Read(*reader, At(1e6), [&](std::vector<explain::Line> lines) {
      for (const explain::Line& line : lines) {
        told.push_back(Describe(line));
      }
      return Status(Done{});
    });
    EXPECT_TRUE(done.ok());
    return told;
  }
};

TEST_F(FollowTest, EachLineIsToldOnce) {
  explain::NewLines news({}, {});
  EXPECT_THAT(Read(news), IsEmpty());
  Stay("web", 0, 60, 5);
  EXPECT_THAT(Read(news), ElementsAre("5"));
  Stay("web", 75, 600, 5);
  EXPECT_THAT(Read(news), IsEmpty()) << "the same run";
  const auto id = Intend(615, 5, 6);
  EXPECT_THAT(Read(news), IsEmpty()) << "its outcome is not known";
  Stay("api", 620, 900, 1);
  EXPECT_THAT(Read(news), ElementsAre("1"));
  Settle(id, 901);
  EXPECT_THAT(Read(news), ElementsAre("5 -> 6 written")) << "however late";
  const store::Subject web = EvaluationOf("web", 0, 5, 5).subject;
  ledger_->Append(store::ForeignChangeSeen{web, {At(910), 6, 7, "kubectl", {}}});
  Stay("web", 910, 940, 7);
  EXPECT_THAT(Read(news), ElementsAre("by others", "7"));
  Stay("web", 1800, 1815, 7);
  EXPECT_THAT(Read(news), ElementsAre("gap", "7"));
  EXPECT_THAT(Read(news), IsEmpty());
}

TEST_F(FollowTest, ARecordMayComeAfterThatOfALaterEvaluation) {
  explain::NewLines news({}, {});
  Stay("api", 0, 45, 1);
  EXPECT_THAT(Read(news), ElementsAre("1"));
  Stay("web", 10, 10, 3);
  EXPECT_THAT(Read(news), ElementsAre("3"));
}

TEST_F(FollowTest, WhatWasLeftOutIsNoNews) {
  Stay("web", 0, 0, 5);
  Stay("web", 15, 15, 6);
  Stay("web", 30, 30, 7);
  EXPECT_TRUE(ledger_->Flush().ok());
  const auto newest = store::Reader::Open(path_).value()->FindNewest({}, 1).value();
  ASSERT_TRUE(newest.has_value());
  explain::NewLines news({}, newest->from);
  EXPECT_THAT(Read(news), ElementsAre("7"));
  Stay("web", 45, 45, 8);
  EXPECT_THAT(Read(news), ElementsAre("8"));
}

// The command, with a pipe for standard output.
class FollowCommand : public FollowTest {
 protected:
  void Start(std::vector<std::string> arguments) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    std::cout.flush();
    saved_ = dup(STDOUT_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[1]);
    output_ = fdopen(ends[0], "r");
    arguments.insert(arguments.begin(), {"history", "--store", path_, "--utc", "-f"});
    command_ = std::thread([this, arguments]() mutable {
      flags::Command program;
      AddHistory(program, status_);
      EXPECT_TRUE(program.Parse(arguments).ok());
    });
  }
  std::string NextLine() {
    std::array<char, 500> line{};
    return std::fgets(line.data(), line.size(), output_) == nullptr ? "" : line.data();
  }
  ExitStatus Stop() {
    std::fclose(output_);
    command_.join();
    dup2(saved_, STDOUT_FILENO);
    close(saved_);
    return status_;
  }

 private:
  int saved_ = -1;
  std::FILE* output_ = nullptr;
  std::thread command_;
  ExitStatus status_ = ExitStatus::kUsedWrong;
};

TEST_F(FollowCommand, PrintsWhatComesUntilNobodyReads) {
  Stay("web", 0, 60, 5);
  ASSERT_TRUE(ledger_->Flush().ok());
  Start({"shop/web"});
  std::vector<std::string> lines = {NextLine(), NextLine()};
  Settle(Intend(75, 5, 6), 76);
  lines.push_back(NextLine());
  const ExitStatus status = Stop();
  EXPECT_EQ(status, ExitStatus::kDone);
  EXPECT_THAT(lines, ElementsAre(HasSubstr("TIME (UTC)"), HasSubstr("08:00:00  5    "),
                                 HasSubstr("08:01:15  5 -> 6    written")));
}

TEST_F(FollowCommand, TellsAnAutoscalerThatComesFromTheOthers) {
  Stay("web", 0, 60, 5);
  ASSERT_TRUE(ledger_->Flush().ok());
  Start({});
  std::vector<std::string> lines = {NextLine(), NextLine()};
  Stay("api", 75, 90, 6);
  EXPECT_TRUE(ledger_->Flush().ok());
  lines.push_back(NextLine());
  Stop();
  EXPECT_THAT(lines,
              ElementsAre(HasSubstr("AUTOSCALER"), HasSubstr("shop/web"), HasSubstr("shop/api")));
}

TEST_F(FollowCommand, JsonIsAnObjectALine) {
  Stay("web", 0, 60, 5);
  ASSERT_TRUE(ledger_->Flush().ok());
  Start({"shop/web", "-o", "json"});
  std::vector<std::string> lines = {NextLine()};
  Stay("web", 75, 90, 6);
  EXPECT_TRUE(ledger_->Flush().ok());
  lines.push_back(NextLine());
  Stop();
  EXPECT_THAT(lines, ElementsAre(::testing::MatchesRegex(R"(\{"id":.*\}.)"),
                                 HasSubstr(R"("currentReplicas":6)")));
}

}  // namespace
}  // namespace ballast::cli
