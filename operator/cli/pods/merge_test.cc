#include "operator/cli/pods/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "operator/cli/ledger/history_writer.h"
#include "store/testing/test_store.h"

namespace ballast::cli {
namespace {

using store::testing::At;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const store::Subject kWeb = {"uid-web", "AutoScalePolicy", {"shop", "web"}};

// Times are seconds after 2027-01-15T08:00:00Z.
store::Entry EntryAt(double from, double until, std::int32_t replicas) {
  store::Entry entry;
  entry.id = 7;
  entry.subject = kWeb;
  entry.time = At(from);
  entry.until = At(until);
  entry.evaluations = 3;
  entry.current_replicas = replicas;
  entry.desired_replicas = replicas + 1;
  entry.reason = "ScaleUp";
  entry.message = "cpu above target";
  entry.disposition = store::Disposition::kFailed;
  entry.error = "forbidden";
  entry.settled = At(until);
  entry.made_by = store::MadeBy::kAttempted;
  entry.engine = 4;
  return entry;
}

explain::Gap GapAt(double from, double to, const std::string& cause) {
  return {At(from), At(to), cause};
}

std::string Json(const std::vector<explain::Line>& lines) {
  HistoryWriter writer({.format = HistoryFormat::kJson}, {});
  const std::string text = writer.Add(lines);
  return text + writer.End();
}

TEST(ParseHistory, ReadsWhatIsPrinted) {
  const std::vector<explain::Line> lines = {
      EntryAt(0, 15, 2), GapAt(15, 60, "it was down"),
      store::ForeignChangeEntry{kWeb, {At(70), 2, 5, "kubectl", At(69)}},
      store::EditEntry{kWeb, {At(80), "spec.maxReplicas", "5", "9", "kubectl", At(79)}, 8}};
  const std::string text = Json(lines);
  const auto read = ParseHistory("a", text);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(Json(read->lines), text);
}

TEST(ParseHistory, RefusesWhatIsNot) {
  for (const auto& [text, problem] : std::vector<std::pair<std::string, std::string>>{
           {"[{", "not JSON"},
           {"{}", "expected an array"},
           {R"([{"gap": {"from": "2027-01-15T08:00:00Z", "cause": "x"}}])", "to: is required"},
           {R"([{"id": 1}])", "is required"}}) {
    SCOPED_TRACE(text);
    const auto read = ParseHistory("a", text);
    ASSERT_FALSE(read.ok());
    EXPECT_THAT(read.error().message, HasSubstr(problem));
  }
}

// "pod: from-to" of gaps, "pod: from" of others; seconds.
std::vector<std::string> Printed(const MergedHistory& merged) {
  const auto seconds = [](Time time) {
    return std::to_string((time - At(0)).nanoseconds / 1'000'000'000);
  };
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < merged.lines.size(); ++i) {
    const auto* gap = std::get_if<explain::Gap>(&merged.lines[i]);
    texts.push_back(merged.pods[i] + ": " + seconds(explain::TimeOf(merged.lines[i])) +
                    (gap == nullptr ? "" : "-" + seconds(gap->to)));
  }
  return texts;
}

TEST(MergeHistories, HasEachLineOnceByTime) {
  EXPECT_THAT(Printed(MergeHistories(
                  {{"a", {EntryAt(0, 15, 2), EntryAt(60, 75, 3)}}, {"b", {EntryAt(30, 45, 2)}}})),
              ElementsAre("a: 0", "b: 30", "a: 60"));
  EXPECT_THAT(Printed(MergeHistories({})), ElementsAre());
}

TEST(MergeHistories, LeavesOfAGapWhatNoOtherLedgerHas) {
  const std::vector<explain::Line> led_twice = {EntryAt(0, 15, 2), GapAt(15, 200, "another led"),
                                                EntryAt(200, 215, 2)};
  EXPECT_THAT(Printed(MergeHistories({{"a", led_twice}, {"b", {EntryAt(10, 210, 2)}}})),
              ElementsAre("a: 0", "b: 10", "a: 200"));
  EXPECT_THAT(
      Printed(MergeHistories(
          {{"a", led_twice},
           {"b", {EntryAt(30, 60, 2), GapAt(60, 100, "it was down"), EntryAt(100, 190, 2)}}})),
      ElementsAre("a: 0", "a: 15-30", "b: 30", "a: 60-100", "b: 100", "a: 190-200", "a: 200"));
  EXPECT_THAT(Printed(MergeHistories({{"a", {EntryAt(0, 90, 2), GapAt(30, 60, "it was late")}},
                                      {"b", {EntryAt(0, 0, 2), GapAt(0, 95, "another led")}}})),
              ElementsAre("a: 0", "b: 0", "a: 30-60", "b: 90-95"))
      << "a gap within a run";
}

// Without the rest, the changes and the gaps between them are the same.
TEST(EssentialLines, TellAsMuchAboutChanges) {
  const auto stays = [](double from, double until) {
    store::Entry entry = EntryAt(from, until, 3);
    entry.desired_replicas = 3;
    return entry;
  };
  const std::vector<explain::Line> first = {
      stays(0, 15),         stays(20, 90),   stays(30, 45),
      EntryAt(100, 100, 3), stays(110, 125), GapAt(125, 300, "another led"),
      EntryAt(300, 300, 2), stays(315, 400), stays(330, 360)};
  const std::vector<explain::Line> second = {stays(130, 150), stays(151, 180), stays(190, 280),
                                             GapAt(280, 500, "another led"), stays(500, 515)};
  const auto essential = [](const std::vector<explain::Line>& lines) {
    EssentialLines thinner;
    std::vector<explain::Line> all;
    for (const explain::Line& line : lines) {  // in parts
      std::ranges::move(thinner.Of({line}), std::back_inserter(all));
    }
    std::ranges::move(thinner.End(), std::back_inserter(all));
    return all;
  };
  const auto changes = [](const std::vector<explain::Line>& one,
                          const std::vector<explain::Line>& other) {
    MergedHistory merged = MergeHistories({{"a", one}, {"b", other}});
    std::vector<std::string> texts = Printed(merged);
    for (std::size_t i = merged.lines.size(); i-- > 0;) {
      const auto* entry = std::get_if<store::Entry>(&merged.lines[i]);
      if (entry != nullptr && !entry->changes()) {
        texts.erase(texts.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    return texts;
  };
  EXPECT_EQ(essential(first).size(), 6U);
  EXPECT_EQ(essential(second).size(), 4U);
  EXPECT_EQ(changes(essential(first), essential(second)), changes(first, second));
  EXPECT_THAT(changes(first, second),
              ElementsAre("a: 100", "a: 125-130", "a: 280-300", "a: 300", "b: 400-500"));
}

// A former leader's newest decisions reach further back than those of the one that leads now.
TEST(MergeHistories, EndWhereOneWasCut) {
  PodHistory former = {"a", {EntryAt(0, 15, 2), EntryAt(30, 45, 3), EntryAt(60, 105, 4)}, {}};
  PodHistory now = {"b", {EntryAt(100, 115, 5), EntryAt(130, 145, 6)}, {}};
  NoteCut(2, false, now);
  EXPECT_EQ(now.from, At(100));
  MergedHistory merged = MergeHistories({former, now});
  EXPECT_THAT(Printed(merged), ElementsAre("a: 60", "b: 100", "b: 130"));
  EXPECT_EQ(merged.from, At(100));
  EXPECT_EQ(merged.from_pod, "b");

  NoteCut(4, false, former);
  EXPECT_EQ(former.from, std::nullopt) << "it has fewer";
  now.from.reset();
  NoteCut(0, false, now);
  EXPECT_EQ(now.from, std::nullopt);
  merged = MergeHistories({former, now});
  EXPECT_EQ(merged.lines.size(), 5U);
  EXPECT_EQ(merged.from, std::nullopt);

  // What was cut is the oldest: nothing is left out.
  former.from = At(0);
  EXPECT_EQ(MergeHistories({former, now}).from, std::nullopt);
}

PodWhy Says(const std::string& pod, bool recorded, double decided, std::int64_t replicas) {
  return {pod, recorded, At(decided), replicas};
}

TEST(ChooseAnswer, TakesTheLatestDecisionOfThatMoment) {
  struct Row {
    const char* name;
    std::vector<PodWhy> answers;
    std::size_t chosen;
    std::vector<std::string> contradictions;
  };
  const PodWhy nothing = {"none", false, {}, 0};
  for (const Row& row : std::vector<Row>{
           {"only one", {Says("a", false, 0, 2)}, 0, {}},
           {"the one that led last", {Says("a", false, 10, 2), Says("b", true, 20, 3)}, 1, {}},
           {"the moment before a later decision",
            {Says("a", true, 10, 2), Says("b", false, 20, 3)},
            0,
            {}},
           {"none has the moment",
            {Says("a", false, 30, 2), nothing, Says("b", false, 20, 3)},
            0,
            {}},
           {"both have it and agree", {Says("a", true, 10, 2), Says("b", true, 20, 2)}, 1, {}},
           {"both have it and differ",
            {Says("a", true, 10, 2), Says("b", true, 20, 3)},
            1,
            {"a has 2 replicas, decided at 2027-01-15T08:00:10Z"}}}) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(ChooseAnswer(row.answers), row.chosen);
    EXPECT_EQ(Contradictions(row.answers, row.chosen), row.contradictions);
  }
}

}  // namespace
}  // namespace ballast::cli
