#include "operator/cli/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "operator/cli/history_print.h"
#include "operator/cli/near_names.h"
#include "store/ledger.h"
#include "store/test_store.h"

namespace ballast::cli {
namespace {

using store::Fate;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// 2027-01-15T08:00:00Z and later.
store::Entry EntryAt(double from, double until, std::int32_t current, std::int32_t desired,
                     Fate fate) {
  store::Entry entry;
  entry.id = 7;
  entry.subject = {"uid-web", "AutoScalePolicy", {"shop", "web"}};
  entry.time = store::testing::At(from);
  entry.until = store::testing::At(until);
  entry.current_replicas = current;
  entry.desired_replicas = desired;
  entry.reason = "ScaleUp";
  entry.message = "cpu above target";
  entry.fate = fate;
  return entry;
}

TEST(HistoryTable, OneLineEach) {
  auto scaled = EntryAt(0, 0, 2, 5, Fate::kWritten);
  auto quiet = EntryAt(15, 3735, 5, 5, Fate::kNone);
  quiet.evaluations = 249;
  auto failed = EntryAt(4000, 4000, 5, 12, Fate::kFailed);
  failed.error = "forbidden\nby quota";
  auto open = EntryAt(4015, 4060, 12, 12, Fate::kNone);
  open.open = true;
  EXPECT_EQ(HistoryTable({scaled, quiet, failed, open}, Zone::kUtc),
            "TIME (UTC)           REPLICAS  OUTCOME  LASTED       WHY\n"
            "2027-01-15 08:00:00  2 -> 5    written               ScaleUp: cpu above target\n"
            "2027-01-15 08:00:15  5                  1h2m (249x)  ScaleUp: cpu above target\n"
            "2027-01-15 09:06:40  5 -> 12   failed                ScaleUp: cpu above target: "
            "forbidden by quota\n"
            "2027-01-15 09:06:55  12                 45s so far   ScaleUp: cpu above target\n");
}

TEST(HistoryTable, NamesTheAutoscalersWhenThereAreSeveral) {
  auto other = EntryAt(0, 0, 2, 5, Fate::kDryRun);
  other.subject.key.name = "api";
  const auto table = HistoryTable({EntryAt(0, 0, 2, 5, Fate::kWritten), other}, Zone::kUtc);
  EXPECT_THAT(table, HasSubstr("AUTOSCALER"));
  EXPECT_THAT(table, HasSubstr("shop/api"));
}

TEST(NearNames, TheMostAlikeFirst) {
  const std::vector<std::string> names = {"shop/web", "shop/api", "shop/worker", "blog/web",
                                          "shop/web"};
  EXPECT_THAT(NearNames("shop/wbe", names), ElementsAre("shop/web", "blog/web"));
  EXPECT_THAT(NearNames("web", names), ElementsAre("blog/web", "shop/web"));
  EXPECT_THAT(NearNames("something-else-altogether", names), IsEmpty());
}

struct Answer {
  ExitStatus status = ExitStatus::kDone;
  std::string out;
  std::string error;
};

Answer History(std::vector<std::string> arguments) {
  Answer answer;
  CLI::App program;
  AddHistory(program, answer.status);
  arguments.insert(arguments.begin(), "history");
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  program.parse(arguments);
  answer.out = ::testing::internal::GetCapturedStdout();
  answer.error = ::testing::internal::GetCapturedStderr();
  return answer;
}

TEST(History, TellsWhatTheLedgerRecorded) {
  const store::testing::Folder folder;
  const std::string path = folder.Path("db");
  EXPECT_EQ(History({"--store", path}).status, ExitStatus::kUsedWrong);
  std::ofstream(path).close();
  EXPECT_EQ(History({"--store", path}).out, "Nothing is recorded yet.\n");

  auto ledger = store::Ledger::Open(path);
  ASSERT_TRUE(ledger.ok());
  const auto intent = (*ledger)->RecordIntent(store::testing::Evaluated("web", 0, 2, 5, "Up"));
  (*ledger)->RecordOutcome(intent.id, {engine::Outcome::Kind::kFailed, "forbidden"},
                           store::testing::At(1), {}, nullptr);
  ASSERT_TRUE((*ledger)->Flush().ok());

  // While the operator has it open.
  EXPECT_THAT(History({"shop/web", "--store", path, "--utc"}).out,
              HasSubstr("2027-01-15 08:00:00  2 -> 5    failed           Up: because of Up: "
                        "forbidden\n"));
  EXPECT_EQ(History({"shop/web", "--store", path, "-o", "json"}).out,
            R"([{"id":1,"kind":"AutoScalePolicy","namespace":"shop","name":"web",)"
            R"("uid":"uid-web","time":"2027-01-15T08:00:00Z","until":"2027-01-15T08:00:00Z",)"
            R"("open":false,"evaluations":1,"currentReplicas":2,"desiredReplicas":5,)"
            R"("reason":"Up","message":"because of Up","outcome":"failed","error":"forbidden",)"
            R"("settled":"2027-01-15T08:00:01Z"}])"
            "\n");
  EXPECT_EQ(History({"--store", path, "--since", "2027-01-15T08:00:01Z"}).out,
            "Nothing is recorded in this time.\n");

  const auto wrong = History({"shop/wbe", "--store", path});
  EXPECT_EQ(wrong.status, ExitStatus::kUsedWrong);
  EXPECT_EQ(wrong.error,
            "ballast history: nothing is recorded of \"shop/wbe\"; did you mean shop/web?\n");
  EXPECT_THAT(History({"--store", path, "--since", "yesterday"}).error,
              HasSubstr("--since: \"yesterday\" is neither a time"));
}

}  // namespace
}  // namespace ballast::cli
