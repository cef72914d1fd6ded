#include "operator/cli/pods/pod_decisions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "operator/cli/commands.h"
#include "operator/cli/ledger/exported_decision.h"
#include "operator/cli/testing/fake_kubectl.h"
#include "operator/cli/testing/test_records.h"
#include "store/sqlite/sqlite_ledger.h"

namespace ballast::cli {
namespace {

using testing::After;
using ::testing::AllOf;
using testing::Answer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LinesOf;
using ::testing::StartsWith;
using testing::WebAt;

// The pods are those of which there is a file; each prints it, and ends as a second file says. The
// words of its question go into a third.
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
echo "$@" > "$folder/asked-$3"
cat "$folder/$3"
. "$folder/end-$3"
)sh";

constexpr const char* kUsedWrong = "echo 'command terminated with exit code 2' >&2; exit 2\n";

class PodDecisionsTest : public ::testing::Test {
 protected:
  // Pod ballast-`number` prints that, and ends so.
  void Prints(int number, const std::string& text, const std::string& end = "") {
    const std::string pod = "ballast-" + std::to_string(number);
    std::ofstream(Path(pod)) << text;
    std::ofstream(Path("end-" + pod)) << end;
  }

  // What `ballast export` prints of a ledger with these evaluations.
  static std::string ExportOf(const std::vector<engine::Snapshot>& snapshots) {
    const store::testing::Folder folder;
    const std::string path = folder.Path("db");
    {
      const auto ledger = store::OpenLedger(path).value();
      testing::Life life(*ledger);
      for (const engine::Snapshot& snapshot : snapshots) {
        life.Evaluate(snapshot);
      }
    }
    return testing::Run(AddExport, {"--store", path}).out;
  }

  Answer Ask(testing::AddCommand add, std::vector<std::string> words = {}) {
    words.emplace_back("--ballast-namespace=b");
    return testing::Run(add, std::move(words));
  }

  std::string Path(const std::string& name) const { return kubectl_.folder() + "/" + name; }

 private:
  const testing::FakeKubectl kubectl_{kKubectl};
};

engine::Snapshot Named(engine::Snapshot snapshot, const std::string& name) {
  snapshot.autoscaler.metadata.name = name;
  snapshot.autoscaler.metadata.uid = "uid-" + name;
  return snapshot;
}

// Two leaders in turn: each autoscaler's decisions come in the order in which they were made.
TEST_F(PodDecisionsTest, ComeAutoscalerByAutoscalerInTheirOrder) {
  Prints(0, ExportOf({WebAt(0, 2, "33"), Named(WebAt(0, 2, "33"), "api"), WebAt(60, 6, "90")}));
  // Its numbers are its own.
  Prints(1, ExportOf({Named(WebAt(20, 4, "60"), "api"), Named(WebAt(25, 4, "60"), "cart"),
                      WebAt(30, 4, "60")}));
  const Answer answer = Ask(AddExport);
  EXPECT_EQ(answer.status, ExitStatus::kDone) << answer.error;
  EXPECT_EQ(answer.error, "");
  std::vector<std::string> told;
  for (const std::string& line : LinesOf(answer.out)) {
    const ExportedDecision decision = ParseLine(line).value();
    told.push_back(decision.entry.subject.key.name + " " + decision.pod + " " +
                   std::to_string(static_cast<int>((decision.entry.time - After(0)).seconds())));
    EXPECT_EQ(PrintLine(decision), line);
  }
  EXPECT_THAT(told, ElementsAre("api b/ballast-0 0", "api b/ballast-1 20", "cart b/ballast-1 25",
                                "web b/ballast-0 0", "web b/ballast-1 30", "web b/ballast-0 60"));
  const auto snapshots = LinesOf(Ask(AddExport, {"-o", "snapshots"}).out);
  ASSERT_EQ(snapshots.size(), 6U);
  EXPECT_THAT(snapshots.back(), StartsWith(R"({"id":"b/ballast-0/)"));
}

TEST_F(PodDecisionsTest, PassesOnWhatIsAskedFor) {
  Prints(0, "");
  EXPECT_EQ(Ask(AddExport, {"shop/web", "--since", "2026-03-04T13:00:00+01:00", "--limit", "7",
                            "--kind", "asp"})
                .status,
            ExitStatus::kDone);
  std::ifstream asked(Path("asked-ballast-0"));
  std::string words;
  std::getline(asked, words);
  EXPECT_EQ(words,
            "exec --namespace=b ballast-0 --container ballast -- ballast export --store "
            "/var/lib/ballast/ballast.db shop/web --kind=AutoScalePolicy "
            "--since=2026-03-04T12:00:00Z --limit=7");
}

TEST_F(PodDecisionsTest, SaysWhoseAreMissing) {
  const std::string one = ExportOf({WebAt(0, 2, "33")});
  const struct {
    const char* name;
    std::string text;
    std::string end;
    std::string error;
  } kCases[] = {
      {"damaged", one,
       "echo '1 record is damaged and left out' >&2\n"
       "echo 'command terminated with exit code 1' >&2; exit 1",
       "b/ballast-1: 1 record is damaged and left out\n"},
      {"the connection ended", one, "echo 'error: unexpected EOF' >&2; exit 1",
       "ballast export: b/ballast-1 broke off: error: unexpected EOF\n"},
      {"so did it within a record", one.substr(0, 90), "",
       "ballast export: b/ballast-1 has no answer: what it prints is no decision: not JSON"},
      {"it never began", "", "echo 'Error from server (Forbidden): no' >&2; exit 1",
       "ballast export: b/ballast-1 was not reached: Error from server (Forbidden): no\n"},
      {"the store cannot be read", "",
       std::string("echo 'ballast export: the store is damaged' >&2\n") + kUsedWrong,
       "ballast export: b/ballast-1 has no answer: ballast export: the store is damaged\n"}};
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    Prints(0, one);
    Prints(1, c.text, c.end);
    const Answer answer = Ask(AddExport);
    EXPECT_EQ(answer.status, ExitStatus::kFoundWrong);
    EXPECT_THAT(answer.error, StartsWith(c.error));
    EXPECT_EQ(LinesOf(answer.out).size(), c.text == one ? 2U : 1U);
  }
  // One that never led has answered.
  Prints(
      1, "",
      std::string("echo 'ballast export: nothing is recorded of \"shop/web\"' >&2\n") + kUsedWrong);
  Answer answer = Ask(AddExport, {"shop/web"});
  EXPECT_EQ(answer.status, ExitStatus::kDone);
  EXPECT_EQ(answer.error, "");
  Prints(0, "", "echo 'Error from server: no' >&2; exit 1");
  answer = Ask(AddExport, {"shop/web"});
  EXPECT_EQ(answer.status, ExitStatus::kUsedWrong);
  EXPECT_THAT(answer.error, HasSubstr("ballast export: b/ballast-1: ballast export: nothing is "
                                      "recorded of \"shop/web\"\n"));
}

TEST_F(PodDecisionsTest, AreReplayedHere) {
  auto other = WebAt(30, 4, "60");
  Prints(0, ExportOf({WebAt(0, 2, "33"), WebAt(60, 6, "90")}));
  Prints(1, ExportOf({other}));
  Answer answer = Ask(AddReplay);
  EXPECT_EQ(answer.status, ExitStatus::kDone) << answer.error;
  EXPECT_EQ(answer.out,
            "3 of 3 decisions were kept with their inputs and run again: all came out as "
            "recorded.\n");
  // A count that no engine decides from these inputs.
  std::string wrong = ExportOf({other});
  const std::string count = R"("desiredReplicas":6)";
  ASSERT_THAT(wrong, HasSubstr(count));
  for (std::size_t at = 0; (at = wrong.find(count, at)) != std::string::npos; ++at) {
    wrong.replace(at, count.size(), R"("desiredReplicas":9)");
  }
  Prints(1, wrong);
  answer = Ask(AddReplay, {"--utc"});
  EXPECT_EQ(answer.status, ExitStatus::kFoundWrong);
  EXPECT_THAT(answer.out, AllOf(HasSubstr("2026-03-04 12:00:30  shop/web    b/ballast-1/1  "),
                                HasSubstr("1 came out differently, and 0 of other versions.")));
  EXPECT_THAT(Ask(AddReplay, {"-o", "json"}).out,
              HasSubstr(R"("differing":[{"pod":"b/ballast-1","id":1,)"));
}

}  // namespace
}  // namespace ballast::cli
