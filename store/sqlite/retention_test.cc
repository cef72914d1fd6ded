#include "store/sqlite/thinning.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "store/sqlite/reach.h"
#include "store/sqlite/sqlite.h"
#include "store/testing/open_ledger.h"
#include "store/testing/test_store.h"
#include "tests/support/test_patience.h"

namespace ballast::store {
namespace {

using testing::At;
using testing::EvaluationOf;
using testing::Folder;
using testing::kWritten;
using testing::Recommended;

constexpr int kDay = 86'400;

// A store with twenty days of a policy that is scaled once a day and evaluated twice more; each
// snapshot is 800 kB of noise.
class TwentyDays {
 public:
  TwentyDays() {
    auto ledger = testing::OpenLedger(path(), {.intent_timeout = support::Patience(),
                                               .retention = {Duration::Seconds(1000 * kDay), 0}})
                      .value();
    for (int day = 0; day < 20; ++day) {
      const double time = day * kDay;
      const auto record = [&](double at, std::int32_t to) {
        auto evaluation = EvaluationOf("web", at, 5, to, "R" + std::to_string(day));
        snapshot_.autoscaler.metadata.name = Noise();
        evaluation.snapshot = &snapshot_;
        evaluation.readings = {{"Resource/cpu", "Utilization", 60'000, {}}};
        return evaluation;
      };
      const auto intent = ledger->AppendDurably(Intended{record(time, 6)});
      ledger->Append(
          Concluded{intent.id, kWritten, At(time), Recommended({{At(time), 6}}), nullptr});
      ledger->Append(Evaluated{record(time + 100, 5), Recommended({{At(time + 100), 5}}), nullptr});
      ledger->Append(Evaluated{record(time + 200, 5), Recommended({{At(time + 200), 5}}), nullptr});
      EXPECT_TRUE(ledger->Flush().ok());
    }
  }

  std::string path() const { return folder_.Path("db"); }

 private:
  std::string Noise() {
    std::string text(1'066'667, '\0');  // six random bits in each character
    for (char& c : text) {
      state_ = state_ * 6364136223846793005U + 1442695040888963407U;
      c = static_cast<char>('0' + (state_ >> 58));
    }
    return text;
  }

  Folder folder_;
  std::uint64_t state_ = 1;
  engine::Snapshot snapshot_;
};

class RetentionTest : public ::testing::Test {
 protected:
  RetentionTest() {
    static const TwentyDays twenty_days;  // making them takes a second
    std::filesystem::copy_file(twenty_days.path(), folder_.Path("db"));
    database_ = Database::Open(folder_.Path("db"), Access::kWrite).value();
  }

  // Thins until nothing is left to do; returns the number of steps.
  int ThinAll(const Retention& retention, double now) {
    for (int steps = 1;; ++steps) {
      const auto more = Thin(*database_, retention, At(now), cramped_, thinning_);
      EXPECT_TRUE(more.ok()) << more.error().message;
      if (!more.ok() || !*more) {
        return steps;
      }
    }
  }
  std::int64_t Count(const char* sql) { return database_->Integer(sql).value(); }
  std::int64_t Bytes() { return Count("PRAGMA page_count") * Count("PRAGMA page_size"); }

  Folder folder_;
  std::unique_ptr<Database> database_;
  bool cramped_ = false;
  Thinning thinning_;
};

TEST_F(RetentionTest, WhatIsOldGoesAndTheFileShrinks) {
  const std::int64_t before = Bytes();
  ThinAll({Duration::Seconds(10 * kDay), 0}, 20 * kDay);
  EXPECT_EQ(Count("SELECT count(*) FROM decisions WHERE outcome = 'written'"), 10);
  EXPECT_EQ(Count("SELECT (min(until) - 1800000000000000000) / 86400000000000 FROM decisions"), 10);
  EXPECT_EQ(Count("SELECT count(*) FROM snapshots"), Count("SELECT count(*) FROM decisions"));
  EXPECT_EQ(Count("SELECT count(*) FROM timelines"), 10);
  EXPECT_GE(Count("SELECT min(until) FROM series"), At(10 * kDay).unix_nanoseconds());
  EXPECT_LT(Bytes(), before * 6 / 10);
  EXPECT_EQ(Count("SELECT count(*) FROM autoscalers"), 1);
  EXPECT_EQ(database_->Text("PRAGMA integrity_check").value(), "ok");
}

TEST_F(RetentionTest, WhatChangedNothingGoesBeforeWhatDid) {
  ThinAll({Duration::Seconds(1000 * kDay), 20'000'000}, 20 * kDay);
  EXPECT_LE(Bytes(), 20'000'000 + 1'024 * 4096);
  EXPECT_EQ(Count("SELECT count(*) FROM decisions WHERE outcome = 'written'"), 20);
  ThinAll({Duration::Seconds(1000 * kDay), 8'000'000}, 20 * kDay);
  EXPECT_EQ(Count("SELECT count(*) FROM decisions WHERE outcome = 'none' AND until IS NOT NULL"),
            0);
  EXPECT_EQ(Count("SELECT count(*) FROM decisions WHERE outcome = 'written'"), 9);
  // The memory stays, and so does the newest history.
  EXPECT_EQ(Count("SELECT count(*) FROM recommendations"), 1);
  EXPECT_EQ(Count("SELECT (max(time) - 1800000000000000000) / 86400000000000 FROM decisions"), 19);
}

// Neither late evaluations nor changes by others, however many, take the place of what they are
// about, or let the file grow beyond its limit.
TEST_F(RetentionTest, DelaysAndChangesByOthersGoInTheirTurn) {
  ThinAll({Duration::Seconds(1000 * kDay), 1}, 20 * kDay);  // what stays whatever the limit
  const auto used = [this] {
    return Bytes() - Count("PRAGMA freelist_count") * Count("PRAGMA page_size");
  };
  const std::int64_t least = used();
  ASSERT_TRUE(database_
                  ->Execute("WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n"
                            " WHERE i < 1999) INSERT INTO delays SELECT NULL, 1,"
                            " 1800000000000000000 + i, 1800000000000000001 + i, 1,"
                            " hex(zeroblob(250)) FROM n;"
                            "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n"
                            " WHERE i < 1999) INSERT INTO foreign_changes SELECT NULL, 1,"
                            " 1800000000000000000 + i, 1, 2, hex(zeroblob(250)), NULL FROM n")
                  .ok());
  ThinAll({Duration::Seconds(1000 * kDay), least + 1'750'000}, 20 * kDay);
  EXPECT_EQ(Count("SELECT count(*) FROM foreign_changes"), 2'000) << "they changed something";
  EXPECT_GT(Count("SELECT count(*) FROM delays"), 0);
  EXPECT_LT(Count("SELECT count(*) FROM delays"), 1'500);
  EXPECT_LE(used(), least + 1'750'000);
  EXPECT_EQ(Count("SELECT max(time) - 1800000000000000000 FROM delays"), 2'000);
  ThinAll({Duration::Seconds(1000 * kDay), least + 600'000}, 20 * kDay);
  EXPECT_EQ(Count("SELECT count(*) FROM delays"), 0);
  EXPECT_LT(Count("SELECT count(*) FROM foreign_changes"), 1'500);
  EXPECT_LE(used(), least + 600'000);
  EXPECT_GT(Count("SELECT count(*) FROM foreign_changes"), 0);
}

TEST_F(RetentionTest, WhatIsLeftIsCompleteSinceThen) {
  EXPECT_EQ(ReadReach(*database_)->value().since, At(0));
  EXPECT_FALSE(ReadReach(*database_)->value().deleted);
  // A run that began on the first day lasted until the tenth; a step deletes a day's series.
  ASSERT_TRUE(database_
                  ->Execute("UPDATE decisions SET until = 1800000000000000000 +"
                            " 10 * 86400000000000 WHERE id = 2;"
                            "DELETE FROM series;"
                            "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n"
                            " WHERE i < 319) INSERT INTO series SELECT i + 1, 1,"
                            " 1800000000000000000 + i * 5400000000000, 1800000000000000000 +"
                            " i * 5400000000000, 1, x'' FROM n")
                  .ok());
  const auto left = [this] { return Count("SELECT count(*) FROM decisions WHERE id = 2"); };
  for (const std::int64_t bytes : {30'000'000, 28'000'000, 24'000'000, 16'000'000}) {
    ThinAll({Duration::Seconds(1000 * kDay), bytes}, 20 * kDay);
    const auto reach = ReadReach(*database_).value();
    EXPECT_TRUE(!reach || reach->deleted) << bytes;
    const Time since = reach ? reach->since : At(20 * kDay);
    EXPECT_GT(since, At(0)) << bytes;
    EXPECT_EQ(left(), since <= At(10 * kDay) ? 1 : 0) << bytes;
  }
  EXPECT_EQ(left(), 0);
}

TEST_F(RetentionTest, AnAutoscalerThatIsGoneGoesWithTheLastOfItsHistory) {
  ASSERT_TRUE(database_
                  ->Execute("UPDATE autoscalers SET evaluated = NULL;"
                            "DELETE FROM recommendations")
                  .ok());
  ThinAll({Duration::Seconds(10 * kDay), 0}, 20 * kDay);
  EXPECT_EQ(Count("SELECT count(*) FROM autoscalers"), 1);
  ThinAll({Duration::Seconds(10 * kDay), 0}, 40 * kDay);
  EXPECT_EQ(Count("SELECT count(*) FROM autoscalers"), 0);
  EXPECT_EQ(Count("SELECT count(*) FROM decisions"), 0);
}

// As preview environments leave them: a step looks at a few of the thousands that are still in the
// history.
TEST_F(RetentionTest, AStepLooksAtAFewAutoscalers) {
  ASSERT_TRUE(database_
                  ->Execute("WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n"
                            " WHERE i < 1001) INSERT INTO autoscalers (id, uid, kind, namespace,"
                            " name) SELECT i, i, '', '', '' FROM n;"
                            "INSERT INTO edits (autoscaler, time, field, before, after, manager)"
                            " SELECT id, 1800000000000000000, '', '', '', '' FROM autoscalers"
                            " WHERE id < 1001")
                  .ok());
  const Retention all{Duration::Seconds(1000 * kDay), 0};
  const auto last = [this] { return Count("SELECT count(*) FROM autoscalers WHERE id = 1001"); };
  for (int step = 0; step < 5; ++step) {
    EXPECT_FALSE(*Thin(*database_, all, At(20 * kDay), cramped_, thinning_));
    EXPECT_EQ(last(), 1) << "200 in a step";
  }
  EXPECT_TRUE(*Thin(*database_, all, At(20 * kDay), cramped_, thinning_));
  EXPECT_EQ(last(), 0);
  EXPECT_EQ(Count("SELECT count(*) FROM autoscalers"), 1000);
  ASSERT_TRUE(database_->Execute("DELETE FROM edits WHERE autoscaler = 2").ok());
  EXPECT_TRUE(*Thin(*database_, all, At(20 * kDay), cramped_, thinning_)) << "a round begins again";
  EXPECT_EQ(Count("SELECT count(*) FROM autoscalers"), 999);
}

// The oldest history makes room within the file, and no more of it goes than that takes.
TEST_F(RetentionTest, ADiskThatIsNearlyFullMakesTheOldestGo) {
  const Retention all{Duration::Seconds(1000 * kDay), 0};
  ThinAll(all, 20 * kDay);
  EXPECT_EQ(Count("SELECT count(*) FROM decisions WHERE outcome = 'written'"), 20);
  const auto quiet = [this] {
    return Count("SELECT count(*) FROM decisions WHERE outcome = 'none'");
  };
  const std::int64_t before = Bytes();
  const std::int64_t quiet_before = quiet();
  cramped_ = true;
  ThinAll(all, 20 * kDay);
  const std::int64_t free = Count("PRAGMA freelist_count") * Count("PRAGMA page_size");
  EXPECT_GE(free, std::int64_t{4} << 20);
  EXPECT_LE(Bytes(), before);
  EXPECT_EQ(Count("SELECT count(*) FROM decisions WHERE outcome = 'written'"), 20);
  EXPECT_LT(quiet(), quiet_before);
  EXPECT_GT(quiet(), 0);
}

// Deleted while no operator ran: the next one learns which autoscalers exist.
TEST_F(RetentionTest, AnAutoscalerThatWentUnnoticedGoesToo) {
  database_.reset();
  {
    const auto ledger =
        testing::OpenLedger(folder_.Path("db"), {.intent_timeout = support::Patience()}).value();
    ledger->Append(Evaluated{EvaluationOf("api", 20 * kDay, 5, 5), {}, nullptr});
    ledger->Append(OthersForgotten{{"uid-api"}});
    EXPECT_FALSE(ledger->Recall("uid-web", At(20 * kDay)));
    EXPECT_TRUE(ledger->Recall("uid-api", At(20 * kDay)));
  }
  database_ = Database::Open(folder_.Path("db"), Access::kWrite).value();
  ThinAll({Duration::Seconds(30 * kDay), 0}, (20 + 31) * kDay);
  EXPECT_EQ(database_->Text("SELECT group_concat(name) FROM autoscalers").value(), "api");
}

// What a process served is asked for as long as it ran.
TEST_F(RetentionTest, AProcessIsAsOldAsItsEnd) {
  ASSERT_TRUE(database_->Execute("DELETE FROM processes").ok());
  for (const int day : {1, 2, 5}) {
    ASSERT_TRUE(database_
                    ->Run("INSERT INTO processes (started, engine, namespaces) VALUES (?, 1, '')",
                          At(day * kDay))
                    .ok());
  }
  const auto first = [&] {
    return Count("SELECT (min(started) - 1800000000000000000) / 86400000000000 FROM processes");
  };
  ThinAll({Duration::Seconds(10 * kDay), 0}, 14 * kDay);
  EXPECT_EQ(first(), 2);
  ThinAll({Duration::Seconds(10 * kDay), 0}, 40 * kDay);
  EXPECT_EQ(first(), 5);
}

TEST_F(RetentionTest, WhatIsOpenStaysHoweverOld) {
  constexpr const char* kUnsettled =
      "SELECT group_concat(outcome) FROM (SELECT outcome FROM decisions WHERE"
      " outcome IN ('intended', 'unknown') ORDER BY id)";
  // The oldest write is open. The second was given up and followed by others; the last was given up
  // and not followed.
  ASSERT_TRUE(database_
                  ->Execute("UPDATE decisions SET outcome = 'intended' WHERE id = 1;"
                            "UPDATE decisions SET outcome = 'unknown' WHERE id = 4 OR id ="
                            " (SELECT max(id) FROM decisions WHERE outcome = 'written')")
                  .ok());
  ASSERT_EQ(database_->Text(kUnsettled).value(), "intended,unknown,unknown");
  ThinAll({Duration::Seconds(kDay), 0}, 1'000 * kDay);
  EXPECT_EQ(database_->Text(kUnsettled).value(), "intended,unknown");
  EXPECT_EQ(Count("SELECT count(*) FROM decisions"), 2);
  ThinAll({Duration::Seconds(kDay), 1}, 1'000 * kDay);
  EXPECT_EQ(Count("SELECT count(*) FROM decisions"), 2);
}

// Rows that were written while the clock was a year ahead.
TEST_F(RetentionTest, RowsFromTheFutureStopNoRetention) {
  ASSERT_TRUE(
      database_
          ->Execute("UPDATE decisions SET until = until + 31536000000000000 WHERE id <= 30;"
                    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)"
                    " INSERT INTO foreign_changes (autoscaler, time, before, after, manager)"
                    " SELECT 1, 1800000000000000000 + iif(i <= 20, 31536000000000000, 0), 1, 2, ''"
                    " FROM n")
          .ok());
  ThinAll({Duration::Seconds(kDay), 0}, 40 * kDay);
  EXPECT_EQ(Count("SELECT count(*) FROM decisions"), 30);
  EXPECT_EQ(Count("SELECT count(*) FROM foreign_changes"), 20);
  ThinAll({Duration::Seconds(kDay), 0}, (40 + 365) * kDay);
  EXPECT_EQ(Count("SELECT count(*) FROM decisions"), 0);
}

// Edits are history: they go with the decisions of their time.
TEST_F(RetentionTest, EditsGoByAgeAndBySize) {
  const auto edits = [this] { return Count("SELECT count(*) FROM edits"); };
  ASSERT_TRUE(
      database_
          ->Execute("WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 39)"
                    " INSERT INTO edits (autoscaler, time, field, before, after, manager)"
                    " SELECT 1, 1800000000000000000 + i * 43200000000000, 'a', '', '', '' FROM n")
          .ok());
  ThinAll({Duration::Seconds(10 * kDay), 0}, 20 * kDay);
  EXPECT_EQ(edits(), 20);
  ThinAll({Duration::Seconds(1'000 * kDay), 1}, 20 * kDay);
  EXPECT_EQ(edits(), 0);
}

}  // namespace
}  // namespace ballast::store
