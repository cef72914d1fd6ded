#include "operator/sources/pod_metrics.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/channel.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_transport.h"

namespace ballast::sources {
namespace {

using namespace std::chrono_literals;

kube::Response Metrics(const std::string& pod) {
  return {200, R"({"metadata":{},"items":[{"metadata":{"name":")" + pod +
                   R"("},"timestamp":"2026-01-01T00:00:00Z","window":"30s","containers":[]}]})"};
}

class PodMetricsTest : public testing::Test {
 protected:
  Result<kube::Response> Do(const kube::Request& request) {
    ++requests_;
    return answer_(request.path);
  }

  std::atomic<int> requests_ = 0;
  std::function<Result<kube::Response>(const std::string& path)> answer_ = [](const std::string&) {
    return Metrics("web-0");
  };
  support::FakeClock clock_;
  support::FakeTransport transport_{[this](const kube::Request& request) { return Do(request); }};
  kube::Client client_{transport_};
  PodMetricsReader reader_{client_, clock_};
};

TEST_F(PodMetricsTest, AnAnswerIsSharedForASecond) {
  const auto first = reader_.Read("shop");
  ASSERT_TRUE(first.ok());
  EXPECT_EQ((*first)->at("web-0")->name, "web-0");
  clock_.Advance(1s - 1ns);
  EXPECT_EQ(*reader_.Read("shop"), *first);
  EXPECT_EQ(requests_, 1);
  clock_.Advance(1ns);
  EXPECT_TRUE(reader_.Read("shop").ok());
  EXPECT_EQ(requests_, 2);
}

TEST_F(PodMetricsTest, AnApiThatHangsIsWaitedForOnce) {
  answer_ = [this](const std::string&) -> Result<kube::Response> {
    clock_.Advance(30s);
    return Error{Code::kTimeout, "no answer"};
  };
  const runtime::SteadyTime began = clock_.Steady();
  for (int policy = 0; policy < 20; ++policy) {
    EXPECT_EQ(reader_.Read("shop").error().code, Code::kTimeout);
  }
  EXPECT_EQ(clock_.Steady() - began, 30s);
  clock_.Advance(1s);
  answer_ = [](const std::string&) { return Metrics("web-0"); };
  EXPECT_TRUE(reader_.Read("shop").ok()) << "a failure is not kept for longer than an answer";
}

// Later callers wait for the request that is under way; those of other namespaces do not.
TEST_F(PodMetricsTest, ARequestUnderWayIsShared) {
  support::Channel<std::string> asked;
  support::Channel<bool> go_on;
  answer_ = [&](const std::string& path) -> Result<kube::Response> {
    if (path.find("/shop/") != std::string::npos) {
      asked.Push(path);
      go_on.Pop();
    }
    return Metrics("web-0");
  };
  std::vector<std::jthread> policies;
  for (int i = 0; i < 5; ++i) {
    policies.emplace_back([&] { EXPECT_TRUE(reader_.Read("shop").ok()); });
  }
  EXPECT_TRUE(asked.Pop());
  EXPECT_TRUE(reader_.Read("other").ok());
  go_on.Push(true);
  policies.clear();
  EXPECT_EQ(requests_, 2);
}

TEST_F(PodMetricsTest, NothingIsKeptOfNamespacesThatNobodyAsksFor) {
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(reader_.Read("preview-" + std::to_string(i)).ok());
    clock_.Advance(100ms);
  }
  EXPECT_LE(reader_.size(), 11U);
}

}  // namespace
}  // namespace ballast::sources
