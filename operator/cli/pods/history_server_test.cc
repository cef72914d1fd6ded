#include "operator/cli/pods/history_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "operator/cli/pods/history_json.h"
#include "operator/cli/testing/run.h"
#include "store/sqlite/reader.h"
#include "store/testing/open_ledger.h"
#include "store/testing/test_store.h"

namespace ballast::cli {
namespace {

using store::testing::At;
using store::testing::EvaluationOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const store::Subject kWeb = {"uid-web", "AutoScalePolicy", {"shop", "web"}};

class HistoryServerTest : public ::testing::Test {
 protected:
  HistoryServerTest() {
    const auto ledger = store::testing::OpenLedger(path_).value();
    for (int i = 0; i < 40; ++i) {
      auto evaluation = EvaluationOf("web", i * 15, 2 + i / 10, 2 + i / 10);
      evaluation.readings = {{"Resource/cpu", "Utilization", 50'000, At(i * 15 - 4)}};
      ledger->Append(store::Evaluated{evaluation, {}, nullptr});
    }
    ledger->Append(store::ForeignChangeSeen{kWeb, {At(150), 2, 3, "kubectl", {}}});
    ledger->Append(store::EditSeen{kWeb, {At(300), "spec.max", "3", "4", "kubectl", {}}});
    ledger->Append(store::Evaluated{store::testing::LateEvaluationOf("api", 0, 100), {}, nullptr});
  }

  std::vector<std::string> AnswersTo(const std::string& questions) const {
    std::istringstream in(questions);
    std::ostringstream out;
    const Status done = AnswerQuestions(path_, in, out);
    EXPECT_TRUE(done.ok());
    return testing::LinesOf(out.str());
  }
  std::string AnswerTo(const HistoryQuestion& question) const {
    return AnswersTo(Print(question) + "\n").at(1);
  }
  template <typename T>
  static std::string Answer(const Result<T>& answer) {
    return PrintAnswer(answer, 0);
  }

  const store::testing::Folder folder_;
  const std::string path_ = folder_.Path("db");
};

TEST_F(HistoryServerTest, SaysWhatTheHistorySays) {
  const auto reader = store::Reader::Open(path_).value();
  const store::HistoryQuery web{.key = kWeb.key};
  const store::HistoryQuery later{.since = At(200), .until = At(400), .namespace_ = "shop"};
  const store::Place place{At(160), 0};
  const store::AutoscalerPlace none;
  const struct {
    HistoryQuestion question;
    std::string answer;
  } kCases[] = {
      {{.call = "howFarBack", .query = web}, Answer(reader->HowFarBack(web))},
      {{.call = "knows", .query = web}, Answer(reader->Knows(kWeb.key, ""))},
      {{.call = "knows", .query = {.key = api::ObjectKey{"shop", "no"}}}, Answer<bool>(false)},
      {{.call = "subjects"}, Answer(reader->Subjects())},
      {{.call = "extent", .query = web}, Answer(reader->ExtentOf(web))},
      {{.call = "entries", .query = later}, Answer(reader->ReadEntryPage(later, {}))},
      {{.call = "entries", .query = web, .place = place},
       Answer(reader->ReadEntryPage(web, place))},
      {{.call = "newest", .query = web, .count = 2}, Answer(reader->FindNewest(web, 2))},
      {{.call = "look", .query = web, .from = At(310)}, Answer(reader->Look(web, At(310)))},
      {{.call = "foreignChanges", .query = web}, Answer(reader->ForeignChanges(web))},
      {{.call = "edits", .query = later}, Answer(reader->Edits(later))},
      {{.call = "delays", .query = web}, Answer(reader->DelaysInRuns(web))},
      {{.call = "explain", .from = At(600), .to = At(900), .subject = kWeb},
       Answer(reader->Explain(&kWeb, At(600), At(900)))},
      {{.call = "explain", .from = At(600), .to = At(900)},
       Answer(reader->Explain(nullptr, At(600), At(900)))},
      {{.call = "decisions", .query = web}, Answer(reader->ReadDecisionPage(web, none))},
      {{.call = "evaluations", .query = later}, Answer(reader->ReadEvaluationPage(later, none))}};
  for (const auto& c : kCases) {
    EXPECT_EQ(AnswerTo(c.question), c.answer) << c.question.call;
  }
}

TEST_F(HistoryServerTest, GreetsAndAnswersEachLine) {
  const auto answers = AnswersTo("what?\n" + Print(HistoryQuestion{.call = "guess"}) + "\n" +
                                 Print(HistoryQuestion{.call = "subjects"}) + "\n");
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_THAT(answers[0], HasSubstr(R"({"ballastHistory":1,"program":"ballast )"));
  EXPECT_THAT(answers[1], HasSubstr(R"({"error":"not JSON)"));
  EXPECT_THAT(answers[2], HasSubstr(R"( has no answer to \"guess\"")"));
  EXPECT_THAT(answers[3], HasSubstr(R"("name":"web")"));
}

TEST_F(HistoryServerTest, WithoutALedgerItDoesNotGreet) {
  std::istringstream in;
  std::ostringstream out;
  EXPECT_EQ(AnswerQuestions(folder_.Path("none"), in, out).error().code, Code::kNotFound);
  EXPECT_EQ(out.str(), "");
}

TEST_F(HistoryServerTest, EndsAtAnEmptyLine) {
  const std::string asked = Print(HistoryQuestion{.call = "subjects"}) + "\n";
  EXPECT_EQ(AnswersTo(asked + "\n" + asked).size(), 2u) << "the greeting and one answer";
}

// ---- What changes nothing is told shortly.

store::Entry EntryOf(const char* name, double from, double until, std::int32_t desired = 5) {
  store::Entry entry;
  entry.id = static_cast<store::DecisionId>(from) + 1;
  entry.subject = {std::string("uid-") + name, "AutoScalePolicy", {"shop", name}};
  entry.period = Duration::Seconds(15);
  entry.time = At(from);
  entry.until = At(until);
  entry.current_replicas = 5;
  entry.desired_replicas = desired;
  entry.reason = "Reason";
  return entry;
}

// "web 0-45, known until 75"
std::vector<std::string> Joined(std::vector<store::Entry> entries) {
  std::vector<std::string> texts;
  const auto seconds = [](Time time) { return std::to_string(time.unix_seconds() % 10'000); };
  for (const store::Entry& entry : JoinUnchanged(std::move(entries))) {
    texts.push_back(entry.subject.key.name + " " + seconds(entry.time) + "-" +
                    seconds(entry.until) + ", known until " + seconds(entry.known_until()) +
                    (entry.changes() ? "!" : ""));
    EXPECT_EQ(entry.reason, entry.changes() ? "Reason" : "");
  }
  return texts;
}

TEST(JoinUnchanged, JoinsWhatHasNoGap) {
  EXPECT_THAT(Joined({EntryOf("web", 0, 15), EntryOf("api", 5, 20), EntryOf("web", 30, 45),
                      EntryOf("web", 75, 75), EntryOf("api", 80, 80)}),
              ElementsAre("web 0-75, known until 105", "api 5-20, known until 50",
                          "api 80-80, known until 110"));
}

TEST(JoinUnchanged, LeavesChangesAsTheyAre) {
  EXPECT_THAT(Joined({EntryOf("web", 0, 15), EntryOf("web", 30, 30, 6), EntryOf("web", 45, 60),
                      EntryOf("web", 200, 200, 4)}),
              ElementsAre("web 0-60, known until 90", "web 30-30, known until 60!",
                          "web 200-200, known until 230!"));
}

// The period may have been another one; then how often it was evaluated tells.
TEST(JoinUnchanged, KnowsForAsLongAsItKnew) {
  store::Entry slow = EntryOf("web", 0, 120);
  slow.evaluations = 3;
  store::Entry crashed = EntryOf("web", 200, 210);
  crashed.resumed = At(1'000);
  crashed.heartbeats = Duration::Seconds(10);
  EXPECT_THAT(Joined({slow}), ElementsAre("web 0-120, known until 240"));
  EXPECT_THAT(Joined({slow, crashed}), ElementsAre("web 0-210, known until 240"));
}

}  // namespace
}  // namespace ballast::cli
