#include "operator/cli/pods/history_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/testing/test_store.h"

namespace ballast::cli {
namespace {

using store::testing::At;
using ::testing::HasSubstr;

const store::Subject kWeb = {"uid-web", "AutoScalePolicy", {"shop", "web"}};

// With a value of its own in each field.
store::Entry FullestEntry() {
  store::Entry entry;
  entry.id = 7;
  entry.subject = kWeb;
  entry.period = Duration::Milliseconds(1500);
  entry.time = At(0.000000001);
  entry.until = At(2);
  entry.open = true;
  entry.evaluations = 3;
  entry.late = true;
  entry.current_replicas = 4;
  entry.desired_replicas = 5;
  entry.reason = "ScaleUp";
  entry.message = "cpu \"above\" target\n";
  entry.disposition = store::Disposition::kFailed;
  entry.error = "forbidden";
  entry.settled = At(6);
  entry.made_by = store::MadeBy::kAttempted;
  entry.engine = 8;
  entry.concluded = store::Disposition::kUnknown;
  entry.concluded_error = "timed out";
  entry.resumed = At(9);
  entry.heartbeats = Duration::Seconds(10);
  return entry;
}

const store::Documents kDocuments{R"({"now":"\u001b"})", "no JSON {"};
const store::SeriesPoint kPoint{
    At(1), 2, 3, "ScaleUp", {{"Resource/cpu", "Utilization", 4, At(5)}, {"q", "Value", {}, {}}}};
const store::ReasonEntry kReason{At(1), "ScaleUp", "why", kDocuments};
const store::EditEntry kEdit{kWeb, {At(1), "spec.max", "2", "3", "kubectl", At(4)}, 5};
const store::ForeignChangeEntry kChange{kWeb, {At(1), 2, 3, "kubectl", At(4)}};
const store::DelayEntry kDelay{
    kWeb, Duration::Seconds(1), {At(2), At(3), Duration::Seconds(4), "Resource/cpu"}};

// What the answer is after it was printed, parsed and printed again.
template <typename T>
void ExpectRoundTrip(const T& value, const std::string& part) {
  const std::string line = PrintAnswer(Result<T>(value), 3);
  EXPECT_THAT(line, HasSubstr(part));
  EXPECT_EQ(line.find('\n'), std::string::npos);
  std::int64_t damaged = 0;
  const auto read = ParseAnswer<T>(line, damaged);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(damaged, 3);
  EXPECT_EQ(PrintAnswer(read, 3), line);
}

TEST(HistoryAnswer, IsReadAsItWasPrinted) {
  ExpectRoundTrip(true, R"({"answer":true,"damaged":3})");
  ExpectRoundTrip(false, R"({"answer":false,)");
  ExpectRoundTrip(std::optional<store::Reach>(), R"({"answer":null,)");
  ExpectRoundTrip(std::optional(store::Reach{At(1), true, "shop"}), R"("deleted":true)");
  ExpectRoundTrip(std::optional(store::Extent{kWeb, At(1), At(2)}), R"("uid":"uid-web")");
  ExpectRoundTrip(std::optional(store::Newest{{At(1), 2}, 3, At(4)}), R"("leftOut":3)");
  ExpectRoundTrip(std::vector<store::Subject>{kWeb, kWeb}, R"("kind":"AutoScalePolicy")");
  ExpectRoundTrip(std::vector<store::ForeignChangeEntry>{kChange}, R"("managed":)");
  ExpectRoundTrip(std::vector<store::EditEntry>{kEdit}, R"("decision":5)");
  ExpectRoundTrip(std::vector<store::DelayEntry>{kDelay}, R"("slowest":"Resource/cpu")");
  ExpectRoundTrip(store::HistoryAt{.last = FullestEntry(),
                                   .documents = kDocuments,
                                   .timeline = store::Timeline{At(1), At(2), At(3), At(4), At(5)},
                                   .point = kPoint,
                                   .reason = kReason,
                                   .foreign_change = kChange,
                                   .edits = {kEdit},
                                   .next = store::Entry(),
                                   .kept = FullestEntry(),
                                   .kept_snapshot = "{}",
                                   .heartbeat = At(6)},
                  R"("keptSnapshot":"{}")");
  ExpectRoundTrip(store::HistoryAt(), R"("documents":{})");
  ExpectRoundTrip(
      store::GapFacts{"ballast-0_1", Duration::Seconds(1), true, true, kDelay.delay, true},
      R"("leader":"ballast-0_1")");
  ExpectRoundTrip(store::EntryPage{{FullestEntry()}, At(1), store::Place{At(2), 3}},
                  R"("disposition":"failed")");
  ExpectRoundTrip(store::DecisionPage{{{FullestEntry(), kDocuments, {kReason}}},
                                      store::AutoscalerPlace{kWeb.key, "uid", {At(1), 2}}},
                  R"("conclusion":"no JSON {")");
  ExpectRoundTrip(store::EvaluationPage{{{kWeb, kPoint}}, {}}, R"("milli":4)");
}

TEST(HistoryAnswer, HasEveryFieldOfAnEntry) {
  std::int64_t damaged = 0;
  const store::Entry entry = FullestEntry();
  const auto page = ParseAnswer<store::EntryPage>(
      PrintAnswer(Result<store::EntryPage>(store::EntryPage{{entry}, {}, {}}), 0), damaged);
  const store::Entry read = page.value().entries.at(0);
  EXPECT_EQ(
      std::tie(read.id, read.subject, read.period, read.time, read.until, read.open,
               read.evaluations, read.late, read.current_replicas, read.desired_replicas,
               read.reason, read.message, read.disposition, read.error, read.settled, read.made_by,
               read.engine, read.concluded, read.concluded_error, read.resumed, read.heartbeats),
      std::tie(entry.id, entry.subject, entry.period, entry.time, entry.until, entry.open,
               entry.evaluations, entry.late, entry.current_replicas, entry.desired_replicas,
               entry.reason, entry.message, entry.disposition, entry.error, entry.settled,
               entry.made_by, entry.engine, entry.concluded, entry.concluded_error, entry.resumed,
               entry.heartbeats));
  EXPECT_EQ(read.known_until(), entry.known_until());
}

// Of programs of different age.
TEST(HistoryAnswer, MayHaveMoreOrLessThanIsKnown) {
  std::int64_t damaged = 0;
  const auto page = ParseAnswer<store::EntryPage>(
      R"({"answer":{"entries":[{"id":7,"colour":"red"}],"weather":{}},"damaged":0,"took":1})",
      damaged);
  ASSERT_TRUE(page.ok()) << page.error().message;
  EXPECT_EQ(page->entries.at(0).id, 7);
  EXPECT_EQ(page->entries.at(0).reason, "");
}

TEST(HistoryAnswer, RefusesWhatIsNone) {
  for (const auto& [line, problem] : std::vector<std::pair<std::string, std::string>>{
           {"kubectl says no", "not JSON"},
           {"{}", "damaged: is required"},
           {R"({"answer":{"entries":[{"id":"seven"}]},"damaged":0})", "expected an integer"},
           {R"({"answer":{"entries":[{"madeBy":"magic"}]},"damaged":0})",
            "madeBy: is nothing that this version knows"}}) {
    std::int64_t damaged = 0;
    const auto read = ParseAnswer<store::EntryPage>(line, damaged);
    ASSERT_FALSE(read.ok()) << line;
    EXPECT_THAT(read.error().message, HasSubstr(problem));
    EXPECT_EQ(read.error().code, Code::kInvalid);
  }
}

TEST(HistoryAnswer, MayBeAnError) {
  std::int64_t damaged = 0;
  const auto read = ParseAnswer<bool>(
      PrintAnswer(Result<bool>(Error{Code::kCorrupt, "the store is damaged"}), 2), damaged);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().message, "the store is damaged");
  EXPECT_EQ(damaged, 2);
}

TEST(HistoryQuestion, IsReadAsItWasPrinted) {
  const HistoryQuestion question{
      "look",     {kWeb.key, At(1), At(2), "AutoScalePolicy", "blog", true},
      At(3),      At(4),
      {At(5), 6}, {kWeb.key, "uid", {At(7), 8}},
      9,          kWeb};
  const std::string line = Print(question);
  const auto read = ParseQuestion(line);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(Print(*read), line);
  EXPECT_EQ(read->query.key, kWeb.key);
  EXPECT_TRUE(read->query.changes_only);
  EXPECT_EQ(read->autoscaler_place.place.id, 8);
  EXPECT_EQ(read->subject, kWeb);
  EXPECT_FALSE(ParseQuestion("why?").ok());
}

TEST(HistoryGreeting, SaysTheVersion) {
  const auto read = ParseGreeting(Print(HistoryGreeting{2, "ballast 0.2.0 (4dd0d53d)"}));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->language, 2);
  EXPECT_EQ(read->program, "ballast 0.2.0 (4dd0d53d)");
  EXPECT_THAT(ParseGreeting("{}").error().message, HasSubstr("names no version"));
}

}  // namespace
}  // namespace ballast::cli
