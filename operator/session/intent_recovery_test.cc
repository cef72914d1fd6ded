#include "operator/session/intent_recovery.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/decision/snapshot_json.h"
#include "operator/controllers/testing/fake_scales.h"
#include "operator/engine/testing/test_snapshot.h"
#include "store/sqlite/reader.h"
#include "store/sqlite/sqlite.h"
#include "store/testing/open_ledger.h"
#include "tests/support/temp_dir.h"

namespace ballast::session {
namespace {

using Kind = engine::Outcome::Kind;
using store::Disposition;

// An earlier run was about to scale Deployment shop/web from 2 to 4 and recorded no outcome.
class IntentRecoveryTest : public testing::Test {
 protected:
  IntentRecoveryTest() {
    engine::Snapshot snapshot = engine::testing::MakePolicy(2);
    snapshot.metrics = {engine::testing::QueueOf("40")};
    std::get<api::Scale>(snapshot.scale).metadata.uid = "d1";
    id_ =
        ledger_
            ->AppendDurably(store::Intended{{.subject = {"p1", "AutoScalePolicy", {"shop", "web"}},
                                             .time = snapshot.now,
                                             .current_replicas = 2,
                                             .desired_replicas = 4,
                                             .decided = clock_.Now(),
                                             .snapshot = &snapshot}})
            .id;
    Reopen();
  }

  void Reopen() {
    ledger_.reset();
    ledger_ = store::testing::OpenLedger(path_).value();
    recovery_ = std::make_unique<IntentRecovery>(*ledger_, clock_);
  }

  // The outcome, by what the API server has now.
  std::optional<engine::Outcome> Find(const Attempt& attempt) {
    return FindOutcome(attempt, scales_.port.ReadLive(attempt.snapshot->autoscaler));
  }

  static std::string Scale(int replicas, const std::string& uid = "d1") {
    return R"({"metadata":{"name":"web","namespace":"shop","uid":")" + uid +
           R"("},"spec":{"replicas":)" + std::to_string(replicas) + "}}";
  }

  support::TempDir folder_;
  const std::string path_ = folder_.path() + "/ballast.db";
  support::FakeClock clock_;
  Result<kube::Response> scale_ = Error{Code::kUnavailable, "connection refused"};
  std::optional<Result<kube::Response>> target_;  // absent: as the scale
  controllers::FakeScales scales_{clock_, [this](const kube::Request& request) {
                                    return target_ && !request.path.ends_with("/scale") ? *target_
                                                                                        : scale_;
                                  }};
  std::unique_ptr<store::Ledger> ledger_ = store::testing::OpenLedger(path_).value();
  std::unique_ptr<IntentRecovery> recovery_;
  store::DecisionId id_ = 0;
};

TEST_F(IntentRecoveryTest, WhatAnEarlierRunLeftIsAnAttempt) {
  EXPECT_TRUE(recovery_->LeftOver("p2").empty());
  const auto attempts = recovery_->LeftOver("p1");
  ASSERT_EQ(attempts.size(), 1u);
  EXPECT_EQ(attempts[0].id, id_);
  EXPECT_EQ(attempts[0].change.uid, "d1");
  EXPECT_EQ(attempts[0].change.from, 2);
  EXPECT_EQ(attempts[0].change.to, 4);
}

// However often the operator restarts meanwhile.
TEST_F(IntentRecoveryTest, WhatAnEarlierRunLeftIsSettledInTime) {
  const auto left = [&]() -> std::chrono::nanoseconds {
    Reopen();
    return recovery_->LeftOver("p1").at(0).deadline - clock_.Steady();
  };
  const std::chrono::seconds longest = kLongestIntent + kLongestWait + kSettleTime;
  EXPECT_EQ(left(), longest);
  clock_.Advance(std::chrono::seconds(4));
  EXPECT_EQ(left(), longest - std::chrono::seconds(4));
  clock_.Advance(longest);
  EXPECT_EQ(left(), std::chrono::seconds(0));
  clock_.SetWall(std::chrono::hours(-1));
  EXPECT_EQ(left(), longest);
}

TEST_F(IntentRecoveryTest, IsFoundOutByTheScale) {
  const struct {
    const char* name;
    Result<kube::Response> scale;
    std::optional<Kind> early;
    std::optional<Kind> late;
  } kCases[] = {
      {"no answer", Error{Code::kUnavailable, "connection refused"}, {}, {}},
      {"arrived", kube::Response{200, Scale(4)}, Kind::kWritten, Kind::kWritten},
      {"not arrived", kube::Response{200, Scale(2)}, {}, Kind::kFailed},
      {"somebody else wrote", kube::Response{200, Scale(9)}, Kind::kUnknown, Kind::kUnknown},
      {"the target is gone", Error{Code::kNotFound, "deployments \"web\" not found"},
       Kind::kUnknown, Kind::kUnknown},
  };
  auto attempt = recovery_->LeftOver("p1").at(0);
  for (const auto& c : kCases) {
    scale_ = c.scale;
    attempt.deadline = clock_.Steady() + kSettleTime;
    const auto kind = [&]() -> std::optional<Kind> {
      const auto outcome = Find(attempt);
      return outcome ? std::optional(outcome->kind) : std::nullopt;
    };
    EXPECT_EQ(kind(), c.early) << c.name;
    clock_.Advance(kSettleTime);
    EXPECT_EQ(kind(), c.late) << c.name;
  }
}

// As what was read for an evaluation that made the attempt.
TEST_F(IntentRecoveryTest, IsNotFoundOutByWhatWasReadBefore) {
  auto attempt = recovery_->LeftOver("p1").at(0);
  attempt.sent = clock_.Steady();
  scale_ = kube::Response{200, Scale(9)};
  LiveScale live = scales_.port.ReadLive(attempt.snapshot->autoscaler);
  EXPECT_TRUE(FindOutcome(attempt, live));
  live.asked -= std::chrono::nanoseconds(1);
  EXPECT_FALSE(FindOutcome(attempt, live));
}

// Somebody else may have set the count that the attempt wanted.
TEST_F(IntentRecoveryTest, WaitsUntilItIsKnownWhoSetTheCount) {
  const auto target = [](const char* manager, int replicas = 4, const char* uid = "d1") {
    std::string text = Scale(replicas, uid);
    text.insert(text.find(R"("uid")"), R"("managedFields":[{"manager":")" + std::string(manager) +
                                           R"(","fieldsV1":{"f:spec":{"f:replicas":{}}}}],)");
    return kube::Response{200, text};
  };
  const auto attempt = recovery_->LeftOver("p1").at(0);
  scale_ = kube::Response{200, Scale(4)};
  target_ = Error{Code::kUnavailable, "connection refused"};
  EXPECT_FALSE(Find(attempt));
  target_ = target("kubectl", 7);  // changed since
  EXPECT_FALSE(Find(attempt));
  target_ = target("kubectl", 4, "d2");  // made anew since
  EXPECT_FALSE(Find(attempt));
  target_ = target("kubectl");
  EXPECT_EQ(Find(attempt)->kind, Kind::kUnknown);
  target_ = target("ballast");
  EXPECT_EQ(Find(attempt)->kind, Kind::kWritten);
  target_ = kube::Response{200, R"({"metadata":{},"spec":{"size":4}})"};  // of another kind
  EXPECT_EQ(Find(attempt)->kind, Kind::kWritten);
  target_ = Error{Code::kForbidden, "deployments \"web\" is forbidden"};
  EXPECT_EQ(Find(attempt)->kind, Kind::kWritten);
}

// Nor whether it is still the count of before.
TEST_F(IntentRecoveryTest, WaitsUntilItIsKnownWhoSetTheCountBack) {
  const auto attempt = recovery_->LeftOver("p1").at(0);
  scale_ = kube::Response{200, Scale(2)};
  target_ = Error{Code::kUnavailable, "connection refused"};
  clock_.Advance(kLongestIntent + kLongestWait + kSettleTime);
  EXPECT_FALSE(Find(attempt));
  target_ = Error{Code::kForbidden, "deployments \"web\" is forbidden"};
  EXPECT_EQ(Find(attempt)->kind, Kind::kFailed);
}

TEST_F(IntentRecoveryTest, WhatCannotBeSettledCountsAsWritten) {
  struct Case {
    const char* name;
    const char* damage;
  };
  for (const Case& c :
       {Case{"a snapshot that cannot be read", "UPDATE snapshots SET json = x'0123'"},
        Case{"an intent that does not follow", "UPDATE decisions SET desired = 3"}}) {
    SCOPED_TRACE(c.name);
    const std::string copy = folder_.path() + "/" + c.name;
    ledger_.reset();
    std::filesystem::copy_file(path_, copy);
    ASSERT_TRUE(store::Database::Open(copy, store::Access::kWrite).value()->Execute(c.damage).ok());
    for (int start = 0; start < 2; ++start) {
      const auto ledger = store::testing::OpenLedger(copy).value();
      EXPECT_EQ(ledger->health().set_aside, "");
      EXPECT_TRUE(IntentRecovery(*ledger, clock_).LeftOver("p1").empty());
      const auto recalled = ledger->Recall("p1", engine::testing::kNow);
      ASSERT_TRUE(recalled);
      EXPECT_EQ(recalled->memory.scale_ups.size(), 1u);
      EXPECT_EQ(recalled->memory.recommendations.size(), 1u);
    }
    const auto history = store::Reader::Open(copy).value()->Entries({}).value();
    EXPECT_EQ(history.at(0).disposition, Disposition::kUnknown);
  }
}

TEST_F(IntentRecoveryTest, AttemptsOfPoliciesThatAreGoneAreUnknown) {
  recovery_->SettleAbandoned([](const store::Subject&) { return true; });
  EXPECT_EQ(ledger_->OpenIntents().size(), 1u);
  recovery_->SettleAbandoned([](const store::Subject&) { return false; });
  ASSERT_TRUE(ledger_->Flush().ok());
  EXPECT_EQ(store::Reader::Open(path_).value()->Entries({}).value().at(0).disposition,
            Disposition::kUnknown);
}

}  // namespace
}  // namespace ballast::session
