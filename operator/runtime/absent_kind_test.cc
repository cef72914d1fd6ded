// A kind that the server need not serve: while it does not, there are no objects, and nothing is
// logged again and again.
#include <gtest/gtest.h>

#include <atomic>
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

  Result<kube::Response> List(const kube::Request&) {
    lists_.Push(true);
    if (!served_) {
      return Error{Code::kNotFound, "404 page not found"};
    }
    return kube::Response{200, R"({"metadata":{"resourceVersion":"5"},"items":[{"metadata":{)"
                               R"("namespace":"n","name":"a","uid":"u","resourceVersion":"1"}}]})"};
  }
  // Also refuses the stream with 404, as a server does.
  Status Watch(const kube::Request& request, const kube::LineSink& sink,
               const std::stop_token& stop) {
    if (!served_) {
      return Error{Code::kNotFound, "404 page not found"};
    }
    TRY(support::RefuseStream(request));
    if (ends_) {  // the definition was deleted
      served_ = false;
      return Error{Code::kNotFound, "404 page not found"};
    }
    return support::SilentStream(request, sink, stop);
  }

  std::atomic<bool> served_ = false;
  std::atomic<bool> ends_ = false;
  support::Channel<bool> lists_;
  support::Channel<std::string> changes_;
  support::FakeClock clock_;
  support::FakeTransport transport_{
      [this](const kube::Request& request) { return List(request); },
      [this](const kube::Request& request, const kube::LineSink& sink,
             const std::stop_token& stop) { return Watch(request, sink, stop); }};
  Informer<int> informer_{
      transport_,
      clock_,
      {.resource = {.group = "", .version = "v1", .plural = "things"}, .may_be_absent = true},
      ByCursor<int>([](const json::Cursor&) { return 1; })};
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
