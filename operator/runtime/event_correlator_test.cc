#include "operator/runtime/event_correlator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ballast::runtime {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

ClusterEvent Rescale(const std::string& note, const std::string& object = "web") {
  return {.regarding = {.api_version = "ballast.dev/v1alpha1",
                        .kind = "AutoScalePolicy",
                        .namespace_ = "shop",
                        .name = object,
                        .uid = "u1"},
          .reason = "SuccessfulRescale",
          .action = "Rescale",
          .note = note};
}

std::string Print(const EventRequest& request) {
  const auto* post = std::get_if<PostEvent>(&request);
  return post != nullptr ? "post " + post->event.note
                         : "count " + std::to_string(std::get<RaiseCount>(request).count);
}

class EventCorrelatorTest : public testing::Test {
 protected:
  std::optional<EventRequest> Step(const std::optional<Status>& answer = std::nullopt) {
    EventStep step = correlator_.Step(now_, answer);
    wake_at_ = step.wake_at;
    for (const DroppedEvent& dropped : step.dropped) {
      given_up_.push_back(dropped.event.note + ": " + Name(dropped.why.code));
    }
    return std::move(step.request);
  }
  // Runs all requests that are due, and answers each with the next of failures_ or with success.
  std::vector<std::string> Run() {
    std::vector<std::string> sent;
    for (auto request = Step(); request;) {
      sent.push_back(Print(*request));
      const Status answer = failures_.empty() ? Status(Done{}) : Error{failures_.front(), ""};
      failures_.erase(failures_.begin(), failures_.begin() + (failures_.empty() ? 0 : 1));
      Pass(takes_);
      request = Step(answer);
    }
    return sent;
  }
  std::vector<std::string> Send(const ClusterEvent& event) {
    correlator_.Record(event);
    return Run();
  }
  void Pass(std::chrono::nanoseconds span) {
    now_.steady += span;
    now_.wall = now_.wall + Duration{span.count()};
  }
  void PassUntilDue() { Pass(wake_at_ - now_.steady); }

  EventCorrelator correlator_{1000};
  process::Instant now_{{1'700'000'000, 0}, process::SteadyTime(1h)};
  process::SteadyTime wake_at_{};
  std::vector<Code> failures_;
  std::vector<std::string> given_up_;
  std::chrono::nanoseconds takes_{0};  // how long a call takes
};

TEST_F(EventCorrelatorTest, AnotherEventIsNotOfTheSeries) {
  EXPECT_THAT(Send(Rescale("a")), ElementsAre("post a"));
  ClusterEvent others[] = {Rescale("a"), Rescale("a"), Rescale("a"), Rescale("b"), Rescale("a")};
  others[0].type = "Warning";
  others[1].reason = "FailedRescale";
  others[2].action = "Decide";
  others[4].regarding.uid = "u2";  // created again under its name
  for (const ClusterEvent& other : others) {
    EXPECT_THAT(Send(other), ElementsAre("post " + other.note));
  }
}

TEST_F(EventCorrelatorTest, TheSameAgainBecomesASeries) {
  EXPECT_THAT(Send(Rescale("a")), ElementsAre("post a"));
  EXPECT_THAT(Send(Rescale("a")), ElementsAre("count 2"));
  EXPECT_THAT(Send(Rescale("a")), IsEmpty()) << "the third is only counted";
  Pass(5min);
  EXPECT_THAT(Send(Rescale("a")), ElementsAre("count 4"));
  Pass(7min);
  EXPECT_THAT(Send(Rescale("a")), ElementsAre("post a")) << "the series had ended";
}

TEST_F(EventCorrelatorTest, TheEndOfASeriesTellsTheLastCount) {
  const Time last = now_.wall;
  for (int i = 0; i < 4; ++i) {
    Send(Rescale("a"));
  }
  // The series are checked although nothing else happens.
  std::optional<EventRequest> request;
  for (int minute = 0; minute < 7; ++minute) {
    ASSERT_FALSE(request) << minute;
    PassUntilDue();
    request = Step();
  }
  ASSERT_TRUE(request);
  EXPECT_EQ(std::get<RaiseCount>(*request).count, 4);
  EXPECT_EQ(std::get<RaiseCount>(*request).last_time, last);
  EXPECT_FALSE(Step(Done{}));
  EXPECT_EQ(wake_at_, process::SteadyTime::max()) << "there is no series any more";
}

TEST_F(EventCorrelatorTest, StoppingTellsTheLastCountAndThenDrops) {
  for (int i = 0; i < 3; ++i) {
    correlator_.Record(Rescale("a"));
  }
  correlator_.Stop();
  EXPECT_THAT(Run(), ElementsAre("post a", "count 2", "count 3"));
  EXPECT_THAT(Send(Rescale("b")), IsEmpty());
  EXPECT_EQ(correlator_.dropped(), 1U);
}

TEST_F(EventCorrelatorTest, MakesAnEventAgainThatWasDeleted) {
  Send(Rescale("a"));
  failures_ = {Code::kNotFound};
  EXPECT_THAT(Send(Rescale("a")), ElementsAre("count 2", "post a"));
  EXPECT_THAT(Send(Rescale("a")), ElementsAre("count 2"));
}

TEST_F(EventCorrelatorTest, ACountThatCouldNotBeToldIsPartOfTheNext) {
  Send(Rescale("a"));
  failures_ = {Code::kUnavailable};
  EXPECT_THAT(Send(Rescale("a")), ElementsAre("count 2"));
  Pass(5min);
  EXPECT_THAT(Send(Rescale("a")), ElementsAre("count 3"));
}

TEST_F(EventCorrelatorTest, TriesAgainWhenTheServerIsAway) {
  failures_ = {Code::kUnavailable};
  EXPECT_THAT(Send(Rescale("a")), ElementsAre("post a"));
  PassUntilDue();
  EXPECT_THAT(Run(), ElementsAre("post a"));
  EXPECT_EQ(correlator_.dropped(), 0U);
}

TEST_F(EventCorrelatorTest, GivesUpAfterTwelveTries) {
  constexpr int kTries = 12;
  failures_.assign(kTries, Code::kUnavailable);
  correlator_.Record(Rescale("unlucky"));
  correlator_.Record(Rescale("next"));
  for (int i = 1; i < kTries; ++i) {
    EXPECT_THAT(Run(), ElementsAre("post unlucky"));
    EXPECT_EQ(wake_at_, now_.steady + 10s);
    Pass(10s);
  }
  EXPECT_THAT(Run(), ElementsAre("post unlucky", "post next"));
  EXPECT_EQ(correlator_.dropped(), 1U);
  EXPECT_THAT(given_up_, ElementsAre("unlucky: Unavailable"));
}

TEST_F(EventCorrelatorTest, TriesCostNoAllowance) {
  failures_.assign(24, Code::kUnavailable);
  for (const char* note : {"unlucky", "unlucky too", "next", "last"}) {
    correlator_.Record(Rescale(note));
  }
  std::vector<std::string> sent;
  for (int i = 0; i < 24; ++i) {
    const std::vector<std::string> now = Run();
    sent.insert(sent.end(), now.begin(), now.end());
    Pass(10s);
  }
  ASSERT_THAT(sent, SizeIs(26));
  EXPECT_EQ(sent[24], "post next");
  EXPECT_EQ(sent[25], "post last");
  EXPECT_EQ(correlator_.dropped(), 2U);
}

// The first try may have arrived, so the second must not create another event.
TEST_F(EventCorrelatorTest, AnEventThatIsTriedAgainKeepsItsName) {
  correlator_.Record(Rescale("a"));
  const auto first = Step();
  Pass(5s);
  EXPECT_FALSE(Step(Error{Code::kTimeout, "no answer"}));
  PassUntilDue();
  const auto second = Step();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(std::get<PostEvent>(*first).object, std::get<PostEvent>(*second).object);
  EXPECT_EQ(std::get<PostEvent>(*first).time, std::get<PostEvent>(*second).time);
  EXPECT_FALSE(Step(Error{Code::kConflict, "already exists"}));
  EXPECT_THAT(Send(Rescale("a")), ElementsAre("count 2")) << "it is there";
  EXPECT_EQ(correlator_.dropped(), 0U);
}

TEST_F(EventCorrelatorTest, ANameThatIsTakenAtTheFirstTryIsAFailure) {
  failures_ = {Code::kConflict};
  EXPECT_THAT(Send(Rescale("a")), ElementsAre("post a"));
  EXPECT_THAT(Send(Rescale("b")), ElementsAre("post b"));
  EXPECT_THAT(given_up_, ElementsAre("a: Conflict"));
}

// However much is still to be sent, and however slow the server is.
TEST_F(EventCorrelatorTest, StoppingTakesSecondsAtMost) {
  for (int time = 0; time < 3; ++time) {
    for (int i = 0; i < 100; ++i) {
      correlator_.Record(Rescale("a", std::to_string(i)));
    }
  }
  EXPECT_THAT(Run(), SizeIs(200));  // the third of each is counted, but not sent
  correlator_.Stop();
  takes_ = 1s;
  EXPECT_THAT(Run(), SizeIs(2));
}

TEST_F(EventCorrelatorTest, AtAStopEventsComeBeforeCountsAndNeitherInfinitely) {
  for (int i = 0; i < 3; ++i) {
    Send(Rescale("series"));
  }
  for (int i = 0; i < 10; ++i) {
    correlator_.Record(Rescale(std::to_string(i)));
  }
  correlator_.Stop();
  takes_ = 900ms;
  EXPECT_THAT(Run(), ElementsAre("post 0", "post 1", "post 2"));
  EXPECT_EQ(correlator_.dropped(), 7U);
}

TEST_F(EventCorrelatorTest, AFailureAtAStopEndsTheQueue) {
  for (int i = 0; i < 10; ++i) {
    correlator_.Record(Rescale(std::to_string(i)));
  }
  correlator_.Stop();
  failures_ = {Code::kUnavailable};
  EXPECT_THAT(Run(), ElementsAre("post 0"));
  EXPECT_EQ(correlator_.dropped(), 10U);
  EXPECT_EQ(wake_at_, process::SteadyTime::max());
}

TEST_F(EventCorrelatorTest, AtAStopWhatIsTooMuchOfOneObjectDoesNotEndTheQueue) {
  for (int i = 0; i < 30; ++i) {
    correlator_.Record(Rescale(std::to_string(i)));
  }
  correlator_.Record(Rescale("other", "quiet"));
  correlator_.Stop();
  const std::vector<std::string> sent = Run();
  ASSERT_THAT(sent, SizeIs(26));
  EXPECT_EQ(sent.back(), "post other");
  EXPECT_EQ(correlator_.dropped(), 5U);
}

TEST_F(EventCorrelatorTest, ACountThatCannotBeToldAtAStopIsTheLast) {
  for (int time = 0; time < 3; ++time) {
    for (const char* object : {"1", "2", "3"}) {
      Send(Rescale("a", object));
    }
  }
  correlator_.Stop();
  failures_ = {Code::kUnavailable};
  EXPECT_THAT(Run(), ElementsAre("count 3"));
}

TEST_F(EventCorrelatorTest, DoesNotTryAgainWhatIsRefused) {
  failures_ = {Code::kForbidden};
  correlator_.Record(Rescale("refused"));
  correlator_.Record(Rescale("next"));
  EXPECT_THAT(Run(), ElementsAre("post refused", "post next"));
  EXPECT_EQ(correlator_.dropped(), 1U);
}

TEST_F(EventCorrelatorTest, AStopCutsTheWaitForATryShort) {
  failures_ = {Code::kUnavailable};
  EXPECT_THAT(Send(Rescale("in work")), ElementsAre("post in work"));
  correlator_.Record(Rescale("1"));
  correlator_.Record(Rescale("2"));
  correlator_.Stop();
  EXPECT_THAT(Run(), ElementsAre("post in work", "post 1", "post 2"));
}

TEST(EventCorrelator, DropsWhatDoesNotFit) {
  EventCorrelator correlator(2);
  for (const char* note : {"1", "2", "3", "4"}) {
    correlator.Record(Rescale(note));
  }
  EXPECT_EQ(correlator.dropped(), 2U);
}

TEST_F(EventCorrelatorTest, OneObjectCannotFloodTheServer) {
  for (int i = 0; i < 30; ++i) {
    correlator_.Record(Rescale(std::to_string(i)));
  }
  correlator_.Record(Rescale("other", "quiet"));
  const std::vector<std::string> sent = Run();
  ASSERT_THAT(sent, SizeIs(26));
  EXPECT_EQ(sent.back(), "post other");
  EXPECT_EQ(correlator_.dropped(), 5U);
  EXPECT_THAT(given_up_, SizeIs(5));
  Pass(5min);
  EXPECT_THAT(Send(Rescale("later")), ElementsAre("post later"));
}

TEST_F(EventCorrelatorTest, AnEventBehindOneThatIsTriedAgainWaitsForIt) {
  failures_ = {Code::kUnavailable};
  Send(Rescale("a"));
  EXPECT_THAT(Send(Rescale("b")), IsEmpty());
  Pass(9999ms);
  EXPECT_THAT(Run(), IsEmpty());
  Pass(1ms);
  EXPECT_THAT(Run(), ElementsAre("post a", "post b"));
}

TEST_F(EventCorrelatorTest, AWakeDuringACallSendsNothing) {
  correlator_.Record(Rescale("a"));
  ASSERT_TRUE(Step());
  correlator_.Record(Rescale("b"));
  Pass(1h);
  EXPECT_FALSE(Step()) << "one at a time";
  EXPECT_EQ(wake_at_, process::SteadyTime::max());
  const auto next = Step(Done{});
  ASSERT_TRUE(next);
  EXPECT_EQ(Print(*next), "post b");
}

TEST_F(EventCorrelatorTest, AnAnswerThatComesTwiceCountsOnce) {
  Send(Rescale("a"));
  EXPECT_FALSE(Step(Done{}));
  EXPECT_FALSE(Step(Error{Code::kUnavailable, "refused"}));
  EXPECT_THAT(Send(Rescale("a")), ElementsAre("count 2"));
  EXPECT_EQ(correlator_.dropped(), 0U);
}

// The two seconds begin with the answer to the call that is under way.
TEST_F(EventCorrelatorTest, AnAnswerAfterAStopIsFollowedByTheRest) {
  correlator_.Record(Rescale("a"));
  correlator_.Record(Rescale("b"));
  ASSERT_TRUE(Step());
  correlator_.Stop();
  EXPECT_FALSE(Step());
  Pass(5s);
  const auto next = Step(Done{});
  ASSERT_TRUE(next);
  EXPECT_EQ(Print(*next), "post b");
  EXPECT_FALSE(Step(Done{}));
  Pass(1h);
  EXPECT_FALSE(Step(Done{}));
  EXPECT_EQ(correlator_.dropped(), 0U);
}

TEST_F(EventCorrelatorTest, AFailureThatComesAfterAStopIsNotTriedAgain) {
  correlator_.Record(Rescale("a"));
  correlator_.Record(Rescale("b"));
  ASSERT_TRUE(Step());
  correlator_.Stop();
  EXPECT_FALSE(Step(Error{Code::kTimeout, "no answer"}));
  EXPECT_EQ(correlator_.dropped(), 2U);
  EXPECT_THAT(given_up_, ElementsAre("a: Timeout"));
}

TEST_F(EventCorrelatorTest, AStopWhileSeriesAreEndedTellsTheirCountsInTheSameTwoSeconds) {
  for (int time = 0; time < 3; ++time) {
    for (int i = 0; i < 10; ++i) {
      correlator_.Record(Rescale("a", std::to_string(i)));
    }
  }
  Run();
  Pass(7min);
  ASSERT_TRUE(Step());
  correlator_.Stop();
  Pass(1s);
  takes_ = 1s;
  ASSERT_TRUE(Step(Done{}));
  EXPECT_THAT(Run(), IsEmpty()) << "a call is under way";
  Pass(2s);
  EXPECT_FALSE(Step(Done{}));
  EXPECT_EQ(wake_at_, process::SteadyTime::max());
}

}  // namespace
}  // namespace ballast::runtime
