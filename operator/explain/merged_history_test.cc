#include "operator/explain/merged_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "operator/explain/gaps.h"
#include "operator/explain/testing/fake_history.h"
#include "store/testing/test_store.h"

namespace ballast::explain {
namespace {

using store::testing::At;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const store::Subject kWeb{"uid-web", "AutoScalePolicy", {"shop", "web"}};

store::Entry EntryOf(double from, double until, std::int32_t current, std::int32_t desired) {
  store::Entry entry;
  entry.id = static_cast<store::DecisionId>(from) + 1;
  entry.subject = kWeb;
  entry.period = Duration::Seconds(15);
  entry.time = At(from);
  entry.until = At(until);
  entry.current_replicas = current;
  entry.desired_replicas = desired;
  return entry;
}

std::string SecondsOf(Time time) {
  return std::to_string(time.unix_seconds() - At(0).unix_seconds());
}

// "a 60", "gap 90 to 600"
std::string Describe(const Line& line) {
  if (const auto* entry = std::get_if<store::Entry>(&line)) {
    return entry->ledger + " " + SecondsOf(entry->time);
  }
  if (const auto* gap = std::get_if<Gap>(&line)) {
    return "gap " + SecondsOf(gap->from) + " to " + SecondsOf(gap->to);
  }
  if (const auto* edit = std::get_if<store::EditEntry>(&line)) {
    return edit->ledger + " edit";
  }
  return std::get<store::ForeignChangeEntry>(line).ledger + " change";
}

// Two leaders in turn: a, b, and a again.
class MergedHistoryTest : public ::testing::Test {
 protected:
  MergedHistoryTest() {
    a_.entries = {EntryOf(0, 60, 2, 2), EntryOf(75, 75, 2, 4), EntryOf(300, 360, 5, 5)};
    b_.entries = {EntryOf(90, 90, 4, 5), EntryOf(105, 285, 5, 5)};
  }

  std::vector<std::string> Lines(const store::HistoryQuery& query = {},
                                 const store::Place& from = {}) {
    std::vector<std::string> told;
    status_ = ForEachLine(history_, query, from, [&](const std::vector<Line>& lines) -> Status {
      std::ranges::transform(lines, std::back_inserter(told), Describe);
      return Done{};
    });
    return told;
  }

  FakeHistory a_;
  FakeHistory b_;
  MergedHistory history_{{{"x/a", &a_}, {"x/b", &b_}}};
  Status status_ = Done{};
};

TEST_F(MergedHistoryTest, WhatOneDidIsNoGap) {
  EXPECT_THAT(Lines(), ElementsAre("x/a 0", "x/a 75", "x/b 90", "x/b 105", "x/a 300"));
  EXPECT_TRUE(status_.ok());
  b_.entries.pop_back();
  a_.edits = {{kWeb, {At(80), "spec.maxReplicas", "4", "5", "", {}}, {}}};
  b_.foreign_changes = {{kWeb, {At(85), 3, 4, "kubectl", {}}}};
  EXPECT_THAT(Lines(), ElementsAre("x/a 0", "x/a 75", "x/a edit", "x/b change", "x/b 90",
                                   "gap 90 to 300", "x/a 300"));
}

TEST_F(MergedHistoryTest, OfWhatAllMissAReplicaThatIsAskedIsNoCause) {
  b_.entries.pop_back();
  a_.pause.leader = "b_4711";
  a_.pause.down = Duration::Seconds(200);
  b_.pause.down = Duration::Seconds(150);
  b_.pause.others = true;
  auto facts = history_.Explain(&kWeb, At(90), At(300)).value();
  EXPECT_FALSE(facts.leader);
  EXPECT_EQ(facts.down, Duration::Seconds(150));
  EXPECT_TRUE(facts.others);
  a_.pause.leader = "c_4712";
  facts = history_.Explain(&kWeb, At(90), At(300)).value();
  EXPECT_EQ(facts.leader, "c_4712");
}

TEST_F(MergedHistoryTest, TheNewestAreThoseOfAll) {
  const auto find = [&](std::int64_t count, bool changes_only) {
    const auto newest = history_.FindNewest({.changes_only = changes_only}, count).value();
    return newest ? SecondsOf(newest->from.time) + ", " + std::to_string(newest->left_out) +
                        " from " + SecondsOf(newest->oldest)
                  : "all";
  };
  EXPECT_EQ(find(1, false), "300, 4 from 0");
  EXPECT_EQ(find(3, false), "90, 2 from 0");
  EXPECT_EQ(find(4, false), "75, 1 from 0");
  EXPECT_EQ(find(5, false), "all");
  EXPECT_EQ(find(1, true), "90, 1 from 75");
  EXPECT_EQ(find(2, true), "all");
  const auto newest = history_.FindNewest({}, 3).value();
  EXPECT_THAT(Lines({}, newest->from), ElementsAre("x/b 90", "x/b 105", "x/a 300"));
}

TEST_F(MergedHistoryTest, OfAMomentTheOneTellsThatDecidedLastThen) {
  a_.at.last = a_.entries[1];
  a_.at.next = a_.entries[2];
  a_.at.edits = {{kWeb, {At(80), "spec.maxReplicas", "4", "5", "", {}}, {}}};
  b_.at.next = b_.entries[0];
  auto found = history_.Look({.key = kWeb.key}, At(80)).value();
  EXPECT_EQ(found.last->ledger, "x/a");
  EXPECT_EQ(found.edits[0].ledger, "x/a");
  EXPECT_EQ(SecondsOf(found.next->time) + found.next->ledger, "90x/b");
  EXPECT_THAT(history_.contradicting(), IsEmpty());
  b_.at.last = b_.entries[0];
  b_.at.next = b_.entries[1];
  found = history_.Look({.key = kWeb.key}, At(95)).value();
  EXPECT_EQ(found.last->ledger, "x/b");
  EXPECT_EQ(SecondsOf(found.next->time), "105");
  EXPECT_THAT(history_.contradicting(), IsEmpty()) << "a has ended before";
  // One that lasts contradicts.
  a_.at.last->until = At(100);
  found = history_.Look({.key = kWeb.key}, At(95)).value();
  EXPECT_EQ(found.last->ledger, "x/b");
  ASSERT_EQ(history_.contradicting().size(), 1U);
  EXPECT_EQ(history_.contradicting()[0].ledger, "x/a");
  // An earlier decision that lasts is about the moment, a later one that has ended is not.
  a_.at.last->until = At(1'000);
  found = history_.Look({.key = kWeb.key}, At(990)).value();
  EXPECT_EQ(found.last->ledger, "x/a");
}

TEST_F(MergedHistoryTest, DecisionsAndEvaluationsComeInOneOrder) {
  const auto api = [](double from) {
    store::Entry entry = EntryOf(from, from, 1, 1);
    entry.subject = {"uid-api", "AutoScalePolicy", {"shop", "api"}};
    return entry;
  };
  a_.entries.insert(a_.entries.begin(), {api(10), api(20)});
  b_.entries.insert(b_.entries.begin(), api(15));
  std::vector<std::string> told;
  EXPECT_TRUE(history_
                  .ForEach({},
                           [&](const store::FullEntry& one) -> Status {
                             told.push_back(one.entry.subject.key.name + " " + Describe(one.entry));
                             return Done{};
                           })
                  .ok());
  EXPECT_THAT(told, ElementsAre("api x/a 10", "api x/b 15", "api x/a 20", "web x/a 0", "web x/a 75",
                                "web x/b 90", "web x/b 105", "web x/a 300"));
  told.clear();
  a_.evaluations = {{At(10), 2, 2, "", {}}, {At(40), 2, 2, "", {}}};
  b_.evaluations = {{At(25), 2, 2, "", {}}};
  EXPECT_TRUE(
      history_
          .ForEachEvaluation({},
                             [&](const store::Subject&, const store::SeriesPoint& point) -> Status {
                               told.push_back(SecondsOf(point.time));
                               return Done{};
                             })
          .ok());
  EXPECT_THAT(told, ElementsAre("10", "25", "40"));
}

TEST_F(MergedHistoryTest, ALedgerThatGoesAwayLeavesTheOthers) {
  b_.error = Error{Code::kUnavailable, "the pod went away"};
  EXPECT_THAT(Lines(), ElementsAre("x/a 0", "x/a 75", "x/b 90", "gap 90 to 300", "x/a 300"));
  EXPECT_TRUE(status_.ok());
  ASSERT_TRUE(history_.ledgers()[1].lost.has_value());
  EXPECT_EQ(history_.ledgers()[1].lost->message, "the pod went away");
  EXPECT_FALSE(history_.ledgers()[0].lost.has_value());
  EXPECT_THAT(Lines(), ElementsAre("x/a 0", "x/a 75", "gap 75 to 300", "x/a 300"))
      << "it is not asked again";
  a_.error = Error{Code::kCorrupt, "damaged"};
  Lines();
  ASSERT_FALSE(status_.ok());
  EXPECT_EQ(status_.error().message, "damaged");
}

TEST_F(MergedHistoryTest, ReachesBackAsFarAsTheOnesThatLostSomething) {
  using store::Reach;
  const struct {
    std::optional<Reach> a;
    std::optional<Reach> b;
    std::string since;
  } kCases[] = {{{}, {}, "none"},
                {Reach{At(5), false, ""}, {}, "5"},
                {Reach{At(5), false, ""}, Reach{At(3), false, ""}, "3"},
                {Reach{At(5), true, ""}, Reach{At(3), false, ""}, "5 deleted"},
                {Reach{At(3), false, ""}, Reach{At(5), true, ""}, "5 deleted"},
                {Reach{At(5), true, ""}, Reach{At(7), true, ""}, "7 deleted"}};
  for (const auto& c : kCases) {
    a_.reach = c.a;
    b_.reach = c.b;
    const auto reach = history_.HowFarBack({}).value();
    EXPECT_EQ(reach ? SecondsOf(reach->since) + (reach->deleted ? " deleted" : "") : "none",
              c.since);
  }
}

TEST_F(MergedHistoryTest, HasWhatAnyOfThemHas) {
  b_.entries.back().subject.uid = "uid-web-2";
  const auto extent = history_.ExtentOf({}).value();
  ASSERT_TRUE(extent.has_value());
  EXPECT_EQ(SecondsOf(extent->from) + " to " + SecondsOf(extent->until) + extent->subject.uid,
            "0 to 360uid-web");
  EXPECT_TRUE(history_.Knows(kWeb.key, "").value());
  b_.delays = {{kWeb, Duration::Seconds(15), {At(10), At(90), {}, ""}}};
  a_.delays = {{kWeb, Duration::Seconds(15), {At(20), At(90), {}, ""}}};
  const auto delays = history_.DelaysInRuns({}).value();
  ASSERT_EQ(delays.size(), 2U);
  EXPECT_EQ(delays[0].delay.since, At(10));
  a_.entries.clear();
  b_.entries.clear();
  EXPECT_FALSE(history_.ExtentOf({}).value().has_value());
  EXPECT_FALSE(history_.Knows(kWeb.key, "").value());
}

}  // namespace
}  // namespace ballast::explain
