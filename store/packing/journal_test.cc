#include "store/sqlite/journal_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "api/base/stable_hash.h"
#include "store/sqlite/sqlite.h"
#include "store/testing/open_ledger.h"
#include "store/testing/test_store.h"

namespace ballast::store {
namespace {

using testing::At;
using testing::EvaluationOf;
using testing::Folder;
using ::testing::SizeIs;

SeriesPoint Seen(double seconds, std::int64_t percent, const std::string& reason = "A") {
  return {At(seconds),
          5,
          7,
          reason,
          {{"Resource/cpu", "Utilization", percent * 1000, At(seconds - 3)},
           {"Pods/queue", "AverageValue", std::nullopt, std::nullopt}}};
}

void ExpectEqual(const SeriesPoint& point, const SeriesPoint& expected) {
  EXPECT_EQ(point.time, expected.time);
  EXPECT_EQ(point.current_replicas, expected.current_replicas);
  EXPECT_EQ(point.desired_replicas, expected.desired_replicas);
  EXPECT_EQ(point.reason, expected.reason);
  ASSERT_EQ(point.readings.size(), expected.readings.size());
  for (std::size_t i = 0; i < point.readings.size(); ++i) {
    EXPECT_EQ(point.readings[i].metric, expected.readings[i].metric);
    EXPECT_EQ(point.readings[i].target, expected.readings[i].target);
    EXPECT_EQ(point.readings[i].milli, expected.readings[i].milli);
    EXPECT_EQ(point.readings[i].sampled, expected.readings[i].sampled);
  }
}

class JournalTest : public ::testing::Test {
 protected:
  JournalTest() {
    EXPECT_TRUE(testing::OpenLedger(path_).ok());  // creates the tables
    database_ = Database::Open(path_, Access::kWrite).value();
  }

  void Commit() {
    const Status written = WriteJournal(*database_, journal_.Take());
    EXPECT_TRUE(written.ok()) << written.error().message;
  }
  std::optional<SeriesPoint> Find(const std::string& uid, double until) {
    return FindInJournal(*database_, uid, At(until)).value();
  }
  std::int64_t Rows() { return database_->Integer("SELECT count(*) FROM journal").value(); }

  const Folder folder_;
  const std::string path_ = folder_.Path("db");
  std::unique_ptr<Database> database_;
  Journal journal_;
};

TEST_F(JournalTest, GivesBackWhatWasAdded) {
  SeriesPoint odd = Seen(15.5, -3, "");  // an impossible value, and a sample in the future
  odd.current_replicas = -1;
  odd.desired_replicas = 2'000'000'000;
  odd.readings[1].milli = 123456789012;
  odd.readings[1].sampled = At(100);
  SeriesPoint bare{At(15.6), 1, 1, "NoMetrics", {}};
  journal_.Add("a", Seen(15.004, 60));
  journal_.Add("b", odd);
  journal_.Add("c", bare);
  journal_.Add("c", Seen(14, 60));  // the clock was set back
  Commit();
  ExpectEqual(*Find("a", 16), Seen(15.004, 60));
  ExpectEqual(*Find("b", 16), odd);
  ExpectEqual(*Find("c", 16), bare);
  ExpectEqual(*Find("c", 15), Seen(14, 60));
  EXPECT_FALSE(Find("c", 13));
  EXPECT_FALSE(Find("d", 16));
  EXPECT_EQ(Rows(), 1);
}

TEST_F(JournalTest, TheNewestUntilThenIsFound) {
  for (int i = 0; i < 10; ++i) {
    journal_.Add("a", Seen(i * 15, 50 + i));
    journal_.Add("b", Seen(i * 15 + 1, 90));
    Commit();
  }
  EXPECT_EQ(Rows(), 10);
  EXPECT_EQ(Find("a", 1000)->readings[0].milli, 59'000);
  EXPECT_EQ(Find("a", 75)->readings[0].milli, 55'000);
  EXPECT_EQ(Find("a", 74.9)->readings[0].milli, 54'000);
  EXPECT_FALSE(Find("a", -1));
}

TEST_F(JournalTest, NothingNotedIsNoRow) {
  Commit();
  EXPECT_EQ(Rows(), 0);
}

TEST_F(JournalTest, TellsWhatNoSeriesHas) {
  journal_.Add("a", Seen(0, 50));
  journal_.Add("b", Seen(1, 51));
  Commit();
  journal_.Add("a", Seen(15, 52));
  journal_.Saved("a");
  journal_.Add("b", Seen(16, 53));
  Commit();
  journal_.Saved("b");
  journal_.Add("b", Seen(2, 54));  // the clock was set back
  Commit();
  const auto unsaved = ReadUnsaved(*database_).value();
  ASSERT_THAT(unsaved, SizeIs(1));
  const auto& of_b = unsaved.at(StableHash("b"));
  ASSERT_THAT(of_b, SizeIs(1));
  ExpectEqual(*of_b[0].point, Seen(2, 54));
  EXPECT_EQ(of_b[0].number, 7);
  EXPECT_EQ(NextJournalNumber(*database_).value(), 8);
}

TEST_F(JournalTest, RowsGoThatAreNotKept) {
  for (int i = 0; i < 10; ++i) {
    journal_.Add("a", Seen(i, 50));
    if (i % 2 == 1) {
      Commit();
    }
  }
  journal_.KeepFrom(6);  // the row with entries 5 and 6 stays
  Commit();
  EXPECT_EQ(Rows(), 3);
  EXPECT_FALSE(Find("a", 3));
  EXPECT_EQ(Find("a", 4)->time, At(4));
  // Entries that need not be kept are not written at all.
  journal_.Add("a", Seen(10, 50));
  journal_.KeepFrom(journal_.next());
  Commit();
  EXPECT_EQ(Rows(), 0);
}

TEST_F(JournalTest, WhatWaitedLongIsStillInOrder) {
  journal_.Add("a", Seen(0, 50));
  JournalNotes notes = journal_.Take();
  journal_.Add("a", Seen(15, 51));
  journal_.KeepFrom(1);
  notes.Append(journal_.Take());
  EXPECT_TRUE(WriteJournal(*database_, notes).ok());
  EXPECT_EQ(Find("a", 20)->time, At(15));
  EXPECT_EQ(Find("a", 10)->time, At(0));
}

// The size for a busy fleet: 300 autoscalers in one commit.
TEST_F(JournalTest, TakesAFewBytesForEachEvaluation) {
  for (int i = 0; i < 300; ++i) {
    const int milliseconds = i / 3;
    journal_.Add("uid-" + std::to_string(i), Seen(milliseconds / 1000.0, 30 + i % 41));
  }
  EXPECT_LT(PackJournal(journal_.Take().entries).size(), 300 * 26);
}

TEST_F(JournalTest, ADamagedRowCostsOnlyItself) {
  const auto entries = [&](int row) {
    journal_.Add("a", Seen(row * 15, 50));
    journal_.Add("b", Seen(row * 15 + 1, 51, "B"));
    return journal_.Take();
  };
  EXPECT_TRUE(WriteJournal(*database_, entries(0)).ok());
  const JournalNotes notes = entries(1);
  EXPECT_TRUE(WriteJournal(*database_, entries(2)).ok());
  const std::string sound = PackJournal(notes.entries);
  const auto expect_the_others = [&](const std::string& data) {
    ASSERT_TRUE(database_
                    ->Run("INSERT OR REPLACE INTO journal VALUES (?, ?, ?)",
                          notes.entries.back().number, At(15), Bytes{data})
                    .ok());
    for (const char* uid : {"a", "b"}) {
      ASSERT_TRUE(Find(uid, 14));
      EXPECT_LT(Find(uid, 14)->time, At(2));
      ASSERT_TRUE(Find(uid, 40));
      EXPECT_GE(Find(uid, 40)->time, At(30));
      ASSERT_TRUE(Find(uid, 20));  // in the damaged row or in the one before
    }
    const auto unsaved = ReadUnsaved(*database_);
    ASSERT_TRUE(unsaved.ok());
    EXPECT_GE(unsaved->size(), 2U);
  };
  for (std::size_t i = 0; i < sound.size(); ++i) {
    SCOPED_TRACE(i);
    expect_the_others(sound.substr(0, i));
    for (const int bits : {0x01, 0x80, 0xff}) {
      std::string changed = sound;
      changed[i] = static_cast<char>(changed[i] ^ bits);
      expect_the_others(changed);
    }
  }
  std::uint64_t state = 1;
  for (int i = 0; i < 2'000; ++i) {
    std::string noise(static_cast<std::size_t>(i % 60), '\0');
    for (char& c : noise) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      c = static_cast<char>(state >> 60);  // with small numbers more of it is decoded
    }
    expect_the_others(noise);
  }
}

}  // namespace
}  // namespace ballast::store
