#include "operator/cli/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "operator/cli/ledger/exported_decision.h"
#include "operator/cli/testing/test_records.h"
#include "operator/explain/decision_stream.h"
#include "store/packing/compress.h"
#include "store/sqlite/partial_files.h"
#include "store/sqlite/sqlite.h"
#include "store/testing/open_ledger.h"

namespace ballast::cli {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;
using testing::WebAt;

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

class Export : public testing::RecordsTest {
 protected:
  Export() {
    web_.Evaluate(WebAt(0, 2, "33"));
    web_.Evaluate(WebAt(15, 4, "40"));
    EXPECT_TRUE(ledger_->Flush().ok());
  }
};

TEST_F(Export, OneObjectALine) {
  const auto lines = Lines(testing::Run(AddExport, {"--store", path_}).out);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[0], AllOf(StartsWith(R"({"id":1,"kind":"AutoScalePolicy")"),
                              HasSubstr(R"("snapshot":{"now":"2026-03-04T12:00:00Z")"),
                              HasSubstr(R"("conclusion":{"desiredReplicas":4)")));
  EXPECT_TRUE(json::Parse(lines[0]).ok());
  EXPECT_EQ(Lines(testing::Run(AddExport,
                               {"shop/web", "--store", path_, "--since", "2026-03-04T12:00:05Z"})
                      .out)
                .size(),
            1U);
}

// Also what was found out later, which the conclusion is not about, and what has several reasons.
TEST_F(Export, HasAllThatIsKept) {
  web_.Evaluate(WebAt(30, 4, "80"), {engine::Outcome::Kind::kUnknown, "timed out"});
  ledger_->Append(
      store::Resolved{3, {engine::Outcome::Kind::kFailed, "replicas are 4"}, testing::After(45)});
  ASSERT_TRUE(ledger_->Flush().ok());
  const auto lines = Lines(testing::Run(AddExport, {"--store", path_}).out);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_THAT(lines[2], HasSubstr(R"("concluded":{"outcome":"unknown","error":"timed out"})"));
  store::FullEntry decision;
  decision.entry.id = 1;
  decision.entry.ledger = "b/ballast-0";
  decision.reasons = {{testing::After(5), "ScaleUp", "cpu", {"{}", ""}},
                      {testing::After(6), "ScaleDown", "memory", {}}};
  EXPECT_THAT(PrintLine(decision),
              AllOf(StartsWith(R"({"pod":"b/ballast-0","id":1,)"),
                    EndsWith(R"("reasons":[{"time":"2026-03-04T12:00:05Z","reason":"ScaleUp",)"
                             R"("message":"cpu","snapshot":{}},{"time":"2026-03-04T12:00:06Z",)"
                             R"("reason":"ScaleDown","message":"memory"}]})")));
  EXPECT_EQ(IdOf(decision.entry), "b/ballast-0/1");
}

TEST_F(Export, SnapshotsAreWhatDecideReads) {
  const auto lines = Lines(testing::Run(AddExport, {"--store", path_, "-o", "snapshots"}).out);
  ASSERT_FALSE(lines.empty());
  explain::DecisionStream stream(engine::Tracing::kOff);
  EXPECT_THAT(stream.Answer(lines[0]), StartsWith(R"({"id":"1","desiredReplicas":4,)"));
  EXPECT_FALSE(stream.found_wrong());
}

TEST_F(Export, MoreThanOneBatch) {
  for (int i = 0; i < 450; ++i) {
    // Failed writes are not merged: each is a record.
    web_.Evaluate(WebAt(30 + 15 * i, 4, "80"), {engine::Outcome::Kind::kFailed, "no"});
  }
  ASSERT_TRUE(ledger_->Flush().ok());
  EXPECT_EQ(Lines(testing::Run(AddExport, {"--store", path_}).out).size(), 452U);
}

TEST_F(Export, ABackupWhoseReaderGoesAwayLeavesNothing) {
  ASSERT_TRUE(ledger_->Flush().ok());
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  close(ends[0]);
  const int output = dup(STDOUT_FILENO);
  dup2(ends[1], STDOUT_FILENO);
  flags::Command program;
  ExitStatus status = ExitStatus::kDone;
  AddBackup(program, status);
  ASSERT_TRUE(program.Parse({"backup", "-", "--store", path_}).ok());
  dup2(output, STDOUT_FILENO);
  close(output);
  close(ends[1]);
  std::cout.clear();
  EXPECT_EQ(status, ExitStatus::kUsedWrong);
  for (const auto& file :
       std::filesystem::directory_iterator(std::filesystem::path(path_).parent_path())) {
    EXPECT_FALSE(store::IsPartial(file.path())) << file.path();
  }
}

TEST_F(Export, WhatCannotBeRestoredIsNoticedBeforeItIsReceived) {
  const auto open = testing::Run(AddRestore, {"-", "--store", path_});
  EXPECT_EQ(open.status, ExitStatus::kUsedWrong);
  EXPECT_THAT(open.error, HasSubstr("process"));
  EXPECT_THAT(open.error, HasSubstr("; with --at-start it takes the copy when it starts next\n"));
  const auto empty = testing::Run(AddRestore, {"-", "--store", folder_.Path("other")});
  EXPECT_EQ(empty.status, ExitStatus::kUsedWrong);
  EXPECT_EQ(empty.error, "ballast restore: standard input is empty\n");
  const auto wrong = testing::Run(AddRestore, {"-", "--store", folder_.Path("other")}, "no store");
  EXPECT_EQ(wrong.status, ExitStatus::kUsedWrong);
  EXPECT_EQ(wrong.error, "ballast restore: standard input has no copy that backup made\n");
  for (const auto& file : std::filesystem::directory_iterator(folder_.Path(""))) {
    EXPECT_FALSE(store::IsPartial(file.path())) << file.path();
  }
}

TEST_F(Export, ARestoreSaysTheRoomItNeedsAndWhereTheFormerStoreIs) {
  ASSERT_TRUE(ledger_->Flush().ok());
  const std::string copy = testing::Run(AddBackup, {"-", "--store", path_}).out;
  std::ofstream(folder_.Path("copy"), std::ios::binary) << copy;
  const std::string store = folder_.Path("store");
  const auto first = testing::Run(AddRestore, {"-", "--store", store}, copy);
  EXPECT_EQ(first.status, ExitStatus::kDone) << first.error;
  EXPECT_THAT(
      first.error,
      MatchesRegex("the copy takes [0-9]+ kB beside the store, where [0-9]+ [kM]B are free\n"));
  EXPECT_EQ(first.out, store + " is restored\n");
  const auto second = testing::Run(AddRestore, {folder_.Path("copy"), "--store", store});
  EXPECT_EQ(second.status, ExitStatus::kDone) << second.error;
  EXPECT_THAT(second.out,
              StartsWith(store + " is restored; what it was is now " + store + ".replaced-"));
  EXPECT_EQ(testing::Run(AddHistory, {"--store", store, "-o", "csv"}).out,
            testing::Run(AddHistory, {"--store", path_, "-o", "csv"}).out);
}

TEST_F(Export, ARestoreWaitsForTheOperatorThatRuns) {
  ASSERT_TRUE(ledger_->Flush().ok());
  const std::string copy = testing::Run(AddBackup, {"-", "--store", path_}).out;
  const auto done = testing::Run(AddRestore, {"-", "--at-start", "--store", path_}, copy);
  EXPECT_EQ(done.status, ExitStatus::kDone) << done.error;
  EXPECT_EQ(done.out, path_ + " will be restored when the operator starts next\n");
}

TEST_F(Export, ADamagedRecordCostsNoOther) {
  ledger_.reset();
  const auto database = store::Database::Open(path_, store::Access::kWrite).value();
  ASSERT_TRUE(
      database->Execute("UPDATE snapshots SET json = x'28b52ffd0011' WHERE decision = 1").ok());
  const auto exported = testing::Run(AddExport, {"--store", path_});
  EXPECT_EQ(exported.status, ExitStatus::kFoundWrong);
  EXPECT_EQ(exported.error, "1 record is damaged and left out; all others are here\n");
  ASSERT_EQ(Lines(exported.out).size(), 2U);
  EXPECT_THAT(Lines(exported.out)[0], Not(HasSubstr("snapshot")));
  EXPECT_THAT(Lines(exported.out)[1], HasSubstr("snapshot"));
  EXPECT_EQ(Lines(testing::Run(AddExport, {"--store", path_, "-o", "snapshots"}).out).size(), 1U);

  const auto replayed = Ask(AddReplay, {});
  EXPECT_EQ(replayed.status, ExitStatus::kFoundWrong);
  EXPECT_EQ(replayed.error, exported.error);
  EXPECT_EQ(replayed.out,
            "1 of 2 decisions were kept with their inputs and run again: all came out as "
            "recorded.\n");

  // Of what is no JSON only replay knows.
  const std::string no_json = store::Compress("{").value();
  ASSERT_TRUE(database->Run("UPDATE conclusions SET json = ?", store::Bytes{no_json}).ok());
  EXPECT_EQ(Ask(AddReplay, {}).error, "2 records are damaged and left out; all others are here\n");

  ASSERT_TRUE(database->Execute("UPDATE series SET data = x'00'").ok());
  const auto why = Ask(AddWhy, {"shop/web", "--at", "2026-03-04T12:00:15Z"});
  EXPECT_EQ(why.status, ExitStatus::kDone) << why.error;
  EXPECT_EQ(why.error, exported.error);
  ASSERT_TRUE(database->Execute("UPDATE decisions SET outcome = 'writtem' WHERE id = 1").ok());
  EXPECT_EQ(Lines(testing::Run(AddExport, {"--store", path_}).out).size(), 2U);
}

TEST_F(Export, OnlyTheNewest) {
  const auto newest = testing::Run(AddExport, {"--store", path_, "--utc", "--limit", "1"});
  EXPECT_EQ(Lines(newest.out).size(), 1U);
  EXPECT_THAT(newest.out, StartsWith(R"({"id":2,)"));
  EXPECT_EQ(newest.error,
            "1 earlier decision, from 2026-03-04 12:00:00 UTC on, is left out: "
            "--limit 0 shows all\n");
  for (const char* limit : {"0", "2"}) {
    const auto all = testing::Run(AddExport, {"--store", path_, "--limit", limit});
    EXPECT_EQ(Lines(all.out).size(), 2U) << limit;
    EXPECT_EQ(all.error, "");
  }
}

TEST_F(Export, ABackupOfAStoreThatIsOpenHasTheSameHistory) {
  const std::string copy = folder_.Path("copy.db");
  const auto done = testing::Run(AddBackup, {copy, "--store", path_});
  EXPECT_EQ(done.status, ExitStatus::kDone) << done.error;
  EXPECT_EQ(testing::Run(AddHistory, {"--store", copy, "-o", "csv"}).out,
            testing::Run(AddHistory, {"--store", path_, "-o", "csv"}).out);
  // No files are left beside the copy, and it can replace the store.
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& file :
       std::filesystem::directory_iterator(std::filesystem::path(copy).parent_path())) {
    files += file.path().filename().string().starts_with("copy") ? 1 : 0;
  }
  EXPECT_EQ(files, 1U);
  EXPECT_TRUE(store::testing::OpenLedger(copy).ok());

  std::ofstream(folder_.Path("streamed"), std::ios::binary)
      << testing::Run(AddBackup, {"-", "--store", path_}).out;
  EXPECT_EQ(testing::Run(AddHistory, {"--store", folder_.Path("streamed"), "-o", "csv"}).out,
            testing::Run(AddHistory, {"--store", path_, "-o", "csv"}).out);

  const auto again = testing::Run(AddBackup, {copy, "--store", path_});
  EXPECT_EQ(again.status, ExitStatus::kUsedWrong);
  EXPECT_THAT(again.error, HasSubstr("exists; name a new file"));
  EXPECT_THAT(testing::Run(AddBackup, {folder_.Path("no/such/folder"), "--store", path_}).error,
              StartsWith("ballast backup: "));
}

}  // namespace
}  // namespace ballast::cli
