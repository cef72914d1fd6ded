#include "operator/runtime/leader_elector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tests/support/channel.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_transport.h"

namespace ballast::runtime {
namespace {

using namespace std::chrono_literals;
using kube::Method;
using kube::Request;
using kube::Response;
using testing::HasSubstr;

// The lease as an API server keeps it, and each call as it ended.
class LeaseServer {
 public:
  struct Call {
    Method method;
    bool ok;
  };

  Result<Response> Do(const Request& request) {
    const Result<Response> answer = Answer(request);
    TakeDelay()();
    calls_.Push({request.method, answer.ok()});
    return answer;
  }

  // As if somebody else wrote it.
  void Set(const LeaseRecord& record) {
    const std::lock_guard lock(mutex_);
    lease_ = record;
    ++version_;
  }
  void Delete() {
    const std::lock_guard lock(mutex_);
    lease_.reset();
  }
  std::optional<LeaseRecord> lease() const {
    const std::lock_guard lock(mutex_);
    return lease_;
  }
  // What becomes of every write from now on.
  enum class Writes { kWork, kFail, kAreNotAnswered };
  void Let(Writes writes) {
    const std::lock_guard lock(mutex_);
    writes_ = writes;
  }
  // What happens between the next call's effect and its answer.
  void Delay(std::function<void()> delay) {
    const std::lock_guard lock(mutex_);
    delay_ = std::move(delay);
  }
  // The next call's end; its method and whether it worked.
  Call Await() { return calls_.Pop().value_or(Call{Method::kDelete, false}); }

 private:
  std::function<void()> TakeDelay() {
    const std::lock_guard lock(mutex_);
    return std::exchange(delay_, [] {});
  }

  Result<Response> Answer(const Request& request) {
    const std::lock_guard lock(mutex_);
    if (request.method == Method::kGet) {
      return lease_ ? Result<Response>(Response{200, Print()})
                    : Result<Response>(Error{Code::kNotFound, "no lease"});
    }
    if (writes_ == Writes::kFail) {
      return Error{Code::kUnavailable, "refused"};
    }
    const auto document = json::Parse(request.body).value();
    json::Decoder decoder(document);
    std::string expected;
    decoder.root().Member("metadata").Member("resourceVersion").Read(expected);
    const bool create = request.method == Method::kPost;
    if (create ? lease_.has_value() : expected != std::to_string(version_)) {
      return Error{Code::kConflict, "another version"};
    }
    if (!create && !lease_) {
      return Error{Code::kNotFound, "no lease"};
    }
    ++version_;
    lease_.emplace();
    const json::Cursor spec = decoder.root().Member("spec");
    spec.Member("holderIdentity").Read(lease_->holder);
    spec.Member("leaseDurationSeconds").Read(lease_->duration_seconds);
    spec.Member("acquireTime").Read(lease_->acquire_time);
    spec.Member("renewTime").Read(lease_->renew_time);
    spec.Member("leaseTransitions").Read(lease_->transitions);
    return writes_ == Writes::kAreNotAnswered ? Result<Response>(Error{Code::kTimeout, "no answer"})
                                              : Result<Response>(Response{200, Print()});
  }

  std::string Print() const {
    return PrintLease({"ballast", "leader"}, *lease_, std::to_string(version_));
  }

  mutable std::mutex mutex_;  // guards: lease_, version_, writes_, delay_
  std::optional<LeaseRecord> lease_;
  int version_ = 1;
  Writes writes_ = Writes::kWork;
  std::function<void()> delay_ = [] {};
  support::Channel<Call> calls_;
};

class LeaderElectorTest : public testing::Test {
 protected:
  std::unique_ptr<LeaderElector> Make(const std::string& identity) {
    auto elector = std::make_unique<LeaderElector>(
        transport_, clock_,
        LeaderElectionOptions{
            .lease = {"ballast", "leader"},
            .identity = identity,
            .metrics = LeaderElectionMetrics(registry_, "leader"),
            .on_other = [this](const std::string& holder) { others_.Push(holder); },
            .random = [this] { return random_; }},
        [this](const Error& why) { lost_.Push(why.message); });
    elector->Start();
    return elector;
  }
  std::unique_ptr<LeaderElector> MakeLeader(const std::string& identity) {
    auto elector = Make(identity);
    EXPECT_TRUE(elector->AwaitLeadership({}));
    while (server_.Await().method == Method::kGet) {
    }
    return elector;
  }
  // Lets time pass until the elector's next attempt begins.
  void NextAttempt() { clock_.Advance(clock_.AwaitSleeper()); }
  static LeaseRecord HeldBy(const std::string& holder, const std::string& renewed = "t0") {
    return {holder, 15, "t0", renewed, 3};
  }

  telemetry::Registry registry_;
  LeaseServer server_;
  support::FakeTransport transport_{[this](const Request& request) { return server_.Do(request); }};
  support::FakeClock clock_;
  support::Channel<std::string> lost_;
  support::Channel<std::string> others_;
  double random_ = 0;
};

TEST_F(LeaderElectorTest, TakesAFreeLeaseAndRenewsIt) {
  const auto elector = MakeLeader("a");
  EXPECT_THAT(registry_.Print(), HasSubstr("leader_election_master_status{name=\"leader\"} 1\n"));
  EXPECT_EQ(server_.lease()->holder, "a");
  EXPECT_EQ(server_.lease()->duration_seconds, 15);
  EXPECT_EQ(server_.lease()->transitions, 0);
  EXPECT_EQ(server_.lease()->renew_time, "2023-11-14T22:13:20.000000Z");
  EXPECT_TRUE(elector->CheckLease().ok());
  for (int i = 0; i < 10; ++i) {
    NextAttempt();
    const auto call = server_.Await();
    EXPECT_EQ(call.method, Method::kPatch) << "the short way needs no GET";
    EXPECT_TRUE(call.ok);
  }
  EXPECT_EQ(server_.lease()->renew_time, "2023-11-14T22:13:40.000000Z");
  EXPECT_EQ(server_.lease()->acquire_time, "2023-11-14T22:13:20.000000Z");
  EXPECT_TRUE(elector->CheckLease().ok());
}

TEST_F(LeaderElectorTest, WaitsUntilTheLeaseWasNotRenewedForItsDuration) {
  server_.Set(HeldBy("b", "2099-01-01T00:00:00.000000Z"));  // their clock says nothing
  const auto elector = Make("a");
  server_.Await();
  EXPECT_FALSE(elector->CheckLease().ok());
  for (int i = 0; i < 3; ++i) {
    NextAttempt();
    EXPECT_EQ(server_.Await().method, Method::kGet);
  }
  server_.Set(HeldBy("b", "renewed"));  // at 6 s: 15 s from when that is seen, at 8 s
  for (int at = 8; at < 23; at += 2) {
    NextAttempt();
    ASSERT_EQ(server_.Await().method, Method::kGet);
    ASSERT_EQ(server_.lease()->holder, "b") << "after " << at << " s";
  }
  NextAttempt();
  EXPECT_TRUE(elector->AwaitLeadership({}));
  EXPECT_EQ(server_.lease()->holder, "a");
  EXPECT_EQ(server_.lease()->transitions, 4);
  EXPECT_EQ(elector->term(), 4);
}

TEST_F(LeaderElectorTest, ARestartUnderTheSameIdentityRenewsAtOnceAndLeadsAfterALook) {
  server_.Set(HeldBy("a"));
  const auto elector = Make("a");
  server_.Await();
  EXPECT_TRUE(server_.Await().ok);
  EXPECT_EQ(server_.lease()->renew_time, "2023-11-14T22:13:20.000000Z") << "nobody else takes it";
  EXPECT_EQ(clock_.AwaitSleeper(), 2s);
  EXPECT_FALSE(elector->IsLeader()) << "the former process may still be there";
  clock_.Advance(2s);
  EXPECT_TRUE(elector->AwaitLeadership({}));
  EXPECT_EQ(server_.lease()->acquire_time, "t0");
  EXPECT_EQ(server_.lease()->transitions, 3);
}

TEST_F(LeaderElectorTest, OfTwoWithOneIdentityTheFormerStopsBeforeTheOtherLeads) {
  const auto former = MakeLeader("a");
  EXPECT_EQ(clock_.AwaitSleeper(), 2s);
  clock_.Advance(1s);
  const auto other = Make("a");
  EXPECT_EQ(server_.Await().method, Method::kGet);
  EXPECT_TRUE(server_.Await().ok);
  EXPECT_TRUE(former->IsLeader());
  EXPECT_FALSE(other->IsLeader());
  clock_.Advance(1s);
  EXPECT_THAT(lost_.Pop().value_or(""), HasSubstr("another process of the same identity, a"));
  EXPECT_FALSE(former->IsLeader());
  EXPECT_FALSE(other->IsLeader());
  NextAttempt();
  EXPECT_TRUE(other->AwaitLeadership({}));
}

TEST_F(LeaderElectorTest, AReleasedLeaseIsTakenAtOnce) {
  MakeLeader("a")->Release();
  EXPECT_EQ(server_.lease()->holder, "");
  EXPECT_EQ(server_.lease()->duration_seconds, 1);
  const auto next = MakeLeader("b");
  EXPECT_EQ(server_.lease()->holder, "b");
  EXPECT_EQ(server_.lease()->duration_seconds, 15);
  EXPECT_EQ(server_.lease()->transitions, 1);
}

TEST_F(LeaderElectorTest, AfterReleaseNothingMayBeWritten) {
  const auto elector = MakeLeader("a");
  elector->Release();
  const Status may = elector->CheckLease();
  ASSERT_FALSE(may.ok());
  EXPECT_EQ(may.error().code, Code::kForbidden);
  EXPECT_THAT(may.error().message, HasSubstr("ballast/leader is not held by a"));
  EXPECT_TRUE(lost_.empty()) << "given up is not lost";
}

TEST_F(LeaderElectorTest, DoesNotReleaseWhatSomebodyElseHolds) {
  const auto elector = MakeLeader("a");
  server_.Set(HeldBy("b"));
  elector->Release();
  EXPECT_EQ(server_.lease()->holder, "b");
}

TEST_F(LeaderElectorTest, AStoppedProcessMayNotWriteAnyMore) {
  const auto elector = MakeLeader("a");
  EXPECT_TRUE(elector->CheckLease().ok());
  // Asked before the elector's thread has noticed that it is late.
  server_.Let(LeaseServer::Writes::kFail);
  clock_.Advance(9999ms);
  EXPECT_TRUE(elector->CheckLease().ok());
  clock_.Advance(1ms);
  const Status may = elector->CheckLease();
  ASSERT_FALSE(may.ok());
  EXPECT_THAT(may.error().message, HasSubstr("was last renewed"));
}

// The steady clock stands still while a machine sleeps.
TEST_F(LeaderElectorTest, AMachineThatSleptMayNotWriteAnyMore) {
  const auto elector = MakeLeader("a");
  clock_.SetWall(9999ms);
  EXPECT_TRUE(elector->CheckLease().ok());
  clock_.SetWall(1ms);
  EXPECT_FALSE(elector->CheckLease().ok());
}

// One answered late was sent as early, and others count the lease from when it arrived.
TEST_F(LeaderElectorTest, TheLeaseIsAsOldAsTheRequestThatRenewedIt) {
  const auto elector = MakeLeader("a");
  server_.Delay([this] {
    clock_.Advance(4s);
    clock_.SetWall(-1h);  // which the steady clock makes up for
  });
  NextAttempt();
  EXPECT_TRUE(server_.Await().ok);
  server_.Let(LeaseServer::Writes::kFail);
  clock_.Advance(6s);
  EXPECT_FALSE(elector->CheckLease().ok());
}

TEST_F(LeaderElectorTest, CandidatesDoNotAskAllAtOnce) {
  server_.Set(HeldBy("b"));
  random_ = 0.5;
  const auto elector = Make("a");
  EXPECT_EQ(clock_.AwaitSleeper(), 3200ms);
}

// So that two fit into the time in which the lease must be renewed.
TEST_F(LeaderElectorTest, ItsRequestsHaveATimeOutOfTheirOwn) {
  const auto elector = MakeLeader("a");
  for (const Request& request : transport_.requests()) {
    EXPECT_EQ(request.timeout, 5s);
  }
}

TEST_F(LeaderElectorTest, LosesALeaseThatWasTaken) {
  const auto elector = MakeLeader("a");
  server_.Set(HeldBy("b"));
  NextAttempt();
  EXPECT_EQ(lost_.Pop(), "the lease ballast/leader was lost to b");
  EXPECT_THAT(registry_.Print(), HasSubstr("leader_election_master_status{name=\"leader\"} 0\n"));
  EXPECT_THAT(registry_.Print(), HasSubstr("leader_election_slowpath_total{name=\"leader\"} 1\n"));
  EXPECT_FALSE(elector->CheckLease().ok());
  elector->Release();
  EXPECT_EQ(server_.lease()->holder, "b");
}

TEST_F(LeaderElectorTest, TellsOnceWhoElseLeads) {
  server_.Set(HeldBy("b"));
  const auto elector = Make("a");
  EXPECT_EQ(others_.Pop(), "b");
  server_.Set(HeldBy("b", "renewed"));
  NextAttempt();
  server_.Await();
  server_.Set(HeldBy("c"));
  NextAttempt();
  EXPECT_EQ(others_.Pop(), "c");
}

TEST_F(LeaderElectorTest, LosesALeaseThatItsDoubleRenews) {
  const auto elector = MakeLeader("a");
  server_.Set(HeldBy("a", "by another process"));
  NextAttempt();
  EXPECT_THAT(lost_.Pop().value_or(""), HasSubstr("another process of the same identity, a"));
}

TEST_F(LeaderElectorTest, LosesALeaseThatItCannotRenewInTime) {
  const auto elector = MakeLeader("a");
  server_.Let(LeaseServer::Writes::kFail);
  for (int i = 0; i < 4; ++i) {
    NextAttempt();
    server_.Await();
    EXPECT_TRUE(lost_.empty());
  }
  NextAttempt();
  EXPECT_THAT(lost_.Pop().value_or(""), HasSubstr("last renewed 10s ago"));
}

TEST_F(LeaderElectorTest, KnowsItsOwnRenewalThatWasNotAnswered) {
  const auto elector = MakeLeader("a");
  server_.Let(LeaseServer::Writes::kAreNotAnswered);
  NextAttempt();
  for (const Method expected : {Method::kPatch, Method::kGet, Method::kPatch}) {
    EXPECT_EQ(server_.Await().method, expected);
  }
  server_.Let(LeaseServer::Writes::kWork);
  NextAttempt();
  for (const Method expected : {Method::kPatch, Method::kGet, Method::kPatch}) {
    EXPECT_EQ(server_.Await().method, expected);
  }
  EXPECT_TRUE(elector->CheckLease().ok());
  EXPECT_TRUE(lost_.empty());
}

TEST_F(LeaderElectorTest, MakesADeletedLeaseAgain) {
  const auto elector = MakeLeader("a");
  server_.Delete();
  NextAttempt();
  for (const Method expected : {Method::kPatch, Method::kGet, Method::kPost}) {
    EXPECT_EQ(server_.Await().method, expected);
  }
  EXPECT_EQ(server_.lease()->holder, "a");
  EXPECT_TRUE(elector->CheckLease().ok());
}

// Its holder may not know yet, and write.
TEST_F(LeaderElectorTest, ADeletedLeaseIsStillItsHoldersForItsDuration) {
  server_.Set(HeldBy("a"));
  const auto elector = Make("b");
  EXPECT_EQ(server_.Await().method, Method::kGet);
  server_.Delete();
  for (auto left = 15s; left > 0s;) {
    const auto wait = clock_.AwaitSleeper();
    EXPECT_FALSE(server_.lease());
    clock_.Advance(wait);
    left -= std::chrono::ceil<std::chrono::seconds>(wait);
    EXPECT_EQ(server_.Await().method, Method::kGet);
  }
  while (!server_.lease()) {
    server_.Await();
  }
  EXPECT_TRUE(elector->AwaitLeadership({}));
  EXPECT_EQ(server_.lease()->holder, "b");
}

TEST_F(LeaderElectorTest, AWriteMayBeUnderWayUntilSomebodyElseCanLead) {
  const auto elector = MakeLeader("a");
  const SteadyTime renewed = clock_.Steady();
  ASSERT_TRUE(elector->LeaveToWrite().ok());
  EXPECT_EQ(*elector->LeaveToWrite(), renewed + 15s);
  elector->Release();
  EXPECT_FALSE(elector->LeaveToWrite().ok());
}

// Its turn comes after the first lists, however long they take.
TEST_F(LeaderElectorTest, IsAliveBeforeItsStart) {
  LeaderElector elector(transport_, clock_, {.lease = {"ballast", "leader"}, .identity = "a"},
                        [](const Error&) {});
  clock_.Advance(1h);
  EXPECT_TRUE(elector.CheckAlive().ok());
}

TEST_F(LeaderElectorTest, OneOfTwoLeads) {
  const auto a = Make("a");
  const auto b = Make("b");
  const auto first = server_.Await();
  EXPECT_EQ(first.method, Method::kGet);
  while (!server_.lease() || a->IsLeader() == b->IsLeader()) {
    server_.Await();
  }
  EXPECT_EQ(server_.lease()->holder, a->IsLeader() ? "a" : "b");
}

TEST_F(LeaderElectorTest, AHangingElectionIsTold) {
  const auto elector = MakeLeader("a");
  EXPECT_TRUE(elector->CheckAlive().ok());
  elector->Release();  // no attempt any more
  clock_.Advance(36s);
  EXPECT_FALSE(elector->CheckAlive().ok());
}

TEST(LeaderElectionOptions, AreChecked) {
  const auto seconds = [](int lease, int deadline, int retry) {
    return LeaderElectionOptions{.lease_duration = Duration::Seconds(lease),
                                 .renew_deadline = Duration::Seconds(deadline),
                                 .retry_period = Duration::Seconds(retry)};
  };
  EXPECT_TRUE(Validate({}).ok());
  EXPECT_THAT(Validate(seconds(10, 10, 2)).error().message,
              HasSubstr("--leader-elect-lease-duration (10s) must be longer than"));
  EXPECT_THAT(Validate(seconds(15, 6, 5)).error().message,
              HasSubstr("--leader-elect-renew-deadline (6s) must be longer than 1.2 times"));
  EXPECT_FALSE(Validate(seconds(15, 10, 0)).ok());
  EXPECT_FALSE(Validate({.lease_duration = Duration::Milliseconds(15500)}).ok());
}

}  // namespace
}  // namespace ballast::runtime
