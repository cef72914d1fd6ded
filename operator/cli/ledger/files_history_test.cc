// The subcommands that read the history, of the files of two replicas that led in turn.
#include "operator/cli/ledger/files_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "operator/cli/commands.h"
#include "operator/cli/testing/test_records.h"
#include "store/testing/open_ledger.h"

namespace ballast::cli {
namespace {

using testing::After;
using ::testing::AllOf;
using testing::Answer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::LinesOf;
using testing::WebAt;

class FilesHistoryTest : public ::testing::Test {
 protected:
  // The file of a replica that started at After(started) and led since then, as `leader` if that is
  // not empty.
  std::string Write(const std::string& name, std::int64_t started, const std::string& leader,
                    const std::vector<engine::Snapshot>& snapshots) {
    std::string path = folder_.Path(name);
    const auto ledger =
        store::testing::OpenLedger(path, {}, {.process = store::Process{After(started), {}}})
            .value();
    if (!leader.empty()) {
      ledger->Append(store::TermSeen{leader, true, After(started)});
    }
    testing::Life life(*ledger);
    for (const engine::Snapshot& snapshot : snapshots) {
      life.Evaluate(snapshot);
    }
    EXPECT_TRUE(ledger->Flush().ok());
    return path;
  }

  // Two leaders in turn.
  void LeadInTurn(const std::string& first = "ballast-0_11",
                  const std::string& second = "ballast-1_12") {
    paths_ = {
        Write("a.db", -5, first, {WebAt(0, 2, "33"), WebAt(15, 4, "40"), WebAt(75, 6, "90")}),
        Write("b.db", -4, second, {WebAt(30, 4, "60"), WebAt(45, 6, "60"), WebAt(60, 6, "60")})};
  }

  Answer Ask(testing::AddCommand add, std::vector<std::string> words = {}) {
    for (const std::string& path : paths_) {
      words.insert(words.end(), {"--store", path});
    }
    words.emplace_back("--utc");
    return testing::Run(add, std::move(words));
  }

  const store::testing::Folder folder_;
  std::vector<std::string> paths_;
};

TEST_F(FilesHistoryTest, IsOneHistory) {
  LeadInTurn();
  const Answer answer = Ask(AddHistory, {"shop/web"});
  EXPECT_EQ(answer.status, ExitStatus::kDone) << answer.error;
  EXPECT_EQ(answer.error, "");
  std::vector<std::string> rows;
  for (const std::string& line : LinesOf(answer.out)) {
    rows.push_back(line.substr(0, 50));
  }
  EXPECT_THAT(rows, ElementsAre("TIME (UTC)           POD        REPLICAS  OUTCOME ",
                                "2026-03-04 12:00:00  ballast-0  2 -> 4    written ",
                                "2026-03-04 12:00:15  ballast-0  4                 ",
                                "2026-03-04 12:00:30  ballast-1  4 -> 6    written ",
                                "2026-03-04 12:00:45  ballast-1  6                 ",
                                "2026-03-04 12:01:15  ballast-0  6 -> 9    written "));
  EXPECT_THAT(Ask(AddReplay).out,
              HasSubstr("5 of 5 decisions were kept with their inputs and run again: all came"));
  EXPECT_EQ(LinesOf(Ask(AddExport).out).size(), 5U);
  EXPECT_THAT(Ask(AddWhy, {"shop/web", "--at", "2026-03-04T12:00:31Z"}).out,
              AllOf(HasSubstr("From the ledger of ballast-1:"), HasSubstr("from 4 to 6")));
  EXPECT_THAT(Ask(AddWhy, {"shop/web", "--at", "2026-03-04T12:01:15Z"}).out,
              HasSubstr("From the ledger of ballast-0:"));
}

TEST_F(FilesHistoryTest, NamesFilesWherePodsDoNotTellThemApart) {
  LeadInTurn("ballast-0_11", "ballast-0_12");
  EXPECT_THAT(Ask(AddHistory, {"shop/web", "-o", "csv"}).out,
              AllOf(HasSubstr("," + paths_[0] + "\r"), HasSubstr("," + paths_[1] + "\r")));
  paths_[1] = Write("c.db", -3, "", {WebAt(90, 9, "90")});
  EXPECT_THAT(Ask(AddHistory, {"shop/web", "-o", "csv"}).out,
              AllOf(HasSubstr("," + paths_[0] + "\r"), HasSubstr("," + paths_[1] + "\r")));
}

TEST_F(FilesHistoryTest, CountsNoDecisionTwice) {
  LeadInTurn();
  const std::string copy = folder_.Path("copy.db");
  std::filesystem::copy(paths_[0], copy);
  for (const std::string& again : {paths_[0], copy}) {
    paths_.push_back(again);
    const Answer answer = Ask(AddHistory, {"shop/web"});
    EXPECT_EQ(answer.status, ExitStatus::kUsedWrong);
    EXPECT_EQ(answer.error, "ballast history: " + paths_[0] + " and " + again +
                                " are copies of one ledger: give the newer one alone\n");
    paths_.pop_back();
  }
  paths_.push_back(folder_.Path("none"));
  EXPECT_THAT(Ask(AddExport).error, HasSubstr("none: no such file"));
}

}  // namespace
}  // namespace ballast::cli
