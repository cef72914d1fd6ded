#include "operator/runtime/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  ClusterEvent Rescale(const std::string& note) {
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
  support::Channel<Error> failures_;  // the next answers; after them, success
  support::FakeTransport transport_{[this](const kube::Request& request) -> Result<kube::Response> {
    Result<kube::Response> answer = kube::Response{201, "{}"};
    if (!failures_.empty()) {
      answer = *failures_.Pop();
    }
    sent_.Push(request);  // from now on the test may prepare the next answer
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
  ClusterEvent of_the_cluster = Rescale("a");
  of_the_cluster.regarding.namespace_ = "";
  recorder.Record(of_the_cluster);
  const auto request = sent_.Pop();
  ASSERT_TRUE(request);
  EXPECT_EQ(request->path, "/apis/events.k8s.io/v1/namespaces/default/events");
  EXPECT_THAT(request->body, HasSubstr(R"("namespace":"default")"));
  EXPECT_THAT(request->body,
              HasSubstr(R"("reportingInstance":")" + std::string(128, 'i') + R"(")"));
}

TEST_F(EventRecorderTest, CutsLongNotesBetweenCharacters) {
  EventRecorder recorder(transport_, clock_);
  recorder.Record(Rescale(std::string(1023, 'x') + "é"));
  const auto request = sent_.Pop();
  ASSERT_TRUE(request);
  EXPECT_THAT(request->body, HasSubstr(std::string(1023, 'x') + "\""));
}

TEST_F(EventRecorderTest, RaisesTheCountOfASeries) {
  EventRecorder recorder(transport_, clock_);
  recorder.Record(Rescale("a"));
  ASSERT_EQ(sent_.Pop()->method, Method::kPost);
  recorder.Record(Rescale("a"));
  const auto patch = sent_.Pop();
  ASSERT_TRUE(patch);
  EXPECT_EQ(patch->method, Method::kPatch);
  EXPECT_THAT(patch->path, HasSubstr("/apis/events.k8s.io/v1/namespaces/shop/events/web."));
  EXPECT_EQ(patch->body,
            R"({"series":{"count":2,"lastObservedTime":"2023-11-14T22:13:20.000000Z"}})");
}

TEST_F(EventRecorderTest, DropsWhatDoesNotFitAndNeverBlocks) {
  telemetry::Registry registry;
  {
    EventRecorder recorder(
        transport_, clock_,
        {.queue = 2, .dropped_total = registry.Counters("dropped_total", "d").With({})});
    failures_.Push({Code::kUnavailable, "refused"});
    recorder.Record(Rescale("in work"));
    ASSERT_TRUE(sent_.Pop());
    EXPECT_EQ(clock_.AwaitSleeper(), 10s);
    for (const char* note : {"1", "2", "3", "4"}) {
      recorder.Record(Rescale(note));
    }
    EXPECT_EQ(recorder.dropped(), 2U);
    EXPECT_THAT(registry.Print(), HasSubstr("dropped_total 2\n"));
  }
  // Stopping cut the wait short and sent the rest.
  for (const char* note : {"in work", "1", "2"}) {
    EXPECT_THAT(sent_.Pop()->body, HasSubstr(note));
  }
}

TEST_F(EventRecorderTest, AfterAStopNothingIsSent) {
  EventRecorder recorder(transport_, clock_);
  recorder.Record(Rescale("a"));
  recorder.Stop();
  ASSERT_TRUE(sent_.Pop());
  recorder.Record(Rescale("b"));
  recorder.Stop();
  EXPECT_TRUE(sent_.empty());
  EXPECT_EQ(recorder.dropped(), 1U);
}

}  // namespace
}  // namespace ballast::runtime
