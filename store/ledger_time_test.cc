// Slow evaluations and clocks that are set: neither multiplies rows, ages the history or shortens
// memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "store/sqlite/sqlite.h"
#include "store/testing/open_ledger.h"
#include "store/testing/test_store.h"

namespace ballast::store {
namespace {

using testing::At;
using testing::EvaluationOf;
using testing::Folder;
using testing::kConclusion;
using testing::Quick;
using testing::Recommended;

constexpr double kHour = 3'600;
constexpr double kDay = 24 * kHour;
constexpr double kYear = 365 * kDay;

class LedgerTime : public ::testing::Test {
 protected:
  // Records an evaluation that keeps the replicas.
  void Stay(const std::string& name, double seconds) {
    ledger_->Append(Evaluated{EvaluationOf(name, seconds, 5, 5), Recommended({{At(seconds), 5}}),
                              &kConclusion});
    EXPECT_TRUE(ledger_->Flush().ok());
  }
  std::int64_t Figure(const char* sql) {
    return Database::Open(path_, Access::kRead).value()->Integer(sql).value();
  }
  std::int64_t Runs(const std::string& name) {
    const std::string sql =
        "SELECT count(*) FROM decisions d JOIN autoscalers a ON a.id = d.autoscaler"
        " WHERE a.name = '" +
        name + "'";
    return Figure(sql.c_str());
  }
  // What the next process finds if this one is killed now.
  std::unique_ptr<Ledger> Crashed() {
    const std::string copy = folder_.Path("crashed");
    for (const char* suffix : {"", "-wal"}) {
      std::filesystem::copy(path_ + suffix, copy + suffix);
    }
    return testing::OpenLedger(copy, Quick()).value();
  }

  const Folder folder_;
  const std::string path_ = folder_.Path("db");
  std::unique_ptr<Ledger> ledger_ = testing::OpenLedger(path_, Quick()).value();
};

// Its answers always arrive later than those of others.
TEST_F(LedgerTime, ASlowAutoscalerIsOneRun) {
  for (const double late : {1, 10, 29}) {
    const std::string name = "slow" + std::to_string(static_cast<int>(late));
    for (int i = 0; i < 20; ++i) {
      Stay("fast", 1'000 * late + 15 * i + late);
      Stay(name, 1'000 * late + 15 * i);
    }
    EXPECT_EQ(Runs(name), 1);
  }
}

// Once it has used up its budget. While it is waited for its run is closed, and opened again.
TEST_F(LedgerTime, AnAutoscalerThatIsAlwaysVeryLateIsOneRunInTheEnd) {
  constexpr int kEvaluations = 20;
  for (int i = 0; i < kEvaluations; ++i) {
    EvaluationRecord slow = EvaluationOf("slow", 120 * i, 5, 5);
    slow.readings = {{"Resource/cpu", "Utilization", i * 1'000, {}}};
    ledger_->Append(Evaluated{slow, Recommended({{At(120 * i), 5}}), &kConclusion});
    for (int k = 1; k < 8; ++k) {
      Stay("fast", 120 * i + 15 * k);
    }
    EXPECT_EQ(Figure("SELECT count(*) FROM decisions WHERE until IS NULL"), 1) << "only fast's";
  }
  ledger_.reset();
  EXPECT_EQ(Runs("slow"), 11);
  EXPECT_EQ(Figure("SELECT sum(evaluations) FROM decisions WHERE autoscaler = 1"), kEvaluations);
  EXPECT_EQ(Figure("SELECT count(*) FROM ranges"), 11);
  EXPECT_EQ(Figure("SELECT high FROM ranges ORDER BY decision DESC LIMIT 1"), 19'000);
  EXPECT_EQ(Figure("SELECT count(*) FROM delays"), 10 + 1);
  EXPECT_EQ(Figure("SELECT count(*) FROM series WHERE autoscaler = 1"), 1);
}

// Otherwise readers would take the fleet's heartbeat for its last evaluation.
TEST_F(LedgerTime, ARunEndsWhenNothingCanBeUnderWay) {
  Stay("gone-quiet", 0);
  for (double t = 15; t <= 150; t += 15) {
    Stay("fast", t);
  }
  EXPECT_EQ(Figure("SELECT count(*) FROM decisions WHERE until IS NULL"), 1);
  EXPECT_EQ(Figure("SELECT (until - 1800000000000000000) FROM decisions ORDER BY id LIMIT 1"), 0);
}

TEST_F(LedgerTime, AClockThatIsSetBackEndsOneRun) {
  for (int i = 0; i < 10; ++i) {
    Stay("web", kHour + 15 * i);
  }
  for (int i = 0; i < 10; ++i) {
    Stay("web", 15 * i);
  }
  ledger_.reset();
  EXPECT_EQ(Runs("web"), 2);
}

// Each change of the clock costs one row for each autoscaler, and one more for those whose
// evaluation was under way.
TEST_F(LedgerTime, AClockThatIsSetBackAndForthMultipliesNoRows) {
  const std::vector<std::string> fleet{"a", "b", "c", "d"};
  double now = 0;
  for (const double offset : {0.0, kHour, 0.0, -kHour, kYear, 0.0, -kYear, 0.0}) {
    for (int i = 0; i < 20; ++i) {
      now += 15;
      for (std::size_t k = 0; k < fleet.size(); ++k) {
        const double took = k == 0 ? 3 : 0;
        Stay(fleet[k], now + offset + static_cast<double>(k) - took);
      }
    }
  }
  ledger_.reset();
  for (const std::string& name : fleet) {
    EXPECT_LE(Runs(name), 2 * 8) << name;
  }
}

// The only autoscaler that was evaluated during the jump has been deleted since.
TEST_F(LedgerTime, AJumpThatIsOverIsForgotten) {
  Stay("web", 0);
  Stay("gone", kHour);
  ledger_->Append(Forgotten{"uid-gone"});
  for (int i = 1; i < 20; ++i) {
    Stay("web", 15 * i);
  }
  ledger_.reset();
  EXPECT_LE(Runs("web"), 2);
}

TEST_F(LedgerTime, WhatTheHeartbeatStoodForIsOnDiskBeforeItIsSetBack) {
  Stay("api", kHour);
  Stay("web", kHour + 1);
  Stay("api", 0);
  const auto crashed = Crashed();
  const auto web = crashed->Recall("uid-web", At(2 * kHour));
  ASSERT_TRUE(web);
  EXPECT_EQ(web->memory, Recommended({{At(kHour + 1), 5}}));
  EXPECT_EQ(web->last_evaluation, At(kHour + 1));
}

TEST_F(LedgerTime, AnEvaluationIsNeverRestoredLaterThanItWasAlsoIfTheClockWasSetBackALittle) {
  Stay("web", 15);
  Stay("web", 10);
  ledger_->Append(TermSeen{"ballast-0", true, At(10)});
  ASSERT_TRUE(ledger_->Flush().ok());
  EXPECT_LE(Crashed()->Recall("uid-web", At(kHour))->last_evaluation, At(10));
}

TEST_F(LedgerTime, TheReplicasAreThoseOfTheNewestRecordNotOfTheLatest) {
  Stay("web", kHour);
  ledger_->Append(Evaluated{EvaluationOf("web", 0, 7, 7), {}, nullptr});
  ledger_.reset();
  ledger_ = testing::OpenLedger(path_, Quick()).value();
  EXPECT_EQ(ledger_->Recall("uid-web", At(20))->replicas, 7);
}

// A clock that was wrong for a moment, by more than the age at which history is deleted.
TEST_F(LedgerTime, AJumpThatIsOverTakesNoHistory) {
  ledger_.reset();
  LedgerOptions options = Quick();
  options.retention = {Duration::Seconds(30 * static_cast<std::int64_t>(kDay)), 0};
  ledger_ = testing::OpenLedger(path_, options).value();
  Stay("web", 0);
  Stay("web", 400 * kDay);
  Stay("web", 15);
  ledger_->Append(Forgotten{"uid-web"});
  EXPECT_TRUE(ledger_->Flush().ok());
  ledger_.reset();
  ledger_ = testing::OpenLedger(path_, options).value();
  EXPECT_LT(Figure("SELECT (evaluated - 1800000000000000000) / 1000000000 FROM heartbeat"), kDay);
}

// Retention runs whenever the ledger is opened: here while the clock is wrong.
TEST_F(LedgerTime, AJumpThatGoesOnTakesNoHistory) {
  LedgerOptions options = Quick();
  options.retention = {Duration::Seconds(30 * static_cast<std::int64_t>(kDay)), 0};
  Stay("web", 0);
  ledger_.reset();
  ledger_ = testing::OpenLedger(path_, options).value();
  Stay("web", kYear);
  ledger_.reset();
  EXPECT_EQ(Runs("web"), 2);
}

}  // namespace
}  // namespace ballast::store
