// The subcommands that read the history, from what several pods answer. In the place of each pod's
// `ballast` this very program runs (main, below).
#include "operator/cli/pods/pods_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "api/json/json.h"
#include "operator/cli/commands.h"
#include "operator/cli/pods/history_json.h"
#include "operator/cli/pods/history_server.h"
#include "operator/cli/testing/fake_kubectl.h"
#include "operator/cli/testing/test_records.h"
#include "operator/cli/version.h"
#include "store/testing/open_ledger.h"

namespace ballast::cli {
namespace {

using testing::After;
using ::testing::AllOf;
using testing::Answer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::LinesOf;
using ::testing::Not;
using ::testing::StartsWith;
using testing::WebAt;

// The pods are those of which there is a script. The words of its question go into a file.
constexpr const char* kKubectl = R"sh(#!/bin/sh
folder="${0%/kubectl}"
if [ "$1" = get ]; then
  printf '{"items": ['
  for pod in "$folder"/ballast-[0-9]; do
    printf '%s{"metadata": {"name": "%s", "namespace": "b", "ownerReferences": [{"apiVersion":
      "apps/v1", "kind": "StatefulSet", "name": "ballast", "controller": true}]}, "spec":
      {"containers": [{"name": "ballast", "args": ["operator"]}]}}' "$comma" "${pod##*/}"
    comma=,
  done
  echo ']}'
  exit
fi
echo "$@" > "$folder/asked-$4"
. "$folder/$4"
)sh";

engine::Snapshot Named(engine::Snapshot snapshot, const std::string& name) {
  snapshot.autoscaler.metadata.name = name;
  snapshot.autoscaler.metadata.uid = "uid-" + name;
  return snapshot;
}

class PodsHistoryTest : public ::testing::Test {
 protected:
  // Pod ballast-`number` runs that.
  void Runs(int number, const std::string& script) {
    std::ofstream(Path("ballast-" + std::to_string(number))) << script << "\n";
  }

  // Its ledger has these evaluations.
  void Has(int number, const std::vector<engine::Snapshot>& snapshots) {
    const std::string path = Path("db-" + std::to_string(++ledgers_));
    const auto ledger = store::testing::OpenLedger(path).value();
    testing::Life life(*ledger);
    for (const engine::Snapshot& snapshot : snapshots) {
      life.Evaluate(snapshot);
    }
    Runs(number, "exec '" + std::filesystem::read_symlink("/proc/self/exe").string() +
                     "' __history --store '" + path + "'");
  }

  Answer Ask(testing::AddCommand add, std::vector<std::string> words = {}) {
    words.insert(words.end(), {"--ballast-namespace=b", "--utc"});
    return testing::Run(add, std::move(words));
  }

  // Two leaders in turn.
  void LeadInTurn() {
    Has(0, {WebAt(0, 2, "33"), WebAt(15, 4, "40"), WebAt(75, 6, "90")});
    Has(1, {WebAt(30, 4, "60"), WebAt(45, 6, "60"), WebAt(60, 6, "60")});
  }

  std::string Path(const std::string& name) const { return kubectl_.folder() + "/" + name; }

 private:
  const testing::FakeKubectl kubectl_{kKubectl};
  int ledgers_ = 0;
};

TEST_F(PodsHistoryTest, IsOneHistory) {
  LeadInTurn();
  const Answer answer = Ask(AddHistory, {"shop/web"});
  EXPECT_EQ(answer.status, ExitStatus::kDone) << answer.error;
  EXPECT_EQ(answer.error, "");
  std::vector<std::string> rows;
  for (const std::string& line : LinesOf(answer.out)) {
    rows.push_back(line.substr(0, 56));
  }
  EXPECT_THAT(rows, ElementsAre("TIME (UTC)           POD          REPLICAS  OUTCOME  LAS",
                                "2026-03-04 12:00:00  b/ballast-0  2 -> 4    written     ",
                                "2026-03-04 12:00:15  b/ballast-0  4                     ",
                                "2026-03-04 12:00:30  b/ballast-1  4 -> 6    written     ",
                                "2026-03-04 12:00:45  b/ballast-1  6                  15s",
                                "2026-03-04 12:01:15  b/ballast-0  6 -> 9    written     "));
  std::ifstream asked(Path("asked-ballast-1"));
  std::string words;
  std::getline(asked, words);
  EXPECT_EQ(words,
            "exec --stdin --namespace=b ballast-1 --container ballast -- ballast __history "
            "--store /var/lib/ballast/ballast.db");
  const auto csv = LinesOf(Ask(AddHistory, {"shop/web", "-o", "csv"}).out);
  ASSERT_EQ(csv.size(), 6U);
  EXPECT_THAT(csv[0], HasSubstr(",pod\r"));
  EXPECT_THAT(csv[1], HasSubstr(",b/ballast-0\r"));
  EXPECT_THAT(Ask(AddHistory, {"shop/web", "-o", "json"}).out,
              AllOf(StartsWith(R"([{"pod":"b/ballast-0","id":1,)"), Not(HasSubstr("gap"))));
}

TEST_F(PodsHistoryTest, HasTheNewestOfAll) {
  LeadInTurn();
  Answer answer = Ask(AddHistory, {"shop/web", "--limit", "2", "-o", "csv", "--no-headers"});
  EXPECT_EQ(answer.error,
            "3 earlier decisions, from 2026-03-04 12:00:00 UTC on, are left out: --limit 0 shows "
            "all\n");
  ASSERT_EQ(LinesOf(answer.out).size(), 2U);
  EXPECT_THAT(answer.out, StartsWith("2026-03-04T12:00:45Z,"));
  answer =
      Ask(AddHistory, {"shop/web", "--changes-only", "--limit", "2", "-o", "csv", "--no-headers"});
  EXPECT_THAT(answer.error, StartsWith("1 earlier change, from 2026-03-04 12:00:00 UTC on, is"));
  ASSERT_EQ(LinesOf(answer.out).size(), 2U);
  EXPECT_THAT(answer.out, StartsWith("2026-03-04T12:00:30Z,"));
  answer = Ask(AddExport, {"shop/web", "--limit", "2"});
  EXPECT_EQ(LinesOf(answer.out).size(), 2U);
}

// Their times are those of the person who asks, whatever the pods' are.
TEST_F(PodsHistoryTest, IsToldInTheZoneOfWhoAsks) {
  LeadInTurn();
  const char* const zone = std::getenv("TZ");
  const std::string before = zone == nullptr ? "" : zone;
  setenv("TZ", "Europe/Berlin", 1);
  tzset();
  const std::vector<std::string> where = {"shop/web", "--ballast-namespace=b"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), where.begin(), where.end());
    return more;
  };
  const Answer why = testing::Run(AddWhy, with({"--at", "2026-03-04 13:00:50"}));
  const Answer history = testing::Run(AddHistory, with({"--since", "2026-03-04 13:00:40"}));
  const Answer plot = testing::Run(AddHistory, with({"-o", "plot"}));
  zone == nullptr ? unsetenv("TZ") : setenv("TZ", before.c_str(), 1);
  tzset();
  EXPECT_EQ(why.status, ExitStatus::kDone) << why.error;
  EXPECT_THAT(why.out,
              AllOf(StartsWith("From the ledger of b/ballast-1:\nshop/web stayed at 6 replicas"),
                    HasSubstr("when      2026-03-04 13:00:45 CET (5s before)")));
  EXPECT_THAT(history.out, AllOf(StartsWith("TIME (CET) "), HasSubstr("2026-03-04 13:00:45")));
  EXPECT_THAT(plot.out, HasSubstr("2026-03-04 13:00:00 to 13:01:15 CET"));
}

TEST_F(PodsHistoryTest, OfAMomentThePodTellsThatLedThen) {
  LeadInTurn();
  Answer answer = Ask(AddWhy, {"shop/web", "--at", "2026-03-04T12:00:10Z"});
  EXPECT_EQ(answer.status, ExitStatus::kDone) << answer.error;
  EXPECT_THAT(answer.out, AllOf(StartsWith("From the ledger of b/ballast-0:\nshop/web was scaled "
                                           "from 2 to 4 replicas"),
                                HasSubstr("What was decided next\n  12:00:15  4")));
  answer = Ask(AddWhy, {"shop/web", "--at", "2026-03-04T12:00:31Z", "-o", "json"});
  EXPECT_THAT(answer.out, StartsWith(R"({"pod":"b/ballast-1","namespace":"shop","name":"web",)"));
  EXPECT_EQ(answer.error, "");
  // Both led, as each thought.
  Has(0, {WebAt(0, 2, "33"), WebAt(15, 4, "40"), WebAt(30, 4, "40"), WebAt(45, 4, "40")});
  answer = Ask(AddWhy, {"shop/web", "--at", "2026-03-04T12:00:46Z"});
  EXPECT_EQ(answer.error,
            "ballast why: b/ballast-0 has 4 replicas, decided at 12:00:15 UTC; what "
            "follows is from b/ballast-1\n");
}

TEST_F(PodsHistoryTest, DecisionsComeAutoscalerByAutoscalerInTheirOrder) {
  Has(0, {WebAt(0, 2, "33"), Named(WebAt(0, 2, "33"), "api"), WebAt(60, 6, "90")});
  // Its numbers are its own.
  Has(1, {Named(WebAt(20, 4, "60"), "api"), Named(WebAt(25, 4, "60"), "cart"), WebAt(30, 4, "60")});
  const Answer answer = Ask(AddExport);
  EXPECT_EQ(answer.status, ExitStatus::kDone) << answer.error;
  EXPECT_EQ(answer.error, "");
  std::vector<std::string> told;
  for (const std::string& line : LinesOf(answer.out)) {
    const json::Document document = json::Parse(line).value();
    json::Decoder decoder(document);
    const auto text = [&](const char* name) {
      return std::string(decoder.root().Member(name).Text());
    };
    told.push_back(text("name") + " " + text("pod") + " " + text("time").substr(17, 2));
    EXPECT_TRUE(decoder.root().Member("snapshot").IsObject());
  }
  EXPECT_THAT(told, ElementsAre("api b/ballast-0 00", "api b/ballast-1 20", "cart b/ballast-1 25",
                                "web b/ballast-0 00", "web b/ballast-1 30", "web b/ballast-0 00"));
  const auto snapshots = LinesOf(Ask(AddExport, {"-o", "snapshots"}).out);
  ASSERT_EQ(snapshots.size(), 6U);
  EXPECT_THAT(snapshots.back(), StartsWith(R"({"id":"b/ballast-0/)"));
}

TEST_F(PodsHistoryTest, IsReplayedHere) {
  LeadInTurn();
  const Answer answer = Ask(AddReplay);
  EXPECT_EQ(answer.status, ExitStatus::kDone) << answer.error;
  EXPECT_THAT(answer.out, HasSubstr("run again: all came out as recorded.\n"));
}

TEST_F(PodsHistoryTest, TheRestIsShownWhereOneGivesNoAnswer) {
  Has(0, {WebAt(0, 2, "33")});
  const std::string greeting =
      "echo '" + Print(HistoryGreeting{kHistoryLanguage, "ballast"}) + "'; ";
  const std::string newer = "echo '" + Print(HistoryGreeting{2, "ballast 9.0.0 (abc)"}) + "'; cat";
  const struct {
    const char* name;
    std::string script;
    std::string error;
  } kCases[] = {
      {"it may not be asked", "echo 'Error from server (Forbidden): no' >&2; exit 1",
       "b/ballast-1 was not reached: Error from server (Forbidden): no"},
      {"its store cannot be read",
       "echo 'ballast __history: the store is damaged' >&2\n"
       "echo 'command terminated with exit code 2' >&2; exit 2",
       "b/ballast-1 has no answer: ballast __history: the store is damaged"},
      {"it is older",
       "echo 'ballast has no subcommand \"__history\"' >&2\n"
       "echo 'command terminated with exit code 2' >&2; exit 2",
       "b/ballast-1 has no answer: ballast has no subcommand \"__history\"; its ballast is older "
       "than " +
           VersionText() + ": use one of its version"},
      {"it is newer", newer,
       "b/ballast-1 has no answer: it is ballast 9.0.0 (abc), and answers in version 2 of what " +
           VersionText() + " asks in version 1: ask with the pod's version"},
      {"it is something else", "echo hello; cat",
       "b/ballast-1 has no answer: what it prints is no greeting: not JSON"},
      {"what it answers is nothing", greeting + "echo '{}'; cat",
       "b/ballast-1 has no answer: what it prints is no answer: damaged: is required"},
      {"it answers with an error", greeting + R"(echo '{"error":"bad\u0007","damaged":0}'; cat)",
       "b/ballast-1 has no answer: bad\uFFFD\n"},
      {"the connection ended",
       greeting + R"(echo '{"answer":true,"damaged":0}'; echo 'unexpected EOF' >&2; exit 1)",
       "b/ballast-1 broke off: unexpected EOF"}};
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    Runs(1, c.script);
    for (const auto& [add, name] :
         std::initializer_list<std::pair<testing::AddCommand, std::string>>{
             {AddWhy, "why"}, {AddHistory, "history"}, {AddExport, "export"}}) {
      const Answer answer = Ask(add, {"shop/web"});
      EXPECT_THAT(answer.error, StartsWith("ballast " + name + ": " + c.error));
      EXPECT_EQ(answer.status, ExitStatus::kFoundWrong);
      EXPECT_THAT(answer.out, HasSubstr("b/ballast-0"));
    }
  }
}

TEST_F(PodsHistoryTest, WithoutAnyAnswerThereIsNone) {
  Runs(0, "echo 'Error from server (Forbidden): no' >&2; exit 1");
  Answer answer = Ask(AddHistory);
  EXPECT_EQ(answer.status, ExitStatus::kUsedWrong);
  EXPECT_EQ(answer.error,
            "ballast history: b/ballast-0 was not reached: Error from server (Forbidden): no\n"
            "ballast history: no pod of Ballast's has answered\n");
  // One that never led has answered.
  Has(0, {});
  Has(1, {WebAt(0, 2, "33")});
  EXPECT_EQ(Ask(AddHistory, {"shop/web"}).status, ExitStatus::kDone);
  answer = Ask(AddHistory, {"shop/wbe"});
  EXPECT_EQ(answer.status, ExitStatus::kUsedWrong);
  EXPECT_EQ(answer.error,
            "ballast history: nothing is recorded of \"shop/wbe\"; did you mean shop/web?\n");
}

// The answer of one comes only while the other is asked.
TEST_F(PodsHistoryTest, AsksAllAtTheSameTime) {
  Has(0, {WebAt(0, 2, "33")});
  std::ifstream script(Path("ballast-0"));
  std::string serve;
  std::getline(script, serve);
  ASSERT_EQ(mkfifo(Path("fifo").c_str(), 0600), 0);
  Runs(0, "cat \"$folder/fifo\" > \"$folder/told\"; " + serve);
  Runs(1, "echo hello > \"$folder/fifo\"; " + serve);
  const Answer answer = Ask(AddHistory, {"shop/web", "-o", "csv"});
  EXPECT_EQ(answer.status, ExitStatus::kDone) << answer.error;
}

TEST_F(PodsHistoryTest, LooksAgain) {
  Has(0, {WebAt(0, 2, "33")});
  Runs(1, "echo no >&2; exit 1");
  PodOptions options;
  options.ballast_namespace = "b";
  const auto pods = PodsHistory::Open(options, "history").value();
  EXPECT_FALSE(pods->TellLost());
  const auto ledgers = [&] {
    std::vector<std::string> names;
    const Status done = pods->history().ForEach({}, [&](const store::FullEntry& one) -> Status {
      names.push_back(one.entry.ledger);
      return Done{};
    });
    EXPECT_TRUE(done.ok());
    return names;
  };
  EXPECT_THAT(ledgers(), ElementsAre("b/ballast-0"));
  Has(1, {WebAt(15, 2, "33")});
  Has(2, {WebAt(30, 2, "33")});
  pods->LookAgain();
  EXPECT_TRUE(pods->TellLost());
  EXPECT_THAT(ledgers(), ElementsAre("b/ballast-0", "b/ballast-1", "b/ballast-2"));
  std::filesystem::remove(Path("ballast-1"));
  pods->LookAgain();
  EXPECT_THAT(ledgers(), ElementsAre("b/ballast-0", "b/ballast-2"));
}

}  // namespace
}  // namespace ballast::cli

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "__history") {
    return ballast::cli::AnswerQuestions(argv[3], std::cin, std::cout).ok() ? 0 : 2;
  }
  ::testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
