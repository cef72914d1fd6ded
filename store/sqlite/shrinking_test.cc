// Whose history goes when a store is too large, and what is told about it.
#include "store/sqlite/shrinking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "store/fold/ledger_state.h"
#include "store/sqlite/database_schema.h"
#include "store/sqlite/deletion.h"
#include "store/sqlite/reach.h"
#include "store/sqlite/sqlite.h"
#include "store/sqlite/sqlite_backend.h"
#include "store/sqlite/thinning.h"
#include "store/testing/any_record.h"
#include "store/testing/failing_vfs.h"
#include "store/testing/test_store.h"

namespace ballast::store {
namespace {

using testing::At;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int kHour = 3'600;
constexpr int kNow = 100 * kHour;

// What a namespace has recorded, evenly over the hundred hours until now.
struct Tenant {
  std::string name;
  int autoscalers = 1;
  int runs = 0;     // of each autoscaler; they changed nothing
  int changes = 0;  // of each: written scales, each with an edit before it
  int series = 50;  // of each
  int bytes = 200;  // of the snapshot of each run and each change
};

constexpr const char* kDecisions =
    "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?3)"
    " INSERT INTO decisions (id, autoscaler, time, until, evaluations, current, desired, reason,"
    " message, outcome, made_by, engine)"
    " SELECT ?2 + i, ?1, ?4 + i * (?5 / ?3), ?4 + i * (?5 / ?3) + ?5 / ?3 / 2, 1, 1, 1, 'R', 'M',"
    " ?6, 'evaluated', 1 FROM n WHERE ?3 > 0";
constexpr const char* kSnapshots =
    "INSERT INTO snapshots SELECT id, zeroblob(?2) FROM decisions WHERE autoscaler = ?1";
constexpr const char* kConclusions =
    "INSERT INTO conclusions SELECT id, zeroblob(20) FROM decisions WHERE autoscaler = ?1";
constexpr const char* kEdits =
    "INSERT INTO edits (autoscaler, time, field, before, after, manager)"
    " SELECT autoscaler, time - 1, 'f', '', '', 'kubectl' FROM decisions"
    " WHERE autoscaler = ?1 AND outcome = 'written'";
constexpr const char* kSeries =
    "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2)"
    " INSERT INTO series (autoscaler, time, until, evaluations, data)"
    " SELECT ?1, ?3 + i * (?4 / ?2), ?3 + (i + 1) * (?4 / ?2) - 1, 1, zeroblob(100) FROM n"
    " WHERE ?2 > 0";

class Shrinks : public ::testing::Test {
 protected:
  // An empty store.
  void Open() {
    database_.reset();
    std::filesystem::remove(folder_.Path("db"));
    next_ = 1;
    thinning_ = {};
    database_ = Database::Open(folder_.Path("db"), Access::kWrite).value();
    EXPECT_TRUE(Migrate(*database_).ok());
    EXPECT_TRUE(database_->Run("UPDATE heartbeat SET evaluated = ?", At(kNow)).ok());
  }

  template <typename... Args>
  void Run(const char* sql, const Args&... args) {
    const Status run = database_->Run(sql, args...);
    ASSERT_TRUE(run.ok()) << run.error().message << ": " << sql;
  }

  void Record(const Tenant& tenant) {
    constexpr std::int64_t kSpan = std::int64_t{kNow} * 1'000'000'000;
    for (int i = 0; i < tenant.autoscalers; ++i) {
      const std::string name = tenant.name + "-" + std::to_string(i);
      Run("INSERT INTO autoscalers (uid, kind, namespace, name, evaluated) VALUES (?1, 'k', ?2,"
          " ?1, 1)",
          name, tenant.name);
      const std::int64_t row = Count("SELECT max(id) FROM autoscalers");
      Run(kDecisions, row, next_, std::int64_t{tenant.runs}, At(0), kSpan, "none");
      next_ += tenant.runs;
      Run(kDecisions, row, next_, std::int64_t{tenant.changes}, At(1), kSpan, "written");
      next_ += tenant.changes;
      Run(kSnapshots, row, std::int64_t{tenant.bytes});
      Run(kConclusions, row);
      Run(kEdits, row);
      Run(kSeries, row, std::int64_t{tenant.series}, At(0), kSpan);
    }
  }

  std::int64_t Count(const char* sql) { return database_->Integer(sql).value(); }
  std::int64_t Used() {
    return (Count("PRAGMA page_count") - Count("PRAGMA freelist_count")) * 4096;
  }
  std::int64_t Rows() {
    return Count(
        "SELECT (SELECT count(*) FROM decisions) + (SELECT count(*) FROM series) +"
        " (SELECT count(*) FROM edits)");
  }
  std::map<std::string, std::int64_t> ByNamespace(const char* sql) {
    std::map<std::string, std::int64_t> values;
    Statement rows = database_->Prepare(sql).value();
    EXPECT_TRUE(rows.ForEach([&](const Statement& row) -> Status {
                      values[std::string(row.Text(0))] = row.Integer(1);
                      return Done{};
                    })
                    .ok());
    return values;
  }
  std::map<std::string, std::int64_t> BytesOf() {
    return ByNamespace("SELECT name, bytes FROM namespaces");
  }
  std::map<std::string, std::int64_t> RunsOf() {
    return ByNamespace(
        "SELECT namespace, count(*) FROM decisions JOIN autoscalers a ON"
        " a.id = autoscaler WHERE outcome = 'none' GROUP BY namespace");
  }
  std::map<std::string, std::int64_t> ChangesOf() {
    return ByNamespace(
        "SELECT namespace, count(*) FROM decisions JOIN autoscalers a ON"
        " a.id = autoscaler WHERE outcome = 'written' GROUP BY namespace");
  }

  // Until nothing is left to do. After every `lives` steps another process goes on.
  void ThinAll(std::int64_t bytes, int lives = 1'000'000) {
    for (int step = 1;; ++step) {
      const bool counts = step % 16 == 0;
      const std::int64_t before = counts ? Rows() : 0;
      const auto more =
          Thin(*database_, {Duration::Seconds(1000 * kHour), bytes}, At(kNow), false, thinning_);
      ASSERT_TRUE(more.ok()) << more.error().message;
      if (counts) {
        ASSERT_LE(before - Rows(), 2 * kRowsOfAStep) << "a step is short";
      }
      if (!*more) {
        return;
      }
      if (step % lives == 0) {
        thinning_ = {};
      }
    }
  }

  // What is told as complete is: all runs and series that ended since then, by namespace.
  std::map<std::string, std::int64_t> Complete(const std::map<std::string, Time>& since) {
    std::map<std::string, std::int64_t> complete;
    for (const auto& [name, time] : since) {
      Statement rows =
          database_
              ->Prepare(
                  "SELECT (SELECT count(*) FROM decisions d JOIN autoscalers a ON a.id ="
                  " d.autoscaler WHERE a.namespace = ?1 AND outcome = 'none' AND until >= ?2)"
                  " + (SELECT count(*) FROM series s JOIN autoscalers a ON a.id ="
                  " s.autoscaler WHERE a.namespace = ?1 AND until >= ?2)")
              .value();
      rows.Bind(name, time);
      EXPECT_TRUE(rows.Step().value());
      complete[name] = rows.Integer(0);
    }
    return complete;
  }

  std::map<std::string, Time> ToldSince() {
    std::map<std::string, Time> told;
    for (const auto& [name, bytes] : BytesOf()) {
      const auto reach = ReadReach(*database_, name).value();
      if (reach && reach->deleted) {
        told[name] = reach->since;
        EXPECT_EQ(reach->namespace_, name);
      }
    }
    return told;
  }

  const testing::FailingVfs disk_;  // fails nothing here, but does not wait for the disk
  const testing::Folder folder_;
  std::unique_ptr<Database> database_;
  std::int64_t next_ = 1;
  Thinning thinning_;
};

// Of those that lose something, each ends with about as much as the others; all others keep all.
TEST_F(Shrinks, WhoHasTheMostGivesUpItsOwn) {
  const struct {
    const char* what;
    std::vector<Tenant> tenants;
    double part;  // of the store that may stay
    std::vector<std::string> lose;
  } kCases[] = {
      {"nobody, if there is room", {{"flood", 5, 400}, {"shop", 1, 100}}, 1.1, {}},
      {"one of many rows", {{"flood", 6, 400}, {"shop", 1, 100}, {"lab", 2, 50}}, 0.6, {"flood"}},
      {"one of many autoscalers", {{"flood", 120, 20, 0, 5}, {"shop", 1, 80}}, 0.7, {"flood"}},
      {"one of few rows that are large",
       {{"flood", 1, 60, 0, 10, 50'000}, {"shop", 8, 100, 0, 10}},
       0.5,
       {"flood"}},
      {"two", {{"a", 4, 400}, {"b", 4, 300}, {"shop", 1, 100}}, 0.6, {"a", "b"}},
      {"two, of which one is larger by far",
       {{"a", 12, 200}, {"b", 3, 200}, {"shop", 1, 100}},
       0.7,
       {"a"}},
      {"all, if they are alike",
       {{"a", 2, 200}, {"b", 2, 200}, {"c", 2, 200}, {"d", 2, 200}, {"e", 2, 200}},
       0.7,
       {"a", "b", "c", "d", "e"}},
      {"one that is alone", {{"shop", 5, 200}}, 0.6, {"shop"}},
      {"one of changes alone", {{"flood", 5, 0, 400, 0}, {"shop", 1, 100, 10}}, 0.6, {"flood"}},
  };
  for (const auto& c : kCases) {
    for (const int lives : {1'000'000, 40}) {
      SCOPED_TRACE(std::string(c.what) + ", " + std::to_string(lives));
      Open();
      std::ranges::for_each(c.tenants, [&](const Tenant& tenant) { Record(tenant); });
      const auto bytes = BytesOf();
      const auto limit = static_cast<std::int64_t>(static_cast<double>(Used()) * c.part);
      ThinAll(limit, lives);
      EXPECT_LE(Used(), limit);
      const auto left = BytesOf();
      std::vector<std::string> lost;
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      std::int64_t most = 0;
      for (const auto& [name, size] : bytes) {
        if (left.at(name) < size) {
          lost.push_back(name);
          least = std::min(least, left.at(name));
          most = std::max(most, left.at(name));
        }
      }
      EXPECT_EQ(lost, c.lose);
      if (!lost.empty()) {
        EXPECT_GT(least, 0);
        EXPECT_LT(most - least, 64 * 1'000) << "a step of one after a step of the other";
        for (const auto& [name, size] : left) {
          EXPECT_LE(size, most) << "none that has more keeps all: " << name;
        }
      }
      const auto told = ToldSince();
      std::vector<std::string> told_of;
      for (const auto& [name, since] : told) {
        told_of.push_back(name);
        EXPECT_LE(since, At(kNow));
      }
      EXPECT_EQ(told_of, c.lose);
      // The same store, of which nothing has gone, has no more since then.
      const auto kept = Complete(told);
      Open();
      std::ranges::for_each(c.tenants, [&](const Tenant& tenant) { Record(tenant); });
      EXPECT_EQ(kept, Complete(told));
      EXPECT_EQ(BytesOf(), bytes);
    }
  }
}

// As of one namespace alone: first the runs that changed nothing, with their series, then the rest.
TEST_F(Shrinks, WhatChangedNothingGoesBeforeWhatDid) {
  Open();
  Record({"flood", 8, 200, 100});
  Record({"shop", 1, 20, 10});
  const std::int64_t all = Used();
  ThinAll(all * 3 / 4);
  EXPECT_EQ(ChangesOf().at("flood"), 800);
  EXPECT_LT(RunsOf().at("flood"), 1600);
  ThinAll(all * 3 / 10);
  EXPECT_FALSE(RunsOf().contains("flood"));
  EXPECT_LT(ChangesOf().at("flood"), 800);
  EXPECT_GT(ChangesOf().at("flood"), 0);
  // The oldest of all its autoscalers, not of one after the other.
  EXPECT_LE(Count("SELECT (max(first) - min(first)) / 3600000000000 FROM (SELECT min(time) AS first"
                  " FROM decisions d JOIN autoscalers a ON a.id = autoscaler WHERE namespace ="
                  " 'flood' GROUP BY autoscaler)"),
            2);
  EXPECT_EQ(Count("SELECT count(*) FROM edits JOIN autoscalers a ON a.id = autoscaler WHERE"
                  " namespace = 'flood' AND time <"
                  " (SELECT min(d.time) - 1 FROM decisions d JOIN autoscalers b ON"
                  " b.id = d.autoscaler WHERE b.namespace = 'flood')"),
            0)
      << "an edit goes with the decisions of its time";
  EXPECT_EQ(RunsOf().at("shop"), 20);
  EXPECT_EQ(ChangesOf().at("shop"), 10);
  // What is new goes before the changes that are left.
  const std::int64_t changes = ChangesOf().at("flood");
  Run(kDecisions, std::int64_t{1}, next_, std::int64_t{1'000}, At(kNow - 1'000),
      std::int64_t{1'000'000'000'000}, "none");
  ThinAll(Used() - 20 * 4096);
  EXPECT_LT(RunsOf().at("flood"), 900);
  EXPECT_GE(ChangesOf().at("flood"), changes - 3 * kRowsOfAStep) << "those of a sweep under way";
}

// However small the limit: nothing is deleted for ever, and a step finds an end.
TEST_F(Shrinks, WhatHasToStayStays) {
  Open();
  Record({"a", 60, 20});
  Record({"b", 1, 5, 5});
  Run("UPDATE decisions SET until = NULL WHERE id % 20 = 0");
  Run("UPDATE decisions SET outcome = 'intended' WHERE id = 1");
  // Left by a clock that was ahead for a while.
  Run("UPDATE decisions SET time = time + 31536000000000000, until = until + 31536000000000000"
      " WHERE id IN (3, 4)");
  const std::int64_t open = Count("SELECT count(*) FROM decisions WHERE until IS NULL");
  ThinAll(1);
  EXPECT_EQ(Count("SELECT count(*) FROM decisions"), open + 1);
  EXPECT_EQ(Count("SELECT count(*) FROM autoscalers"), 61) << "they have memory";
  for (const auto& [name, since] : ToldSince()) {
    EXPECT_EQ(since, At(kNow)) << "nothing is told of a time that has not come";
  }
  EXPECT_TRUE(thinning_.shrinking.spent.empty()) << "what ends later may go later";
  Run("UPDATE decisions SET until = time WHERE until IS NULL AND autoscaler = 1");
  ThinAll(1);
  EXPECT_LT(Count("SELECT count(*) FROM decisions"), open + 1);
}

// Each namespace is told of what it lost, whether by its age or for want of room.
TEST_F(Shrinks, ToldIsWhatWasDeletedOfANamespace) {
  Open();
  Record({"old", 1, 100, 0, 10});
  Record({"shop", 1, 0, 0, 0});
  Run("INSERT INTO series (autoscaler, time, until, evaluations, data) VALUES (2, ?1, ?1, 1, x'')",
      At(kNow - 1));
  Record({"flood", 2, 100});
  EXPECT_THAT(ToldSince(), IsEmpty());
  EXPECT_EQ(ReadReach(*database_).value()->since, At(0));
  EXPECT_FALSE(ReadReach(*database_).value()->deleted);
  const Retention by_age{Duration::Seconds(60 * kHour), 0};
  while (Thin(*database_, by_age, At(kNow), false, thinning_).value()) {
  }
  EXPECT_THAT(ToldSince(),
              ElementsAre(std::pair("flood", At(40 * kHour)), std::pair("old", At(40 * kHour))));
  ThinAll(Used() - 40'000);
  const auto told = ToldSince();
  EXPECT_EQ(told.at("old"), At(40 * kHour));
  EXPECT_GT(told.at("flood"), At(40 * kHour));
  EXPECT_EQ(told.size(), 2);
  EXPECT_EQ(ReadReach(*database_).value()->since, told.at("flood"));
  EXPECT_EQ(ReadReach(*database_).value()->namespace_, "flood");
}

// As long as somebody may ask for what it had.
TEST_F(Shrinks, ANamespaceThatIsGoneIsForgottenWithItsHistory) {
  Open();
  Record({"preview", 2, 50});
  Record({"shop", 1, 50});
  Run("UPDATE autoscalers SET evaluated = NULL WHERE namespace = 'preview'");
  const auto thin = [&](int age, int now) {
    while (
        Thin(*database_, {Duration::Seconds(age), age == kHour ? 1 : 0}, At(now), false, thinning_)
            .value()) {
    }
  };
  Run("DELETE FROM autoscalers WHERE name = 'nobody'");
  ThinAll(1);
  EXPECT_EQ(Count("SELECT count(*) FROM autoscalers"), 1);
  EXPECT_EQ(Count("SELECT count(*) FROM namespaces"), 2);
  EXPECT_EQ(ToldSince().at("preview"), At(kNow));
  thin(1000 * kHour, kNow + 999 * kHour);
  EXPECT_EQ(Count("SELECT count(*) FROM namespaces"), 2);
  thin(1000 * kHour, kNow + 1001 * kHour);
  EXPECT_THAT(BytesOf(), ElementsAre(std::pair("shop", 0)));
  EXPECT_FALSE(thinning_.shrinking.sweeps.contains("preview"));
}

// Rows that come, grow, are replaced and go: the count is that of a store which only gets what is
// left.
TEST_F(Shrinks, WhatIsCountedIsThere) {
  const auto recount = [&](const std::string& path) {
    database_ = Database::Open(folder_.Path("recounted"), Access::kWrite).value();
    EXPECT_TRUE(Migrate(*database_).ok());
    EXPECT_TRUE(database_->Execute("ATTACH '" + path + "' AS old").ok());
    for (const std::string table : {"autoscalers", "decisions", "snapshots", "conclusions",
                                    "reasons", "series", "foreign_changes", "edits", "delays"}) {
      EXPECT_TRUE(database_->Execute("INSERT INTO " + table + " SELECT * FROM old." + table).ok());
    }
    auto counted = BytesOf();
    database_.reset();
    std::filesystem::remove(folder_.Path("recounted"));
    return counted;
  };
  for (unsigned seed = 0; seed < 5; ++seed) {
    const std::string path = folder_.Path("random");
    {
      std::mt19937 random(seed);
      const auto backend = MakeSqliteBackend(path, {});
      LedgerState state;
      state.Adopt(backend->Open({}).value().state);
      int now = 0;
      for (int i = 0; i < 300; ++i) {
        now += static_cast<int>(random() % 20);
        ASSERT_TRUE(backend->Apply(state.Apply(testing::AnyRecord(state, random, now))).ok());
      }
    }
    database_ = Database::Open(path, Access::kWrite).value();
    auto counted = BytesOf();
    ASSERT_FALSE(counted.empty());
    EXPECT_GT(counted.begin()->second, 0);
    EXPECT_EQ(counted, recount(path)) << seed;
    std::filesystem::remove(path);
  }
}

}  // namespace
}  // namespace ballast::store
