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

  static std::string Hold(const std::string& more) {
    return R"({"metadata":{"name":"hold","namespace":"shop","uid":"u","resourceVersion":"3",)"
           R"("creationTimestamp":"2023-11-14T22:13:00Z"},"spec":{"target":{)"
           R"("kind":"AutoScalePolicy","name":"web"},"until":"2023-11-14T22:13:30Z",)"
           R"("reason":"sale","hold":"All"})" +
           more + "}";
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
    return kube::Response{200, R"({"metadata":{"resourceVersion":"5"},"items":[)" +
                                   (overrides ? Hold(status_) : std::string()) + "]}"};
  }
  // The watch of overrides delivers what the test pushes.
  Status Stream(const kube::Request& request, const kube::LineSink& sink,
                const std::stop_token& stop) {
    return request.path.ends_with("/autoscaleoverrides")
               ? support::PushedStream(events_, request, sink, stop)
               : support::SilentStream(request, sink, stop);
  }
  void Start() {
    watches_.Start();
    ASSERT_TRUE(watches_.overrides.WaitForSync(10s));
    keeper_.Start();
  }

  std::string status_;
  std::atomic<bool> refuses_ = false;
  support::Channel<std::string> events_;
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
  EXPECT_EQ(written_.Pop(), path + R"({"metadata":{"uid":"u","resourceVersion":"3"},)"
                                   R"("status":{"phase":"Active","message":null}})");
  EXPECT_THAT(registry_.Print(),
              HasSubstr("ballast_override_active{kind=\"AutoScalePolicy\",type=\"hold\"} 1\n"));
  EXPECT_THAT(registry_.Print(),
              HasSubstr("ballast_override_expires_timestamp_seconds{kind=\"AutoScalePolicy\","
                        "type=\"hold\"} "));
  events_.Push(R"({"type":"MODIFIED","object":)" + Hold(R"(,"status":{"phase":"Active"})") + "}");
  clock_.Advance(10s);
  EXPECT_EQ(evaluated_.Pop(), "AutoScalePolicy shop/web") << "at its end";
  EXPECT_THAT(written_.Pop().value_or(""), HasSubstr(R"("phase":"Expired")"));
}

TEST_F(OverrideKeeperTest, TellsOfADeletion) {
  status_ = R"(,"status":{"phase":"Active"})";
  Start();
  clock_.AwaitSleeper();
  events_.Push(R"({"type":"DELETED","object":)" + Hold("") + "}");
  EXPECT_EQ(evaluated_.Pop(), "AutoScalePolicy shop/web");
  EXPECT_TRUE(written_.empty());
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
