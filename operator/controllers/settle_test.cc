#include "operator/controllers/settle.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "operator/kube/discovery.h"
#include "store/reader.h"
#include "store/sqlite.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_discovery.h"
#include "tests/support/fake_transport.h"
#include "tests/support/temp_dir.h"

namespace ballast::controllers {
namespace {

using store::Fate;

// A write from 2 to 4 of the Deployment shop/web whose outcome is not on record.
class SettleTest : public testing::Test {
 protected:
  SettleTest() {
    store::Evaluation evaluation{.subject = {"p1", "AutoScalePolicy", {"shop", "web"}},
                                 .time = clock_.Now(),
                                 .current_replicas = 2,
                                 .desired_replicas = 4};
    id_ = ledger_->RecordIntent(evaluation).id;
    ledger_->RecordOutcome(id_, {engine::Outcome::Kind::kUnknown, "no answer"}, clock_.Now(), {},
                           nullptr);
    settler_.AskAgain("p1", {id_,
                             "shop",
                             {.api_version = "apps/v1", .kind = "Deployment", .name = "web"},
                             {"d1", 2, 4}});
  }

  static std::string Scale(int replicas) {
    return R"({"metadata":{"name":"web","namespace":"shop","uid":"d1"},"spec":{"replicas":)" +
           std::to_string(replicas) + "}}";
  }

  Result<kube::Response> Do(const kube::Request& request) {
    if (const auto discovered = support::DiscoverApps(request.path)) {
      return *discovered;
    }
    return scale_;
  }

  Fate FateNow() {
    EXPECT_TRUE(ledger_->Flush().ok());
    return store::Reader::Open(path_).value()->History({}).value()[0].fate;
  }

  support::TempDir folder_;
  const std::string path_ = folder_.path() + "/ballast.db";
  support::FakeClock clock_;
  Result<kube::Response> scale_ = Error{Code::kUnavailable, "connection refused"};
  support::FakeTransport transport_{
      [this](const kube::Request& request) { return Do(request); },
      [](const auto&, const auto&, const auto&) -> Status { return Done{}; }};
  kube::Client client_{transport_};
  kube::RestMapper mapper_{transport_};
  Targets targets_{transport_, client_, mapper_, clock_, {}};
  std::unique_ptr<store::Ledger> ledger_ = store::Ledger::Open(path_).value();
  Settler settler_{*ledger_, targets_, client_, clock_};
  store::DecisionId id_ = 0;
};

TEST_F(SettleTest, AsksUntilTheServerAnswers) {
  settler_.Retry("p1");
  EXPECT_EQ(FateNow(), Fate::kUnknown);
  scale_ = kube::Response{200, Scale(4)};
  settler_.Retry("p2");  // another policy
  EXPECT_EQ(FateNow(), Fate::kUnknown);
  settler_.Retry("p1");
  EXPECT_EQ(FateNow(), Fate::kWritten);
  scale_ = kube::Response{200, Scale(2)};
  settler_.Retry("p1");  // it is settled
  EXPECT_EQ(FateNow(), Fate::kWritten);
}

TEST_F(SettleTest, AWriteThatDidNotArriveHasFailed) {
  scale_ = kube::Response{200, Scale(2)};
  settler_.Retry("p1");
  EXPECT_EQ(FateNow(), Fate::kFailed);
}

TEST_F(SettleTest, AWriteWhoseTargetIsGoneHasFailed) {
  scale_ = Error{Code::kNotFound, "deployments \"web\" not found"};
  settler_.Retry("p1");
  EXPECT_EQ(FateNow(), Fate::kFailed);
}

TEST_F(SettleTest, StaysUnknownWhenSomebodyElseWroteOrALaterWriteHidesIt) {
  scale_ = kube::Response{200, Scale(9)};
  settler_.Retry("p1");
  EXPECT_EQ(FateNow(), Fate::kUnknown);
  scale_ = kube::Response{200, Scale(4)};
  settler_.Retry("p1");  // whoever made it 4, it is not asked any more
  EXPECT_EQ(FateNow(), Fate::kUnknown);
}

TEST_F(SettleTest, AnIntentWhoseSnapshotCannotBeReadCountsAsWritten) {
  const auto id = ledger_
                      ->RecordIntent({.subject = {"p2", "AutoScalePolicy", {"shop", "api"}},
                                      .time = clock_.Now(),
                                      .current_replicas = 7,
                                      .desired_replicas = 4,
                                      .snapshot = [] { return std::string("{}"); }})
                      .id;
  ledger_.reset();
  ASSERT_TRUE(store::Database::Open(path_, store::Access::kWrite)
                  .value()
                  ->Execute("UPDATE snapshots SET json = x'0123'")
                  .ok());
  for (int start = 0; start < 2; ++start) {  // the second finds it given up
    SCOPED_TRACE(start);
    ledger_ = store::Ledger::Open(path_).value();
    EXPECT_EQ(ledger_->health().set_aside, "");
    Settler(*ledger_, targets_, client_, clock_).SettleAll();
    const auto recalled = ledger_->Recall("p2", clock_.Now());
    ASSERT_TRUE(recalled);
    EXPECT_EQ(recalled->memory.scale_downs, (std::vector<engine::ScaleEvent>{{clock_.Now(), 3}}));
    EXPECT_FALSE(recalled->replicas);
    ledger_.reset();
    const auto history = store::Reader::Open(path_).value()->History({}).value();
    ASSERT_EQ(history.size(), 2U);
    EXPECT_EQ(history[1].id, id);
    EXPECT_EQ(history[1].fate, Fate::kUnknown);
    EXPECT_EQ(history[1].error, "its snapshot cannot be read");
  }
}

}  // namespace
}  // namespace ballast::controllers
