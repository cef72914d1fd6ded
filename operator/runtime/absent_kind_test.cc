// A kind that the server need not serve: while it does not, there are no objects, and nothing is
// logged again and again.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>

#include "operator/runtime/informer.h"
#include "tests/support/channel.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_transport.h"

namespace ballast::runtime {
namespace {

using namespace std::chrono_literals;

class AbsentKindTest : public testing::Test {
 protected:
  ~AbsentKindTest() override { informer_.Stop(); }

  Result<kube::Response> List(const kube::Request& request) {
    if (request.path == "/apis/things.dev/v1") {
      if (throws_) {
        throw std::runtime_error("a defect");
      }
      return discovery_;
    }
    lists_.Push(true);
    if (!served_) {
      return refusal_;
    }
    return kube::Response{200, R"({"metadata":{"resourceVersion":"5"},"items":[{"metadata":{)"
                               R"("namespace":"n","name":"a","uid":"u","resourceVersion":"1"}}]})"};
  }
  // Also refuses the stream with 404, as a server does.
  Status Watch(const kube::Request& request, const kube::LineSink& sink,
               const std::stop_token& stop) {
    if (!served_) {
      return refusal_;
    }
    TRY(support::RefuseStream(request));
    if (ends_) {  // the definition was deleted
      served_ = false;
      return Error{Code::kNotFound, "404 page not found"};
    }
    return support::SilentStream(request, sink, stop);
  }

  Error refusal_{Code::kNotFound, "404 page not found"};
  Result<kube::Response> discovery_ = Error{Code::kUnavailable, "down"};
  bool throws_ = false;
  std::atomic<bool> served_ = false;
  std::atomic<bool> ends_ = false;
  support::Channel<bool> lists_;
  support::Channel<std::string> changes_;
  support::FakeClock clock_;
  support::FakeTransport transport_{
      [this](const kube::Request& request) { return List(request); },
      [this](const kube::Request& request, const kube::LineSink& sink,
             const std::stop_token& stop) { return Watch(request, sink, stop); }};
  WatchSource source_{.resource = {.group = "things.dev", .version = "v1", .plural = "things"},
                      .may_be_absent = true};
  ObjectReader<int> read_ = ByCursor<int>([](const json::Cursor&) { return 1; });
  Informer<int> informer_{transport_, clock_, source_, read_};
};

TEST_F(AbsentKindTest, CountsAsNoObjectsUntilItIsServed) {
  informer_.AddHandler([this](const auto& change) { changes_.Push(change.key.name); });
  informer_.Start();
  ASSERT_TRUE(informer_.WaitForSync(10s));
  EXPECT_EQ(informer_.cache().size(), 0U);
  EXPECT_TRUE(informer_.LastHeard());
  for (int i = 0; i < 3; ++i) {
    EXPECT_GE(clock_.AwaitSleeper(), kAbsentPeriod) << "no hot loop";
    ASSERT_TRUE(lists_.Pop());
    EXPECT_EQ(informer_.DebugState().state, "not served");
    clock_.Advance(clock_.AwaitSleeper());
  }
  clock_.AwaitSleeper();
  served_ = true;
  clock_.Advance(clock_.AwaitSleeper());
  EXPECT_EQ(changes_.Pop(), "a");
}

// API servers ask for the right first, and then whether there is such a kind.
TEST_F(AbsentKindTest, IsAbsentForWhoMayNotReadItToo) {
  const struct {
    const char* name;
    Result<kube::Response> discovery;
    const char* state;
  } kCases[] = {
      {"the group has other kinds",
       kube::Response{200, R"({"resources":[{"name":"others"},{"name":"things/status"}]})"},
       "not served"},
      {"there is no such group", Error{Code::kNotFound, "404 page not found"}, "not served"},
      {"it is served", kube::Response{200, R"({"resources":[{"name":"things"}]})"}, "backing off"},
      {"nobody can tell", Error{Code::kUnavailable, "down"}, "backing off"},
      {"nor can this", kube::Response{200, "{}"}, "backing off"},
  };
  for (const auto& c : kCases) {
    refusal_ = {Code::kForbidden, "cannot list things"};
    discovery_ = c.discovery;
    Informer<int> informer(transport_, clock_, source_, read_);
    informer.Start();
    clock_.AwaitSleeper();
    EXPECT_EQ(informer.DebugState().state, c.state) << c.name;
    EXPECT_EQ(informer.HasSynced(), c.state == std::string("not served")) << c.name;
    informer.Stop();
  }
  throws_ = true;
  Informer<int> informer(transport_, clock_, source_, read_);
  informer.Start();
  clock_.AwaitSleeper();
  EXPECT_EQ(informer.DebugState().state, "backing off") << "a defect ends the call alone";
  informer.Stop();
}

TEST_F(AbsentKindTest, IsLookedForAtOnceIfAnAnswerIsWaitedFor) {
  informer_.Start();
  ASSERT_TRUE(informer_.WaitForSync(10s));
  ASSERT_TRUE(lists_.Pop());
  clock_.AwaitSleeper();
  clock_.Advance(1s);
  const process::SteadyTime since = clock_.Steady();
  informer_.ReadAnew();
  EXPECT_TRUE(informer_.WaitForSync(10s, since)) << "half a minute early";
  EXPECT_TRUE(lists_.Pop());
}

TEST_F(AbsentKindTest, ForgetsTheObjectsWhenItIsNoLongerServed) {
  served_ = true;
  ends_ = true;
  informer_.AddHandler([this](const auto& change) {
    changes_.Push((change.after == nullptr ? "deleted " : "added ") + change.key.name);
  });
  informer_.Start();
  EXPECT_EQ(changes_.Pop(), "added a");
  clock_.Advance(clock_.AwaitSleeper());
  ASSERT_TRUE(lists_.Pop());
  ASSERT_TRUE(lists_.Pop());  // that which finds it absent
  const auto wait = clock_.AwaitSleeper();
  EXPECT_GE(wait, kAbsentPeriod);
  EXPECT_EQ(informer_.cache().size(), 1U) << "one 404 may be a proxy's";
  clock_.Advance(wait);
  EXPECT_EQ(changes_.Pop(), "deleted a");
  EXPECT_EQ(informer_.cache().size(), 0U);
}

}  // namespace
}  // namespace ballast::runtime
