#include "operator/controllers/autoscaler_freshness.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "operator/controllers/testing/await_list.h"
#include "tests/support/channel.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_transport.h"

namespace ballast::controllers {
namespace {

using namespace std::chrono_literals;

constexpr const char* kNone = "";  // a version that does not exist

// A policy and an HPA of other targets, both with version 10 and with the uid "u".
class AutoscalerFreshnessTest : public testing::Test {
 protected:
  static std::string Object(const std::string& version, const std::string& uid = "u") {
    return R"({"metadata":{"name":"web","namespace":"shop","uid":")" + uid +
           R"(","resourceVersion":")" + version +
           R"("},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment",)"
           R"("name":"web"},"maxReplicas":9}})";
  }
  Result<kube::Response> Do(const kube::Request& request) {
    if (request.path.ends_with("/pods") || request.path.ends_with("/events") ||
        request.path.ends_with("/autoscaleoverrides")) {
      return kube::Response{200, R"({"metadata":{"resourceVersion":"5"},"items":[]})"};
    }
    if (refused_) {
      return Error{Code::kForbidden, "no"};
    }
    return kube::Response{
        200, R"({"metadata":{"resourceVersion":"10"},"items":[)" + Object("10") + "]}"};
  }
  Status Stream(const kube::Request& request, const kube::LineSink& sink,
                const std::stop_token& stop) {
    return request.path.ends_with("/autoscalepolicies")
               ? support::PushedStream(events_, request, sink, stop)
               : support::SilentStream(request, sink, stop);
  }

  void SetUp() override {
    watches_.Start();
    ASSERT_TRUE(watches_.policies.WaitForSync(1min));
    ASSERT_TRUE(watches_.hpas.WaitForSync(1min));
    ASSERT_TRUE(watches_.overrides.WaitForSync(1min));
    AwaitList(watches_.policies);
    AwaitList(watches_.hpas);
    AwaitList(watches_.overrides);
    clock_.Advance(1s);
  }
  // The API server answers a write for the policy: it has that version now.
  void Answer(const std::string& version, bool written = false) {
    freshness_.Answered(
        kPolicy, "u",
        {written, version == kNone ? Result<std::string>(Error{Code::kNotFound, "not found"})
                                   : Result<std::string>(version)});
  }
  bool IsCurrent(const api::ObjectReference& key) {
    return freshness_.WhyOutOfDate(*watches_.Find(key)).empty();
  }
  void Push(const std::string& object) {
    const auto before = watches_.Find(kPolicy);
    events_.Push(R"({"type":"MODIFIED","object":)" + object + "}");
    // What was heard is shown before the time at which it was.
    while (watches_.Find(kPolicy) == before ||
           watches_.policies.LastHeard("shop") != clock_.Steady()) {
      std::this_thread::yield();
    }
  }
  template <typename Watch>
  void AwaitList(const Watch& watch) {
    controllers::AwaitList(watch, clock_.Steady());
  }

  const api::ObjectReference kPolicy{api::kPolicyKind, "shop", "web"};
  const api::ObjectReference kHpa{api::kHpaKind, "shop", "web"};
  std::atomic<bool> refused_ = false;  // lists of policies and HPAs are
  support::Channel<std::string> events_;
  support::FakeClock clock_;
  support::FakeTransport transport_{
      [this](const kube::Request& request) { return Do(request); },
      [this](const kube::Request& request, const kube::LineSink& sink,
             const std::stop_token& stop) { return Stream(request, sink, stop); }};
  cluster::Watches watches_{transport_, clock_, {}};
  AutoscalerFreshness freshness_{watches_, clock_, Duration::Seconds(120)};
};

TEST_F(AutoscalerFreshnessTest, AreCurrentUntilAnAnswerSaysOtherwise) {
  const struct {
    const char* name;
    session::StatusAnswer answer;
    bool current;
  } kCases[] = {
      {"written", {true, std::string("12")}, true},
      {"the version that the watch has", {false, std::string("10")}, true},
      {"an older one, of a cluster that was restored", {false, std::string("3")}, true},
      {"a newer one", {false, std::string("12")}, false},
      {"gone", {false, Error{Code::kNotFound, "not found"}}, false},
      {"no answer", {false, Error{Code::kUnavailable, "no"}}, true},
  };
  for (const auto& c : kCases) {
    freshness_.Answered(kPolicy, "u", c.answer);
    EXPECT_EQ(IsCurrent(kPolicy), c.current) << c.name;
    EXPECT_TRUE(IsCurrent(kHpa)) << c.name;
    freshness_.Forget(kPolicy);
    EXPECT_TRUE(IsCurrent(kPolicy)) << c.name;
  }
}

TEST_F(AutoscalerFreshnessTest, AreCurrentAsSoonAsTheWatchHasTheNews) {
  Answer("12");
  EXPECT_FALSE(IsCurrent(kPolicy));
  Push(Object("11"));
  EXPECT_FALSE(IsCurrent(kPolicy));
  Push(Object("12"));
  EXPECT_TRUE(IsCurrent(kPolicy));
  Answer(kNone);
  EXPECT_FALSE(IsCurrent(kPolicy));
  Push(Object("13", "created again"));
  EXPECT_TRUE(IsCurrent(kPolicy));
}

TEST_F(AutoscalerFreshnessTest, AreListedAgainIfTheWatchHasNoNews) {
  for (const char* version : {kNone, "12"}) {
    clock_.Advance(runtime::Reflector::kRereadPeriod);
    Answer(version);
    clock_.Advance(10s - 1ns);
    EXPECT_FALSE(IsCurrent(kPolicy)) << version;
    clock_.Advance(1ns);
    EXPECT_FALSE(IsCurrent(kPolicy)) << version;
    AwaitList(watches_.policies);
    EXPECT_TRUE(IsCurrent(kPolicy)) << version;
  }
}

// Connections may be cut before each bookmark.
TEST_F(AutoscalerFreshnessTest, AreListedBeforeTheSilenceIsTooLong) {
  clock_.Advance(89s);
  for (int i = 0; i < 3; ++i) {
    clock_.Advance(1s);
    EXPECT_TRUE(IsCurrent(kPolicy));
    AwaitList(watches_.hpas);
    AwaitList(watches_.overrides);
    AwaitList(watches_.policies);
    clock_.Advance(90s);
    EXPECT_TRUE(IsCurrent(kPolicy));
  }
}

TEST_F(AutoscalerFreshnessTest, AreNotCurrentWhileAWatchOnWhichTheyDependIsSilent) {
  clock_.Advance(89s);
  EXPECT_TRUE(IsCurrent(kPolicy));
  Push(Object("11"));
  refused_ = true;
  clock_.Advance(31s);
  EXPECT_FALSE(IsCurrent(kPolicy)) << "the watch of HPAs is, to which a policy yields";
  EXPECT_FALSE(IsCurrent(kHpa));
  AwaitList(watches_.overrides);
  const auto wait = clock_.AwaitSleeper();  // the list that was asked for is refused
  refused_ = false;
  clock_.Advance(wait);
  AwaitList(watches_.hpas);
  EXPECT_TRUE(IsCurrent(kHpa));
  EXPECT_TRUE(IsCurrent(kPolicy));
  refused_ = true;
  clock_.Advance(89s - wait + 1ns);
  EXPECT_TRUE(IsCurrent(kHpa));
  EXPECT_FALSE(IsCurrent(kPolicy)) << "its own watch is";
}

}  // namespace
}  // namespace ballast::controllers
