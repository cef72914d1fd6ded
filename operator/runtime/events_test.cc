#include "operator/runtime/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "tests/support/channel.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_transport.h"

namespace ballast::runtime {
namespace {

using namespace std::chrono_literals;
using kube::Method;
using testing::HasSubstr;

class EventRecorderTest : public testing::Test {
 protected:
  Event Rescale(const std::string& note) {
    return {.regarding = {.api_version = "ballast.dev/v1alpha1",
                          .kind = "AutoScalePolicy",
                          .namespace_ = "shop",
                          .name = "web",
                          .uid = "u1"},
            .reason = "SuccessfulRescale",
            .action = "Rescale",
            .note = note};
  }

  support::Channel<kube::Request> sent_;
  support::Channel<Error> failures_;  // answers to come, before success again
  support::FakeTransport transport_{[this](const kube::Request& request) -> Result<kube::Response> {
    Result<kube::Response> answer = kube::Response{201, "{}"};
    if (!failures_.empty()) {
      answer = *failures_.Pop();
    }
    sent_.Push(request);  // from here on the test prepares the next answer
    return answer;
  }};
  support::FakeClock clock_;
};

TEST_F(EventRecorderTest, MakesAnEvent) {
  EventRecorder recorder(transport_, clock_, {.instance = "pod-1"});
  recorder.Record(Rescale("New size: 5"));
  const auto request = sent_.Pop();
  ASSERT_TRUE(request);
  EXPECT_EQ(request->method, Method::kPost);
  EXPECT_EQ(request->path, "/apis/events.k8s.io/v1/namespaces/shop/events");
  for (const char* part :
       {R"("eventTime":"2023-11-14T22:13:20.000000Z")", R"("reportingInstance":"pod-1")",
        R"("reason":"SuccessfulRescale")", R"("action":"Rescale")", R"("note":"New size: 5")",
        R"("regarding":{"apiVersion":"ballast.dev/v1alpha1","kind":"AutoScalePolicy")",
        R"("name":"web.)", R"("type":"Normal")"}) {
    EXPECT_THAT(request->body, HasSubstr(part));
  }
}

TEST_F(EventRecorderTest, MakesWhatTheServerAccepts) {
  EventRecorder recorder(transport_, clock_, {.instance = std::string(200, 'i')});
  Event of_the_cluster = Rescale("a");
  of_the_cluster.regarding.namespace_ = "";
  recorder.Record(of_the_cluster);
  const auto request = sent_.Pop();
  ASSERT_TRUE(request);
  EXPECT_EQ(request->path, "/apis/events.k8s.io/v1/namespaces/default/events");
  EXPECT_THAT(request->body, HasSubstr(R"("namespace":"default")"));
  EXPECT_THAT(request->body,
              HasSubstr(R"("reportingInstance":")" + std::string(128, 'i') + R"(")"));
}

TEST_F(EventRecorderTest, AnotherEventIsNotOfTheSeries) {
  EventRecorder recorder(transport_, clock_);
  recorder.Record(Rescale("a"));
  ASSERT_EQ(sent_.Pop()->method, Method::kPost);
  Event others[] = {Rescale("a"), Rescale("a"), Rescale("a"), Rescale("b"), Rescale("a")};
  others[0].type = "Warning";
  others[1].reason = "FailedRescale";
  others[2].action = "Decide";
  others[4].regarding.uid = "u2";  // made anew under its name
  for (const Event& other : others) {
    recorder.Record(other);
    EXPECT_EQ(sent_.Pop()->method, Method::kPost);
  }
}

TEST_F(EventRecorderTest, TheSameAgainBecomesASeries) {
  EventRecorder recorder(transport_, clock_);
  recorder.Record(Rescale("a"));
  ASSERT_EQ(sent_.Pop()->method, Method::kPost);
  recorder.Record(Rescale("a"));
  const auto patch = sent_.Pop();
  ASSERT_TRUE(patch);
  EXPECT_EQ(patch->method, Method::kPatch);
  EXPECT_THAT(patch->path, HasSubstr("/apis/events.k8s.io/v1/namespaces/shop/events/web."));
  EXPECT_THAT(patch->body, HasSubstr(R"({"series":{"count":2,)"));

  recorder.Record(Rescale("a"));
  recorder.Record(Rescale("b"));
  EXPECT_THAT(sent_.Pop()->body, HasSubstr(R"("note":"b")")) << "the third is only counted";
  clock_.Advance(5min);
  recorder.Record(Rescale("a"));
  EXPECT_THAT(sent_.Pop()->body, HasSubstr(R"("count":4)"));
  clock_.Advance(7min);
  recorder.Record(Rescale("a"));
  EXPECT_EQ(sent_.Pop()->method, Method::kPost) << "the series had ended";
}

TEST_F(EventRecorderTest, TheEndOfASeriesTellsTheLastCount) {
  EventRecorder recorder(transport_, clock_);
  for (int i = 0; i < 4; ++i) {
    recorder.Record(Rescale("a"));
  }
  recorder.Record(Rescale("b"));
  ASSERT_EQ(sent_.Pop()->method, Method::kPost);
  EXPECT_THAT(sent_.Pop()->body, HasSubstr(R"("count":2)"));
  EXPECT_THAT(sent_.Pop()->body, HasSubstr(R"("note":"b")")) << "all before it are counted now";
  // Nothing happens any more; the recorder looks over its series by itself.
  for (int minute = 0; minute < 7; ++minute) {
    clock_.Advance(clock_.AwaitSleeper());
  }
  EXPECT_THAT(sent_.Pop()->body,
              HasSubstr(R"("count":4,"lastObservedTime":"2023-11-14T22:13:20.000000Z")"));
}

TEST_F(EventRecorderTest, StoppingTellsTheLastCountAndThenDrops) {
  EventRecorder recorder(transport_, clock_);
  for (int i = 0; i < 3; ++i) {
    recorder.Record(Rescale("a"));
  }
  recorder.Stop();
  ASSERT_EQ(sent_.Pop()->method, Method::kPost);
  EXPECT_THAT(sent_.Pop()->body, HasSubstr(R"("count":2)"));
  EXPECT_THAT(sent_.Pop()->body, HasSubstr(R"("count":3)"));
  recorder.Record(Rescale("b"));
  EXPECT_EQ(recorder.dropped(), 1U);
}

TEST_F(EventRecorderTest, MakesAnEventAgainThatSomebodyDeleted) {
  EventRecorder recorder(transport_, clock_);
  recorder.Record(Rescale("a"));
  ASSERT_EQ(sent_.Pop()->method, Method::kPost);
  failures_.Push({Code::kNotFound, "no such event"});
  recorder.Record(Rescale("a"));
  EXPECT_EQ(sent_.Pop()->method, Method::kPatch);
  EXPECT_EQ(sent_.Pop()->method, Method::kPost);
}

TEST_F(EventRecorderTest, ACountThatCouldNotBeToldIsPartOfTheNext) {
  EventRecorder recorder(transport_, clock_);
  recorder.Record(Rescale("a"));
  ASSERT_EQ(sent_.Pop()->method, Method::kPost);
  failures_.Push({Code::kUnavailable, "refused"});
  recorder.Record(Rescale("a"));
  EXPECT_THAT(sent_.Pop()->body, HasSubstr(R"("count":2)"));
  clock_.Advance(5min);
  recorder.Record(Rescale("a"));
  EXPECT_THAT(sent_.Pop()->body, HasSubstr(R"("count":3)"));
}

TEST_F(EventRecorderTest, TriesAgainWhenTheServerIsAway) {
  EventRecorder recorder(transport_, clock_);
  failures_.Push({Code::kUnavailable, "refused"});
  recorder.Record(Rescale("a"));
  ASSERT_TRUE(sent_.Pop());
  clock_.Advance(clock_.AwaitSleeper());
  EXPECT_EQ(sent_.Pop()->method, Method::kPost);
}

TEST_F(EventRecorderTest, GivesUpAfterTwelveTries) {
  EventRecorder recorder(transport_, clock_);
  constexpr int kTries = 12;
  for (int i = 0; i < kTries; ++i) {
    failures_.Push({Code::kUnavailable, "refused"});
  }
  recorder.Record(Rescale("unlucky"));
  recorder.Record(Rescale("next"));
  for (int i = 0; i < kTries; ++i) {
    if (i > 0) {
      EXPECT_EQ(clock_.AwaitSleeper(), 10s);
      clock_.Advance(10s);
    }
    EXPECT_THAT(sent_.Pop()->body, HasSubstr("unlucky"));
  }
  EXPECT_THAT(sent_.Pop()->body, HasSubstr("next"));
  EXPECT_EQ(recorder.dropped(), 1U);
}

TEST_F(EventRecorderTest, TriesCostNoAllowance) {
  EventRecorder recorder(transport_, clock_);
  for (int i = 0; i < 24; ++i) {
    failures_.Push({Code::kUnavailable, "refused"});
  }
  for (const char* note : {"unlucky", "unlucky too", "next", "last"}) {
    recorder.Record(Rescale(note));
  }
  for (int i = 0; i < 24; ++i) {
    if (i % 12 > 0) {
      clock_.Advance(clock_.AwaitSleeper());
    }
    EXPECT_THAT(sent_.Pop()->body, HasSubstr("unlucky"));
  }
  EXPECT_THAT(sent_.Pop()->body, HasSubstr("next"));
  EXPECT_THAT(sent_.Pop()->body, HasSubstr("last"));
  EXPECT_EQ(recorder.dropped(), 2U);
}

// The first try may have arrived: the second must not be another event.
TEST_F(EventRecorderTest, AnEventThatIsTriedAgainKeepsItsName) {
  EventRecorder recorder(transport_, clock_);
  failures_.Push({Code::kTimeout, "no answer"});
  failures_.Push({Code::kConflict, "already exists"});
  recorder.Record(Rescale("a"));
  const auto first = sent_.Pop();
  clock_.Advance(clock_.AwaitSleeper());
  const auto second = sent_.Pop();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->body, second->body);
  recorder.Record(Rescale("a"));
  EXPECT_EQ(sent_.Pop()->method, Method::kPatch) << "it is there";
  EXPECT_EQ(recorder.dropped(), 0U);
}

TEST_F(EventRecorderTest, ANameThatIsTakenAtTheFirstTryIsAFailure) {
  EventRecorder recorder(transport_, clock_);
  failures_.Push({Code::kConflict, "already exists"});
  recorder.Record(Rescale("a"));
  ASSERT_TRUE(sent_.Pop());
  recorder.Record(Rescale("b"));
  ASSERT_TRUE(sent_.Pop());
  EXPECT_EQ(recorder.dropped(), 1U);
}

// However much there is still to tell, and however slow the server.
TEST_F(EventRecorderTest, StoppingTakesSecondsAtMost) {
  bool slow = false;
  std::atomic<int> late = 0;
  support::FakeTransport transport([&](const kube::Request& request) {
    if (slow) {
      clock_.Advance(1s);
      ++late;
    }
    sent_.Push(request);
    return kube::Response{201, "{}"};
  });
  EventRecorder recorder(transport, clock_, {.queue = 10'000});
  constexpr int kObjects = 100;
  for (int time = 0; time < 3; ++time) {
    for (int i = 0; i < kObjects; ++i) {
      Event event = Rescale("a");
      event.regarding.name = std::to_string(i);
      recorder.Record(event);
    }
  }
  for (int i = 0; i < 2 * kObjects; ++i) {
    ASSERT_TRUE(sent_.Pop());
  }
  Event last = Rescale("last");
  recorder.Record(last);
  ASSERT_TRUE(sent_.Pop());  // all counts before it are known by now, and untold
  slow = true;
  recorder.Stop();
  EXPECT_GE(late, 1);
  EXPECT_LE(late, 3);
}

TEST_F(EventRecorderTest, DoesNotTryAgainWhatIsRefused) {
  EventRecorder recorder(transport_, clock_);
  failures_.Push({Code::kForbidden, "no right to create events"});
  recorder.Record(Rescale("refused"));
  recorder.Record(Rescale("next"));
  EXPECT_THAT(sent_.Pop()->body, HasSubstr("refused"));
  EXPECT_THAT(sent_.Pop()->body, HasSubstr("next"));
  EXPECT_EQ(recorder.dropped(), 1U);
}

TEST_F(EventRecorderTest, DropsWhatDoesNotFitAndNeverBlocks) {
  {
    EventRecorder recorder(transport_, clock_, {.queue = 2});
    failures_.Push({Code::kUnavailable, "refused"});
    recorder.Record(Rescale("in work"));
    ASSERT_TRUE(sent_.Pop());
    clock_.AwaitSleeper();
    for (const char* note : {"1", "2", "3", "4"}) {
      recorder.Record(Rescale(note));
    }
    EXPECT_EQ(recorder.dropped(), 2U);
  }
  // Stopping cut the wait short and sent the rest.
  for (const char* note : {"in work", "1", "2"}) {
    EXPECT_THAT(sent_.Pop()->body, HasSubstr(note));
  }
}

TEST_F(EventRecorderTest, OneObjectCannotFloodTheServer) {
  telemetry::Registry registry;
  EventRecorder recorder(transport_, clock_,
                         {.dropped_total = registry.Counters("dropped_total", "d").With({})});
  for (int i = 0; i < 30; ++i) {
    recorder.Record(Rescale(std::to_string(i)));
  }
  Event other = Rescale("other");
  other.regarding.name = "quiet";
  recorder.Record(other);
  for (int i = 0; i < 25; ++i) {
    ASSERT_TRUE(sent_.Pop());
  }
  EXPECT_THAT(sent_.Pop()->body, HasSubstr("quiet"));
  EXPECT_EQ(recorder.dropped(), 5U);
  EXPECT_THAT(registry.Print(), HasSubstr("dropped_total 5\n"));
  clock_.Advance(5min);
  recorder.Record(Rescale("later"));
  EXPECT_THAT(sent_.Pop()->body, HasSubstr("later"));
}

TEST_F(EventRecorderTest, CutsLongNotesBetweenCharacters) {
  EventRecorder recorder(transport_, clock_);
  recorder.Record(Rescale(std::string(1023, 'x') + "é"));
  const auto request = sent_.Pop();
  ASSERT_TRUE(request);
  EXPECT_THAT(request->body, HasSubstr(std::string(1023, 'x') + "\""));
}

}  // namespace
}  // namespace ballast::runtime
