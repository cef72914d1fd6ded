#include "operator/controllers/overrides/override_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "tests/support/channel.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_transport.h"

namespace ballast::controllers {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

// Against an API server that has one hold of the policy shop/web; the fake clock begins at
// 2023-11-14T22:13:20Z.
class OverrideKeeperTest : public testing::Test {
 protected:
  ~OverrideKeeperTest() override {
    keeper_.Stop();
    watches_.Stop();
  }

  std::string Hold(const std::string& more, const std::string& version = "3") const {
    return R"({"metadata":{"name":"hold","namespace":"shop","uid":"u","resourceVersion":")" +
           version + R"(","creationTimestamp":"2023-11-14T22:13:00Z"},"spec":{)" + subject_ +
           R"(,"until":")" + until_ + R"(","reason":"sale","hold":"All"})" + more + "}";
  }
  static std::string Policy(const std::string& tier, int version) {
    return R"({"metadata":{"name":"web","namespace":"shop","uid":"p","resourceVersion":")" +
           std::to_string(version) + R"(","labels":{"tier":")" + tier +
           R"("}},"spec":{"scaleTargetRef":{"kind":"Deployment","name":"web"}}})";
  }

  Result<kube::Response> Do(const kube::Request& request) {
    if (request.method != kube::Method::kGet) {
      if (refuses_.exchange(false)) {
        written_.Push("refused");
        return Error{Code::kUnavailable, "down"};
      }
      written_.Push(std::string(Name(request.method)) + " " + request.path + " " + request.body);
      return kube::Response{200, Hold("")};
    }
    const bool overrides = request.path.ends_with("/autoscaleoverrides");
    const bool policies = request.path.ends_with("/autoscalepolicies");
    return kube::Response{200, R"({"metadata":{"resourceVersion":"5"},"items":[)" +
                                   (overrides  ? lists_it_ ? Hold(status_) : std::string()
                                     : policies ? Policy("db", 4)
                                               : std::string()) +
                                   "]}"};
  }
  // The watches of overrides and policies deliver what the test pushes.
  Status Stream(const kube::Request& request, const kube::LineSink& sink,
                const std::stop_token& stop) {
    return request.path.ends_with("/autoscaleoverrides")
               ? support::PushedStream(events_, request, sink, stop)
           : request.path.ends_with("/autoscalepolicies")
               ? support::PushedStream(policies_, request, sink, stop)
               : support::SilentStream(request, sink, stop);
  }
  void Start() {
    watches_.Start();
    ASSERT_TRUE(watches_.overrides.WaitForSync(10s));
    ASSERT_TRUE(watches_.policies.WaitForSync(10s));
    keeper_.Start();
  }

  std::string subject_ = R"("target":{"kind":"AutoScalePolicy","name":"web"})";
  std::string until_ = "2023-11-14T22:13:30Z";
  std::string status_;
  bool lists_it_ = true;
  std::atomic<bool> refuses_ = false;
  support::Channel<std::string> events_;
  support::Channel<std::string> policies_;
  support::Channel<std::string> written_;
  support::Channel<std::string> evaluated_;
  support::FakeClock clock_;
  support::FakeTransport transport_{
      [this](const kube::Request& request) { return Do(request); },
      [this](const kube::Request& request, const kube::LineSink& sink,
             const std::stop_token& stop) { return Stream(request, sink, stop); }};
  kube::Client client_{transport_};
  cluster::Watches watches_{transport_, clock_, {}};
  telemetry::Registry registry_;
  OverrideKeeper keeper_{
      {.watches = watches_,
       .client = client_,
       .clock = clock_,
       .obstacle = [](const api::ObjectReference&) { return std::string(); },
       .evaluate = [this](const auto& autoscaler) { evaluated_.Push(autoscaler.Print()); },
       .metrics = OverrideMetrics(registry_)}};
};

TEST_F(OverrideKeeperTest, TellsOfABeginningAndAnEnd) {
  Start();
  EXPECT_EQ(evaluated_.Pop(), "AutoScalePolicy shop/web");
  const std::string path =
      "PATCH /apis/ballast.dev/v1alpha1/namespaces/shop/autoscaleoverrides/hold/status ";
  EXPECT_EQ(written_.Pop(),
            path +
                R"({"metadata":{"uid":"u","resourceVersion":"3"},)"
                R"("status":{"phase":"Active","message":null,"matched":null,"owner":"unknown"}})");
  EXPECT_THAT(registry_.Print(),
              HasSubstr("ballast_override_active{kind=\"AutoScalePolicy\",type=\"hold\"} 1\n"));
  EXPECT_THAT(registry_.Print(),
              HasSubstr("ballast_override_expires_timestamp_seconds{kind=\"AutoScalePolicy\","
                        "type=\"hold\",length=\"short\"} "));
  events_.Push(R"({"type":"MODIFIED","object":)" + Hold(R"(,"status":{"phase":"Active"})") + "}");
  clock_.Advance(10s);
  EXPECT_EQ(evaluated_.Pop(), "AutoScalePolicy shop/web") << "at its end";
  EXPECT_THAT(written_.Pop().value_or(""), HasSubstr(R"("phase":"Expired")"));
}

// By a clock that is up to a minute ahead, too.
TEST_F(OverrideKeeperTest, ShowsOneOfHalfAnHourAsShort) {
  until_ = "2023-11-14T22:44:00Z";
  Start();
  ASSERT_TRUE(written_.Pop());
  EXPECT_THAT(registry_.Print(), HasSubstr(R"(,type="hold",length="short"} 1700001840)"));
}

TEST_F(OverrideKeeperTest, ShowsALongerOneAsLong) {
  until_ = "2023-11-14T22:44:01Z";
  Start();
  ASSERT_TRUE(written_.Pop());
  EXPECT_THAT(registry_.Print(), HasSubstr(R"(,type="hold",length="long"} 1700001841)"));
}

TEST_F(OverrideKeeperTest, TellsOfADeletion) {
  status_ = R"(,"status":{"phase":"Active","owner":"unknown"})";
  Start();
  clock_.AwaitSleeper();
  events_.Push(R"({"type":"DELETED","object":)" + Hold("") + "}");
  EXPECT_EQ(evaluated_.Pop(), "AutoScalePolicy shop/web");
  EXPECT_TRUE(written_.empty());
}

// The clock stands still: an evaluation that does not come at once never comes.
TEST_F(OverrideKeeperTest, TellsAtOnceOfOneThatIsMadeAndOfItsEarlyEnd) {
  until_ = "2023-11-14T23:13:30Z";
  lists_it_ = false;
  Start();
  clock_.AwaitSleeper();
  const std::string active = R"(,"status":{"phase":"Active","owner":"unknown"})";
  events_.Push(R"({"type":"ADDED","object":)" + Hold(active) + "}");
  EXPECT_EQ(evaluated_.Pop(), "AutoScalePolicy shop/web");
  events_.Push(R"({"type":"MODIFIED","object":)" +
               Hold(active + R"(,"ended":"2023-11-14T23:00:00Z")", "6") + "}");
  EXPECT_EQ(evaluated_.Pop(), "AutoScalePolicy shop/web");
  EXPECT_THAT(written_.Pop().value_or(""),
              HasSubstr(R"("phase":"Expired","message":"ended early, at 2023-11-14T22:13:21Z",)"
                        R"("matched":null,"owner":"unknown","ended":"2023-11-14T22:13:21Z")"));
}

// The answer has the version that the object had: an older definition has no such field.
TEST_F(OverrideKeeperTest, WritesAnOwnerOnceWhereItIsDropped) {
  until_ = "2023-11-14T23:13:30Z";
  status_ = R"(,"status":{"phase":"Active"})";
  Start();
  EXPECT_THAT(written_.Pop().value_or(""), HasSubstr(R"("owner":"unknown")"));
  clock_.AwaitSleeper();
  clock_.Advance(15s);
  clock_.AwaitSleeper();
  EXPECT_TRUE(written_.empty());
  events_.Push(R"({"type":"MODIFIED","object":)" +
               Hold(status_ + R"(,"ended":"2023-11-14T23:00:00Z")", "6") + "}");
  EXPECT_THAT(written_.Pop().value_or(""), HasSubstr(R"("phase":"Expired")"));
}

TEST_F(OverrideKeeperTest, ADeletionOfWhatIsOverChangesNothing) {
  status_ = R"(,"status":{"phase":"Expired"})";
  clock_.Advance(10s);
  support::Channel<bool> handled;
  watches_.overrides.AddHandler([&](const auto&) { handled.Push(true); });  // after the keeper
  Start();
  ASSERT_TRUE(handled.Pop());
  events_.Push(R"({"type":"DELETED","object":)" + Hold(status_) + "}");
  ASSERT_TRUE(handled.Pop());
  EXPECT_TRUE(evaluated_.empty());
}

TEST_F(OverrideKeeperTest, FollowsTheLabelsOfAutoscalers) {
  subject_ = R"("selector":{"kind":"AutoScalePolicy","matchLabels":{"tier":"web"}})";
  until_ = "2023-11-14T23:00:00Z";
  Start();
  EXPECT_THAT(written_.Pop().value_or(""),
              HasSubstr(R"("phase":"Active","message":"without effect: no AutoScalePolicy of this )"
                        R"(namespace has such labels","matched":0)"));
  EXPECT_TRUE(evaluated_.empty());
  policies_.Push(R"({"type":"MODIFIED","object":)" + Policy("web", 6) + "}");
  EXPECT_EQ(evaluated_.Pop(), "AutoScalePolicy shop/web");
  EXPECT_TRUE(written_.empty()) << "its status can wait";
  clock_.AwaitSleeper();
  clock_.Advance(15s);
  EXPECT_THAT(written_.Pop().value_or(""),
              HasSubstr(R"("phase":"Active","message":null,"matched":1)"));
  policies_.Push(R"({"type":"MODIFIED","object":)" + Policy("db", 7) + "}");
  EXPECT_EQ(evaluated_.Pop(), "AutoScalePolicy shop/web") << "it counts no longer";
}

TEST_F(OverrideKeeperTest, WritesAgainWhatWasRefused) {
  refuses_ = true;
  Start();
  EXPECT_EQ(written_.Pop(), "refused");
  EXPECT_EQ(evaluated_.Pop(), "AutoScalePolicy shop/web");
  clock_.Advance(10s);
  EXPECT_EQ(evaluated_.Pop(), "AutoScalePolicy shop/web") << "its end does not wait for that";
  EXPECT_THAT(written_.Pop().value_or(""), HasSubstr(R"("phase":"Expired")"));
}

TEST_F(OverrideKeeperTest, DeletesWhatEndedLongAgo) {
  status_ = R"(,"status":{"phase":"Expired"})";
  clock_.Advance(24h * 30 + 10s);
  Start();
  EXPECT_EQ(written_.Pop(),
            "DELETE /apis/ballast.dev/v1alpha1/namespaces/shop/autoscaleoverrides/hold "
            R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"u"}})");
  EXPECT_TRUE(evaluated_.empty());
}

}  // namespace
}  // namespace ballast::controllers
