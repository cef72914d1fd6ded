#include "operator/runtime/election.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ballast::runtime {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A Lease in an API server.
class LeaseServer {
 public:
  Result<Lease> Answer(const LeaseRequest& request) {
    if (!request.write) {
      return lease ? Result<Lease>(Stored()) : Error{Code::kNotFound, "no lease"};
    }
    if (writes == Writes::kFail) {
      return Error{Code::kUnavailable, "refused"};
    }
    const bool create = request.resource_version.empty();
    if (create ? lease.has_value() : request.resource_version != std::to_string(version_)) {
      return Error{Code::kConflict, "another version"};
    }
    if (!create && !lease) {
      return Error{Code::kNotFound, "no lease"};
    }
    Set(*request.write);
    return writes == Writes::kAreNotAnswered ? Result<Lease>(Error{Code::kTimeout, "no answer"})
                                             : Stored();
  }
  // Writes the lease as another process would.
  void Set(const LeaseRecord& record) {
    lease = record;
    ++version_;
  }

  std::optional<LeaseRecord> lease;
  enum class Writes { kWork, kFail, kAreNotAnswered } writes = Writes::kWork;

 private:
  Lease Stored() const { return {*lease, std::to_string(version_)}; }

  int version_ = 1;
};

std::string Print(const ElectionEvent& event) {
  constexpr const char* kNames[] = {"elected",    "reclaimed",   "other leads", "other has led",
                                    "read again", "not renewed", "not taken",   "lost",
                                    "released",   "not released"};
  std::string text = kNames[static_cast<int>(event.kind)];
  text += event.holder.empty() ? "" : ": " + event.holder;
  text += event.why ? ": " + event.why->message : "";
  return text;
}

std::string Print(const LeaseRequest& request) {
  return !request.write ? "read" : request.resource_version.empty() ? "create" : "update";
}

class ElectionTest : public testing::Test {
 protected:
  struct Candidate {
    Election election;
    process::SteadyTime wake_at{};
    std::vector<std::string> events = {};
  };

  Candidate Make(const std::string& identity) {
    Candidate made{Election({.lease = {"ballast", "leader"},
                             .identity = identity,
                             .random = [this] { return random_; }})};
    made.election.Start(now_.steady);
    return made;
  }
  Candidate MakeLeader(const std::string& identity) {
    Candidate made = Make(identity);
    Attempt(made);
    EXPECT_TRUE(made.election.leads());
    made.events.clear();
    return made;
  }

  // Makes one step and keeps its events.
  std::optional<LeaseRequest> Step(Candidate& of,
                                   const std::optional<Result<Lease>>& answer = std::nullopt) {
    ElectionStep step = of.election.Step(now_, answer);
    of.wake_at = step.wake_at;
    for (const ElectionEvent& event : step.events) {
      of.events.push_back(Print(event));
    }
    return std::move(step.request);
  }
  // Makes the attempt that is due, with the server's answers. Returns the calls.
  std::vector<std::string> Attempt(Candidate& of) {
    std::vector<std::string> calls;
    for (auto request = Step(of); request;) {
      calls.push_back(Print(*request));
      request = Step(of, server_.Answer(*request));
    }
    return calls;
  }
  std::vector<std::string> NextAttempt(Candidate& of) {
    Pass(of.wake_at - now_.steady);
    return Attempt(of);
  }
  std::vector<std::string> Release(Candidate& of) {
    of.election.Release();
    return Attempt(of);
  }
  void Pass(std::chrono::nanoseconds span) {
    now_.steady += span;
    SetWall(span);
  }
  void SetWall(std::chrono::nanoseconds by) { now_.wall = now_.wall + Duration{by.count()}; }
  bool IsLive(const Candidate& of) const { return of.election.CheckLease(now_).ok(); }
  static LeaseRecord HeldBy(const std::string& holder, const std::string& renewed = "t0") {
    return {holder, 15, "t0", renewed, 3};
  }

  LeaseServer server_;
  process::Instant now_{{1'700'000'000, 0}, process::SteadyTime(1h)};
  double random_ = 0;
};

// As a candidate that stood still while another replica led.
TEST_F(ElectionTest, TellsThatAnotherHasLedBetweenTwoLooks) {
  server_.Set(HeldBy("b"));
  Candidate a = Make("a");
  Attempt(a);
  LeaseRecord released = HeldBy("");
  server_.Set(released);
  Candidate untroubled = Make("c");
  Attempt(untroubled);
  EXPECT_THAT(untroubled.events, ElementsAre("elected")) << "it cannot know";
  ++released.transitions;
  server_.Set(released);
  NextAttempt(a);
  EXPECT_THAT(a.events, ElementsAre("other leads: b", "other has led", "elected"));
}

TEST_F(ElectionTest, TakesAFreeLeaseAndRenewsIt) {
  Candidate a = Make("a");
  EXPECT_THAT(Attempt(a), ElementsAre("read", "create"));
  EXPECT_THAT(a.events, ElementsAre("elected"));
  EXPECT_EQ(server_.lease->holder, "a");
  EXPECT_EQ(server_.lease->duration_seconds, 15);
  EXPECT_EQ(server_.lease->transitions, 0);
  EXPECT_EQ(server_.lease->renew_time, "2023-11-14T22:13:20.000000Z");
  EXPECT_TRUE(IsLive(a));
  for (int i = 0; i < 10; ++i) {
    EXPECT_THAT(NextAttempt(a), ElementsAre("update")) << "the short way needs no read";
  }
  EXPECT_EQ(server_.lease->renew_time, "2023-11-14T22:13:40.000000Z");
  EXPECT_EQ(server_.lease->acquire_time, "2023-11-14T22:13:20.000000Z");
  EXPECT_TRUE(IsLive(a));
  EXPECT_THAT(a.events, ElementsAre("elected"));
}

TEST_F(ElectionTest, WaitsUntilTheLeaseWasNotRenewedForItsDuration) {
  server_.Set(HeldBy("b", "2099-01-01T00:00:00.000000Z"));  // the holder's clock does not count
  Candidate a = Make("a");
  Attempt(a);
  EXPECT_FALSE(IsLive(a));
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(NextAttempt(a), ElementsAre("read"));
  }
  server_.Set(HeldBy("b", "renewed"));  // at 6 s; the 15 s count from 8 s, when it is seen
  for (int at = 8; at < 23; at += 2) {
    ASSERT_THAT(NextAttempt(a), ElementsAre("read")) << "after " << at << " s";
  }
  EXPECT_THAT(NextAttempt(a), ElementsAre("read", "update"));
  EXPECT_TRUE(a.election.leads());
  EXPECT_EQ(server_.lease->holder, "a");
  EXPECT_EQ(server_.lease->transitions, 4);
  EXPECT_EQ(a.election.term(), 4);
}

TEST_F(ElectionTest, ARestartUnderTheSameIdentityRenewsAtOnceAndLeadsAfterALook) {
  server_.Set(HeldBy("a"));
  Candidate a = Make("a");
  EXPECT_THAT(Attempt(a), ElementsAre("read", "update"));
  EXPECT_THAT(a.events, ElementsAre("reclaimed"));
  EXPECT_EQ(server_.lease->renew_time, "2023-11-14T22:13:20.000000Z") << "nobody else takes it";
  EXPECT_EQ(a.wake_at, now_.steady + 2s);
  EXPECT_FALSE(a.election.leads()) << "the former process may still be there";
  NextAttempt(a);
  EXPECT_TRUE(a.election.leads());
  EXPECT_EQ(server_.lease->acquire_time, "t0");
  EXPECT_EQ(server_.lease->transitions, 3);
}

TEST_F(ElectionTest, OfTwoWithOneIdentityTheFormerStopsBeforeTheOtherLeads) {
  Candidate former = MakeLeader("a");
  Pass(1s);
  Candidate other = Make("a");
  EXPECT_THAT(Attempt(other), ElementsAre("read", "update"));
  EXPECT_TRUE(IsLive(former));
  EXPECT_FALSE(other.election.leads());
  NextAttempt(former);
  EXPECT_THAT(former.events.back(), HasSubstr("another process of the same identity, a"));
  EXPECT_FALSE(IsLive(former));
  EXPECT_FALSE(other.election.leads());
  NextAttempt(other);
  EXPECT_TRUE(other.election.leads());
}

TEST_F(ElectionTest, AReleasedLeaseIsTakenAtOnce) {
  Candidate a = MakeLeader("a");
  EXPECT_THAT(Release(a), ElementsAre("read", "update"));
  EXPECT_THAT(a.events, ElementsAre("released"));
  EXPECT_EQ(server_.lease->holder, "");
  EXPECT_EQ(server_.lease->duration_seconds, 1);
  MakeLeader("b");
  EXPECT_EQ(server_.lease->holder, "b");
  EXPECT_EQ(server_.lease->duration_seconds, 15);
  EXPECT_EQ(server_.lease->transitions, 1);
}

TEST_F(ElectionTest, AfterReleaseNothingMayBeWritten) {
  Candidate a = MakeLeader("a");
  a.election.Release();
  const auto read = Step(a);
  ASSERT_TRUE(read);
  const Status may = a.election.CheckLease(now_);
  ASSERT_FALSE(may.ok()) << "from before the lease is given up";
  EXPECT_EQ(may.error().code, Code::kForbidden);
  EXPECT_THAT(may.error().message, HasSubstr("ballast/leader is not held by a"));
  EXPECT_THAT(a.events, IsEmpty()) << "given up is not lost";
}

TEST_F(ElectionTest, DoesNotReleaseWhatAnotherHolds) {
  Candidate a = MakeLeader("a");
  server_.Set(HeldBy("b"));
  EXPECT_THAT(Release(a), ElementsAre("read"));
  EXPECT_EQ(server_.lease->holder, "b");
  EXPECT_THAT(a.events, ElementsAre("not released: it is held by b"));
}

TEST_F(ElectionTest, AStoppedProcessMayNotWriteAnyMore) {
  const Candidate a = MakeLeader("a");
  EXPECT_TRUE(IsLive(a));
  // No step has run since, which would notice that the renewal is late.
  Pass(9999ms);
  EXPECT_TRUE(IsLive(a));
  Pass(1ms);
  const Status may = a.election.CheckLease(now_);
  ASSERT_FALSE(may.ok());
  EXPECT_THAT(may.error().message, HasSubstr("was last renewed"));
}

// The steady clock stands still while a machine sleeps.
TEST_F(ElectionTest, AMachineThatSleptMayNotWriteAnyMore) {
  const Candidate a = MakeLeader("a");
  SetWall(9999ms);
  EXPECT_TRUE(IsLive(a));
  SetWall(1ms);
  EXPECT_FALSE(IsLive(a));
}

// A renewal counts from when it was sent, because others count from when it arrived at the server.
TEST_F(ElectionTest, TheLeaseIsAsOldAsTheRequestThatRenewedIt) {
  Candidate a = MakeLeader("a");
  Pass(2s);
  const auto renewal = Step(a);
  ASSERT_TRUE(renewal);
  Pass(4s);
  SetWall(-1h);  // the steady clock still counts
  EXPECT_FALSE(Step(a, server_.Answer(*renewal)));
  Pass(5999ms);
  EXPECT_TRUE(IsLive(a));
  Pass(1ms);
  EXPECT_FALSE(IsLive(a));
}

TEST_F(ElectionTest, CandidatesDoNotAskAllAtOnce) {
  server_.Set(HeldBy("b"));
  random_ = 0.5;
  Candidate a = Make("a");
  Attempt(a);
  EXPECT_EQ(a.wake_at, now_.steady + 2200ms);
}

// Thus the other evaluates again 20 s after the last renewal: one attempt's wait until the renewal
// was seen, a lease's duration, and the start.
TEST_F(ElectionTest, ACandidateTakesALeaseInTheMomentWhenItEnds) {
  server_.Set(HeldBy("b"));
  random_ = 0.5;
  Candidate a = Make("a");
  Attempt(a);
  const process::SteadyTime seen = now_.steady;
  while (!a.election.leads()) {
    NextAttempt(a);
  }
  EXPECT_EQ(now_.steady, seen + 15s);
}

TEST_F(ElectionTest, LosesALeaseThatWasTaken) {
  Candidate a = MakeLeader("a");
  server_.Set(HeldBy("b"));
  NextAttempt(a);
  EXPECT_THAT(a.events, ElementsAre("read again", "other leads: b",
                                    "lost: the lease ballast/leader was lost to b"));
  EXPECT_FALSE(IsLive(a));
  EXPECT_THAT(Release(a), IsEmpty());
  EXPECT_EQ(server_.lease->holder, "b");
}

TEST_F(ElectionTest, TellsOnceWhoElseLeads) {
  server_.Set(HeldBy("b"));
  Candidate a = Make("a");
  Attempt(a);
  server_.Set(HeldBy("b", "renewed"));
  NextAttempt(a);
  EXPECT_THAT(a.events, ElementsAre("other leads: b"));
  server_.Set(HeldBy("c"));
  NextAttempt(a);
  EXPECT_THAT(a.events, ElementsAre("other leads: b", "other leads: c"));
}

TEST_F(ElectionTest, LosesALeaseThatItsDoubleRenews) {
  Candidate a = MakeLeader("a");
  server_.Set(HeldBy("a", "by another process"));
  NextAttempt(a);
  EXPECT_THAT(a.events.back(), HasSubstr("another process of the same identity, a"));
}

TEST_F(ElectionTest, LosesALeaseThatItCannotRenewInTime) {
  Candidate a = MakeLeader("a");
  server_.writes = LeaseServer::Writes::kFail;
  for (int i = 0; i < 4; ++i) {
    EXPECT_THAT(NextAttempt(a), ElementsAre("update", "read", "update"));
    EXPECT_EQ(a.events.back(), "not renewed: refused");
  }
  EXPECT_THAT(NextAttempt(a), ElementsAre("update"));
  EXPECT_THAT(a.events.back(), HasSubstr("last renewed 10s ago"));
  EXPECT_EQ(a.wake_at, process::SteadyTime::max());
}

TEST_F(ElectionTest, KnowsItsOwnRenewalThatWasNotAnswered) {
  Candidate a = MakeLeader("a");
  server_.writes = LeaseServer::Writes::kAreNotAnswered;
  EXPECT_THAT(NextAttempt(a), ElementsAre("update", "read", "update"));
  server_.writes = LeaseServer::Writes::kWork;
  EXPECT_THAT(NextAttempt(a), ElementsAre("update", "read", "update"));
  EXPECT_TRUE(IsLive(a));
  EXPECT_THAT(a.events, ElementsAre("read again", "not renewed: no answer", "read again"));
}

TEST_F(ElectionTest, MakesADeletedLeaseAgain) {
  Candidate a = MakeLeader("a");
  server_.lease.reset();
  EXPECT_THAT(NextAttempt(a), ElementsAre("update", "read", "create"));
  EXPECT_EQ(server_.lease->holder, "a");
  EXPECT_TRUE(IsLive(a));
}

// Its holder may still write, because it may not know yet.
TEST_F(ElectionTest, ADeletedLeaseIsStillItsHoldersForItsDuration) {
  server_.Set(HeldBy("a"));
  Candidate b = Make("b");
  EXPECT_THAT(Attempt(b), ElementsAre("read"));
  const process::SteadyTime seen = now_.steady;
  server_.lease.reset();
  while (b.wake_at < seen + 15s) {
    EXPECT_THAT(NextAttempt(b), ElementsAre("read"));
  }
  EXPECT_THAT(NextAttempt(b), ElementsAre("read", "create"));
  EXPECT_TRUE(b.election.leads());
  EXPECT_EQ(server_.lease->holder, "b");
}

TEST_F(ElectionTest, AWriteMayBeUnderWayUntilAnotherCanLead) {
  Candidate a = MakeLeader("a");
  const process::SteadyTime renewed = now_.steady;
  Pass(3s);
  ASSERT_TRUE(a.election.LeaveToWrite(now_).ok());
  EXPECT_EQ(*a.election.LeaveToWrite(now_), renewed + 15s);
  Release(a);
  EXPECT_FALSE(a.election.LeaveToWrite(now_).ok());
}

// It starts after the initial lists, however long they take.
TEST_F(ElectionTest, IsAliveBeforeItsStart) {
  Election election({.lease = {"ballast", "leader"}, .identity = "a"});
  Pass(1h);
  EXPECT_TRUE(election.CheckAlive(now_.steady).ok());
  EXPECT_FALSE(election.Step(now_).request);
}

TEST_F(ElectionTest, OneOfTwoLeads) {
  // Both find no lease; the second to write is too late.
  Candidate a = Make("a");
  Candidate b = Make("b");
  const auto a_reads = Step(a);
  const auto b_reads = Step(b);
  const auto a_creates = Step(a, server_.Answer(*a_reads));
  const auto b_creates = Step(b, server_.Answer(*b_reads));
  EXPECT_FALSE(Step(b, server_.Answer(*b_creates)));
  EXPECT_FALSE(Step(a, server_.Answer(*a_creates)));
  EXPECT_FALSE(a.election.leads());
  EXPECT_TRUE(b.election.leads());
  EXPECT_THAT(a.events, IsEmpty()) << "to be second is no failure";
  NextAttempt(a);
  EXPECT_THAT(a.events, ElementsAre("other leads: b"));
}

TEST_F(ElectionTest, AHangingElectionIsTold) {
  Candidate a = MakeLeader("a");
  Pass(2s);
  ASSERT_TRUE(Step(a));  // never answered
  Pass(33s);
  EXPECT_TRUE(a.election.CheckAlive(now_.steady).ok());
  Pass(1ms);
  EXPECT_FALSE(a.election.CheckAlive(now_.steady).ok());
}

// A renewal hangs until another process may have the lease: it counts from when it was sent.
TEST_F(ElectionTest, ARenewalThatIsConfirmedTooLateLosesTheLease) {
  Candidate a = MakeLeader("a");
  Pass(2s);
  const auto renewal = Step(a);
  const auto answer = server_.Answer(*renewal);
  Pass(10s);
  EXPECT_FALSE(IsLive(a)) << "while it hangs";
  EXPECT_FALSE(Step(a, answer));
  EXPECT_THAT(a.events, ElementsAre(HasSubstr("last renewed 10s ago")));
  EXPECT_FALSE(a.election.leads());
}

TEST_F(ElectionTest, AFailureThatComesTooLateIsNotFollowedByARead) {
  Candidate a = MakeLeader("a");
  Pass(2s);
  ASSERT_TRUE(Step(a));
  Pass(8s);
  EXPECT_FALSE(Step(a, Error{Code::kTimeout, "no answer"}));
  EXPECT_THAT(a.events, ElementsAre("not renewed: no answer", HasSubstr("last renewed 10s ago")));
}

// It leads nevertheless, but writes nothing before a renewal.
TEST_F(ElectionTest, ALeaseThatIsGrantedTooLateIsRenewedBeforeAnythingIsWritten) {
  Candidate a = Make("a");
  const auto create = Step(a, server_.Answer(*Step(a)));
  const auto answer = server_.Answer(*create);
  Pass(12s);
  EXPECT_FALSE(Step(a, answer));
  EXPECT_TRUE(a.election.leads());
  EXPECT_FALSE(IsLive(a));
  EXPECT_THAT(NextAttempt(a), ElementsAre("update"));
  EXPECT_TRUE(IsLive(a));
  EXPECT_THAT(a.events, ElementsAre("elected"));
}

TEST_F(ElectionTest, AWakeThatComesEarlyOrDuringARequestAsksNothing) {
  Candidate a = MakeLeader("a");
  Pass(1999ms);
  EXPECT_FALSE(Step(a));
  EXPECT_EQ(a.wake_at, now_.steady + 1ms);
  Pass(1ms);
  const auto renewal = Step(a);
  ASSERT_TRUE(renewal);
  Pass(5s);
  EXPECT_FALSE(Step(a)) << "one at a time";
  EXPECT_FALSE(Step(a, server_.Answer(*renewal)));
  EXPECT_TRUE(IsLive(a));
}

TEST_F(ElectionTest, AnAnswerThatComesTwiceCountsOnce) {
  Candidate a = MakeLeader("a");
  Pass(2s);
  const auto answer = server_.Answer(*Step(a));
  EXPECT_FALSE(Step(a, answer));
  Pass(1s);
  EXPECT_FALSE(Step(a, answer));
  EXPECT_FALSE(Step(a, Error{Code::kTimeout, "no answer"}));
  EXPECT_EQ(a.wake_at, now_.steady + 1s);
  EXPECT_EQ(*a.election.LeaveToWrite(now_), now_.steady - 1s + 15s);
  EXPECT_THAT(a.events, IsEmpty());
}

// The attempt ends first; otherwise the lease would be given up and then renewed.
TEST_F(ElectionTest, AReleaseWaitsForTheAnswerUnderWay) {
  Candidate a = MakeLeader("a");
  Pass(2s);
  const auto renewal = Step(a);
  a.election.Release();
  EXPECT_FALSE(Step(a));
  const auto read = Step(a, server_.Answer(*renewal));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, LeaseRequest{});
  const auto write = Step(a, server_.Answer(*read));
  ASSERT_TRUE(write);
  EXPECT_EQ(write->write->holder, "");
  const auto answer = server_.Answer(*write);
  EXPECT_FALSE(Step(a, answer));
  EXPECT_FALSE(Step(a, answer));
  Pass(1h);
  EXPECT_THAT(Attempt(a), IsEmpty()) << "it is over";
  EXPECT_THAT(a.events, ElementsAre("released"));
}

TEST_F(ElectionTest, ACandidateThatIsElectedWhileItStopsGivesTheLeaseUp) {
  Candidate a = Make("a");
  const auto create = Step(a, server_.Answer(*Step(a)));
  a.election.Release();
  for (auto request = Step(a, server_.Answer(*create)); request;) {
    request = Step(a, server_.Answer(*request));
  }
  EXPECT_EQ(server_.lease->holder, "");
  EXPECT_THAT(a.events, ElementsAre("elected", "released"));
}

TEST_F(ElectionTest, ALeaseThatMayBeAnothersIsNotGivenUp) {
  Candidate a = MakeLeader("a");
  Pass(10s);
  EXPECT_THAT(Release(a), IsEmpty());
  EXPECT_EQ(server_.lease->holder, "a");
}

TEST_F(ElectionTest, AnswersOfAnotherLeaseThanWasWrittenAreFailures) {
  Candidate a = Make("a");
  const auto create = Step(a, server_.Answer(*Step(a)));
  ASSERT_TRUE(create);
  EXPECT_FALSE(Step(a, Lease{HeldBy("b"), "7"}));
  EXPECT_FALSE(a.election.leads());
  EXPECT_THAT(a.events, ElementsAre("not taken: the answer is not the Lease that was written"));
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
