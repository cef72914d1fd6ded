#include "operator/runtime/leader_elector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/channel.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_transport.h"

namespace ballast::runtime {
namespace {

using namespace std::chrono_literals;
using kube::Method;
using kube::Request;
using kube::Response;
using testing::ElementsAre;
using testing::HasSubstr;

// Keeps the last Lease that was written, as an API server does.
class LeaderElectorTest : public testing::Test {
 protected:
  Result<Response> Answer(const Request& request) {
    Result<Response> answer = Response{200, lease_};
    if (request.method != Method::kGet && refuse_) {
      answer = Error{Code::kConflict, "another version"};
    } else if (request.method != Method::kGet) {
      answer->body = lease_ = WithVersion(request.body);
    } else if (lease_.empty()) {
      answer = Error{Code::kNotFound, "no lease"};
    }
    calls_.Push(request.method);
    return answer;
  }
  static std::string WithVersion(const std::string& body) {
    const auto document = json::Parse(body).value();
    json::Decoder decoder(document);
    LeaseRecord record;
    const json::Cursor spec = decoder.root().Member("spec");
    spec.Member("holderIdentity").Read(record.holder);
    spec.Member("leaseDurationSeconds").Read(record.duration_seconds);
    spec.Member("acquireTime").Read(record.acquire_time);
    spec.Member("renewTime").Read(record.renew_time);
    spec.Member("leaseTransitions").Read(record.transitions);
    return PrintLease({"ballast", "leader"}, record, "7");
  }

  telemetry::Registry registry_;
  std::string lease_;  // used, as is refuse_, by the call under way, or while there is none
  bool refuse_ = false;
  support::Channel<Method> calls_;
  support::FakeTransport transport_{[this](const Request& request) { return Answer(request); }};
  support::FakeClock clock_;
  support::Channel<std::string> lost_;
  support::Channel<std::string> others_;
  LeaderElector elector_{
      transport_,
      clock_,
      {.lease = {"ballast", "leader"}, .identity = "a", .random = [] { return 0.0; }},
      {.on_lost = [this](const Error& why) { lost_.Push(why.message); },
       .on_other = [this](const std::string& holder) { others_.Push(holder); },
       .metrics = LeaderElectionMetrics(registry_, "leader")}};
};

TEST_F(LeaderElectorTest, LeadsRenewsAndGivesUp) {
  EXPECT_FALSE(elector_.CheckLease().ok());
  elector_.Start();
  ASSERT_TRUE(elector_.AwaitLeadership({}));
  EXPECT_TRUE(elector_.LeaveToWrite().ok());
  EXPECT_TRUE(elector_.CheckAlive().ok());
  EXPECT_EQ(clock_.AwaitSleeper(), 2s);
  EXPECT_THAT(registry_.Print(), HasSubstr("leader_election_master_status{name=\"leader\"} 1\n"));
  clock_.Advance(2s);
  for (const Method expected : {Method::kGet, Method::kPost, Method::kPatch}) {
    EXPECT_EQ(calls_.Pop(), expected);
  }
  elector_.Release();
  EXPECT_EQ(calls_.Pop(), Method::kGet);
  EXPECT_EQ(calls_.Pop(), Method::kPatch);
  EXPECT_THAT(lease_, HasSubstr(R"("holderIdentity":null)"));
  EXPECT_FALSE(elector_.CheckLease().ok());
  EXPECT_THAT(registry_.Print(), HasSubstr("leader_election_master_status{name=\"leader\"} 0\n"));
  EXPECT_TRUE(lost_.empty());
}

TEST_F(LeaderElectorTest, TellsWhoLeadsAndThatTheLeaseIsLost) {
  elector_.Start();
  ASSERT_TRUE(elector_.AwaitLeadership({}));
  clock_.AwaitSleeper();
  lease_ = PrintLease({"ballast", "leader"}, {"b", 15, "t0", "t0", 1}, "8");
  refuse_ = true;
  clock_.Advance(2s);
  EXPECT_EQ(others_.Pop(), "b");
  EXPECT_EQ(lost_.Pop(), "the lease ballast/leader was lost to b");
  EXPECT_THAT(registry_.Print(), HasSubstr("leader_election_master_status{name=\"leader\"} 0\n"));
  EXPECT_THAT(registry_.Print(), HasSubstr("leader_election_slowpath_total{name=\"leader\"} 1\n"));
  EXPECT_FALSE(elector_.CheckLease().ok());
}

// Two requests fit into the time within which the lease must be renewed.
TEST_F(LeaderElectorTest, ItsRequestsHaveATimeOutOfTheirOwn) {
  elector_.Start();
  ASSERT_TRUE(elector_.AwaitLeadership({}));
  for (const Request& request : transport_.requests()) {
    EXPECT_EQ(request.timeout, 5s);
  }
}

TEST_F(LeaderElectorTest, KnowsThatAnotherHasLedBetweenTwoLooks) {
  lease_ = PrintLease({"ballast", "leader"}, {"a_before", 15, "t0", "t0", 1}, "7");
  elector_.Start();
  clock_.AwaitSleeper();
  EXPECT_FALSE(elector_.OthersHaveLed()) << "or is \"a_before\" of another host?";
  lease_ = PrintLease({"ballast", "leader"}, {"", 1, "t0", "t0", 2}, "8");
  clock_.Advance(3s);
  ASSERT_TRUE(elector_.AwaitLeadership({}));
  EXPECT_TRUE(elector_.OthersHaveLed());
}

TEST_F(LeaderElectorTest, AWaitForLeadershipEndsWithAStop) {
  lease_ = PrintLease({"ballast", "leader"}, {"b", 15, "t0", "t0", 1}, "8");
  elector_.Start();
  EXPECT_EQ(others_.Pop(), "b");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(elector_.AwaitLeadership(stop.get_token()));
  elector_.Release();
  EXPECT_EQ(transport_.requests().size(), 1U) << "what it does not hold it does not give up";
}

}  // namespace
}  // namespace ballast::runtime
