// What each evaluation saw stays recorded through any crash: in a series, in the journal, or both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "store/sqlite/reader.h"
#include "store/sqlite/sqlite.h"
#include "store/testing/open_ledger.h"
#include "store/testing/test_store.h"

namespace ballast::store {
namespace {

using testing::At;
using testing::EvaluationOf;
using testing::Folder;
using ::testing::IsEmpty;
using testing::kConclusion;
using testing::Quick;
using testing::Recommended;

std::unique_ptr<Ledger> Open(const std::string& path) {
  auto ledger = testing::OpenLedger(path, Quick());
  EXPECT_TRUE(ledger.ok()) << ledger.error().message;
  return std::move(ledger).value();
}

// A value of the database that Reader does not return.
std::int64_t Figure(const std::string& path, const char* sql) {
  return Database::Open(path, Access::kRead).value()->Integer(sql).value();
}

// An evaluation that changes nothing; its reading identifies it.
EvaluationRecord Quiet(const std::string& name, int number) {
  auto evaluation = EvaluationOf(name, number * 15, 5, 5);
  evaluation.readings = {
      {"Resource/cpu", "Utilization", (number % 100) * 1000, At(number * 15 - 4)}};
  return evaluation;
}

void RecordQuiet(Ledger& ledger, const std::string& name, int number) {
  ledger.Append(Evaluated{Quiet(name, number), Recommended({{At(number * 15), 5}}), &kConclusion});
}

// Copies what kill -9 would leave of an open ledger.
std::string Killed(const std::string& path, const std::string& left) {
  for (const char* file : {"", "-wal"}) {
    std::filesystem::copy(path + file, left + file,
                          std::filesystem::copy_options::overwrite_existing);
  }
  return left;
}

// Which of the evaluations from `first` to before `end` are missing or differ from what was
// recorded.
std::vector<int> Missing(const std::string& path, const std::string& name, int first, int end) {
  const auto reader = Reader::Open(path).value();
  std::vector<int> missing;
  for (int i = first; i < end; ++i) {
    const auto seen = reader->Look({.key = api::ObjectKey{"shop", name}}, At(i * 15 + 1)).value();
    const EvaluationRecord expected = Quiet(name, i);
    if (!seen.point || seen.point->time != expected.time ||
        seen.point->readings[0].milli != expected.readings[0].milli ||
        seen.point->readings[0].sampled != expected.readings[0].sampled) {
      missing.push_back(i);
    }
  }
  return missing;
}

TEST(Readings, NoReadingIsLostWhenKilledNorWhenKilledAgain) {
  const Folder folder;
  const std::string path = folder.Path("db");
  const std::string once = folder.Path("once");
  const std::string twice = folder.Path("twice");
  auto ledger = Open(path);
  for (int i = 0; i < 47; ++i) {
    RecordQuiet(*ledger, "web", i);
    RecordQuiet(*ledger, "api", i);
    EXPECT_TRUE(ledger->Flush().ok());
  }
  EXPECT_THAT(Missing(path, "web", 0, 47), IsEmpty());
  Killed(path, once);
  EXPECT_THAT(Missing(once, "web", 0, 47), IsEmpty());

  ledger = Open(once);
  EXPECT_THAT(Missing(once, "web", 0, 47), IsEmpty());
  RecordQuiet(*ledger, "web", 47);  // "api" is no longer evaluated
  EXPECT_TRUE(ledger->Flush().ok());
  Killed(once, twice);

  ledger = Open(twice);
  for (int i = 48; i < 500; ++i) {
    RecordQuiet(*ledger, "web", i);
  }
  ledger.reset();
  EXPECT_THAT(Missing(twice, "web", 0, 500), IsEmpty());
  EXPECT_THAT(Missing(twice, "api", 0, 47), IsEmpty());
  EXPECT_EQ(Figure(twice, "SELECT count(*) FROM journal"), 0);
  EXPECT_EQ(Figure(twice, "SELECT sum(evaluations) FROM series"), 547);  // none twice
}

TEST(Readings, NoReadingIsLostByAClockThatIsSetBackAndAKill) {
  const Folder folder;
  const std::string path = folder.Path("db");
  auto ledger = Open(path);
  for (int i = 200; i < 300; ++i) {
    RecordQuiet(*ledger, "web", i);
  }
  for (int i = 100; i < 110; ++i) {  // less than five minutes, in no series yet
    RecordQuiet(*ledger, "web", i);
  }
  EXPECT_TRUE(ledger->Flush().ok());
  Killed(path, folder.Path("left"));
  Open(folder.Path("left")).reset();
  EXPECT_THAT(Missing(folder.Path("left"), "web", 100, 110), IsEmpty());
  EXPECT_THAT(Missing(folder.Path("left"), "web", 200, 300), IsEmpty());
}

// The numbers of the evaluations that are visited, in order.
std::vector<std::int64_t> Visited(const std::string& path, const HistoryQuery& query) {
  std::vector<std::int64_t> numbers;
  const auto status = Reader::Open(path).value()->ForEachEvaluation(
      query, [&](const Subject&, const SeriesPoint& point) -> Status {
        numbers.push_back((point.time - At(0)).nanoseconds / 15'000'000'000);
        return Done{};
      });
  EXPECT_TRUE(status.ok());
  return numbers;
}

std::vector<std::int64_t> Numbers(std::int64_t first, std::int64_t end) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(end - first));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

TEST(Readings, EachEvaluationIsVisitedOnceWhereverItIs) {
  const Folder folder;
  const std::string path = folder.Path("db");
  auto ledger = Open(path);
  constexpr std::int64_t kEnd = 2'500;  // more series than are read at once
  for (int i = 0; i < kEnd; ++i) {
    RecordQuiet(*ledger, "web", i);
    RecordQuiet(*ledger, "api", i);
  }
  EXPECT_TRUE(ledger->Flush().ok());
  EXPECT_GT(Figure(path, "SELECT count(*) FROM journal"), 0);
  HistoryQuery query{.key = api::ObjectKey{"shop", "web"}};
  EXPECT_EQ(Visited(path, query), Numbers(0, kEnd));
  query.since = At(1'000 * 15 + 1);
  EXPECT_EQ(Visited(path, query), Numbers(1'000, kEnd)) << "with the one before";
  query.until = At(2'490 * 15);
  EXPECT_EQ(Visited(path, query), Numbers(1'000, 2'491));
  query.since = At(kEnd * 15);
  query.until.reset();
  EXPECT_EQ(Visited(path, query), Numbers(kEnd - 1, kEnd));
  ledger.reset();
  query.since.reset();
  EXPECT_EQ(Visited(path, query), Numbers(0, kEnd));
}

TEST(Readings, AClockThatIsSetBackHidesNoEvaluation) {
  const Folder folder;
  const std::string path = folder.Path("db");
  auto ledger = Open(path);
  for (int i = 200; i < 300; ++i) {
    RecordQuiet(*ledger, "web", i);
  }
  for (int i = 100; i < 110; ++i) {
    RecordQuiet(*ledger, "web", i);
  }
  EXPECT_TRUE(ledger->Flush().ok());
  auto visited = Visited(path, {.key = api::ObjectKey{"shop", "web"}});
  std::ranges::sort(visited);
  auto all = Numbers(100, 110);
  std::ranges::copy(Numbers(200, 300), std::back_inserter(all));
  EXPECT_EQ(visited, all);
}

TEST(Readings, SeriesOfSeveralKindsThatOnlyTheJournalHasAreAllResumed) {
  const Folder folder;
  const std::string path = folder.Path("db");
  auto ledger = Open(path);
  for (int i = 0; i < 9; ++i) {
    EvaluationRecord evaluation = Quiet("web", i);
    if (i / 3 == 1) {  // the metrics change, and each series has only one set of them
      evaluation.readings.push_back({"Pods/queue", "AverageValue", 1, std::nullopt});
    }
    ledger->Append(Evaluated{evaluation, {}, &kConclusion});
  }
  EXPECT_TRUE(ledger->Flush().ok());
  std::string left = Killed(path, folder.Path("left0"));
  for (int round = 1; round < 3; ++round) {  // killed before it has done anything
    ledger = Open(left);
    EXPECT_TRUE(ledger->Flush().ok());
    left = Killed(left, folder.Path("left" + std::to_string(round)));
    EXPECT_THAT(Missing(left, "web", 0, 9), IsEmpty()) << round;
  }
  Open(left).reset();
  EXPECT_THAT(Missing(left, "web", 0, 9), IsEmpty());
  EXPECT_EQ(Figure(left, "SELECT sum(evaluations) FROM series"), 9);
}

TEST(Readings, TheJournalStaysSmallAlsoWhenAutoscalersVanishOrPause) {
  const Folder folder;
  const std::string path = folder.Path("db");
  auto ledger = Open(path);
  RecordQuiet(*ledger, "vanished", 0);
  auto seldom = Quiet("seldom", 0);
  seldom.period = Duration::Seconds(3'600);
  ledger->Append(Evaluated{seldom, {}, &kConclusion});
  for (int i = 0; i < 20'000; ++i) {
    RecordQuiet(*ledger, "web" + std::to_string(i % 3), i / 3);
    if (i % 100 == 99) {
      EXPECT_TRUE(ledger->Flush().ok());
    }
  }
  // At most a thousand entries and those of five minutes, in rows of a hundred.
  EXPECT_LE(Figure(path, "SELECT count(*) FROM journal"), 13);
  EXPECT_THAT(Missing(path, "vanished", 0, 1), IsEmpty());
  EXPECT_THAT(Missing(path, "seldom", 0, 1), IsEmpty());
}

TEST(Readings, ADamagedJournalCostsNeitherTheMemoryNorTheRest) {
  const Folder folder;
  const std::string path = folder.Path("db");
  {
    auto ledger = Open(path);
    for (int i = 0; i < 40; ++i) {
      RecordQuiet(*ledger, "web", i);
      EXPECT_TRUE(ledger->Flush().ok());
    }
    Killed(path, folder.Path("left"));
  }
  const std::string left = folder.Path("left");
  {
    const auto database = Database::Open(left, Access::kWrite).value();
    ASSERT_TRUE(database->Execute("UPDATE journal SET data = x'00ff' WHERE id % 2").ok());
  }
  auto ledger = Open(left);
  EXPECT_EQ(ledger->health().set_aside, "");
  EXPECT_TRUE(ledger->Recall("uid-web", At(600)));
  RecordQuiet(*ledger, "web", 40);
  EXPECT_TRUE(ledger->Flush().ok());
  ledger.reset();
  EXPECT_THAT(Missing(left, "web", 0, 21), IsEmpty());  // in a series by then
  EXPECT_THAT(Missing(left, "web", 40, 41), IsEmpty());
  EXPECT_GT(Missing(left, "web", 21, 40).size(), 5U);
  EXPECT_LT(Missing(left, "web", 21, 40).size(), 15U);
}

}  // namespace
}  // namespace ballast::store
