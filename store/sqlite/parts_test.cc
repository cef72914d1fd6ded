// A history in parts is the same as in one, and the newest of it are found.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/sqlite/reader.h"
#include "store/testing/open_ledger.h"
#include "store/testing/test_store.h"
#include "tests/support/test_patience.h"

namespace ballast::store {
namespace {

using testing::At;

constexpr std::size_t kMostInPart = 5'000;

std::vector<DecisionId> Ids(const std::vector<Entry>& entries) {
  std::vector<DecisionId> ids;
  for (const Entry& entry : entries) {
    ids.push_back(entry.id);
  }
  return ids;
}

class Parts : public ::testing::Test {
 protected:
  // 6,300 decisions of shop/web, shop/api and shop/db: some close together, some of the same time,
  // the last ones after a month.
  Parts() {
    auto ledger = testing::OpenLedger(path_, {.intent_timeout = support::Patience()}).value();
    for (int i = 0; i < 2'100; ++i) {
      const double time = i < 1'500 ? i * 0.001 : i < 2'090 ? i * 60 : i * 60 + 30 * 86'400;
      for (const char* name : {"web", "api", "db"}) {
        const int replicas = i % 2 + 1;
        ledger->Append(Evaluated{
            testing::EvaluationOf(name, time + (*name == 'd' ? 0.0005 : 0), replicas, replicas),
            {},
            nullptr});
      }
    }
    EXPECT_TRUE(ledger->Flush().ok());
    reader_ = Reader::Open(path_).value();
  }

  // The entries of all parts; no part may be large, nor end before its last entry.
  std::vector<DecisionId> Joined(const HistoryQuery& query, const Place& from = {}) {
    std::vector<DecisionId> ids;
    std::optional<Time> end;
    const Status done =
        reader_->ForEachPart(query, from, [&](std::vector<Entry> part, Time until) -> Status {
          EXPECT_LE(part.size(), kMostInPart);
          for (const Entry& entry : part) {
            EXPECT_LE(entry.time, until);
            EXPECT_TRUE(!end || entry.time >= *end);
          }
          end = until;
          const auto more = Ids(part);
          ids.insert(ids.end(), more.begin(), more.end());
          return Done{};
        });
    EXPECT_TRUE(done.ok());
    return ids;
  }

  const testing::Folder folder_;
  const std::string path_ = folder_.Path("db");
  std::unique_ptr<Reader> reader_;
};

TEST_F(Parts, TogetherAreTheHistory) {
  const struct {
    const char* name;
    HistoryQuery query;
    std::size_t size;
  } kCases[] = {
      {"all", {}, 6'300},
      {"one", {.key = api::ObjectKey{"shop", "web"}}, 2'100},
      {"since", {.since = At(0.1)}, 6'000},
      {"until", {.until = At(0.1)}, 302},
      {"in between", {.since = At(1'600 * 60), .until = At(1'700 * 60)}, 305},
      {"none", {.namespace_ = "blog"}, 0},
  };
  for (const auto& c : kCases) {
    const auto ids = Joined(c.query);
    EXPECT_EQ(ids, Ids(reader_->Entries(c.query).value())) << c.name;
    EXPECT_NEAR(static_cast<double>(ids.size()), static_cast<double>(c.size), 6) << c.name;
  }
}

TEST_F(Parts, BeginWithTheNewest) {
  const auto all = reader_->Entries({}).value();
  for (const std::size_t count : {1U, 2U, 3U, 30U, 1'000U, 6'299U}) {
    const auto newest = reader_->FindNewest({}, static_cast<std::int64_t>(count)).value();
    ASSERT_TRUE(newest.has_value()) << count;
    EXPECT_EQ(newest->left_out, static_cast<std::int64_t>(6'300 - count));
    EXPECT_EQ(newest->oldest, all.front().time);
    EXPECT_EQ(Joined({}, newest->from),
              Ids({all.end() - static_cast<std::ptrdiff_t>(count), all.end()}));
  }
  EXPECT_FALSE(reader_->FindNewest({}, 6'300).value().has_value());
  EXPECT_FALSE(reader_->FindNewest({.namespace_ = "blog"}, 1).value().has_value());
  EXPECT_FALSE(reader_->FindNewest({.changes_only = true}, 1).value().has_value())
      << "nothing changes";
  const auto since = reader_->FindNewest({.since = At(1'600 * 60)}, 10).value();
  ASSERT_TRUE(since.has_value());
  EXPECT_LE(since->left_out, 3 * 500);
}

}  // namespace
}  // namespace ballast::store
