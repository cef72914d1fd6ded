#include "operator/sources/custom_metrics.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <string>

#include "tests/support/fake_clock.h"
#include "tests/support/fake_transport.h"
#include "tests/support/test_patience.h"

namespace ballast::sources {
namespace {

// An adapter, and an API group whose discovery hangs.
class CustomMetricsTest : public testing::Test {
 protected:
  using Answer = Result<engine::MetricAnswer>;

  Result<kube::Response> Do(const kube::Request& request) {
    const bool asks_adapter = request.path.find("/namespaces/") != std::string::npos;
    asked_ += asks_adapter ? 1 : 0;
    if (request.path.starts_with("/apis/hung.example.com")) {
      ended_.wait();
    }
    if (request.path.starts_with("/apis/hung.example.com") || (asks_adapter && is_silent_)) {
      return Error{.code = Code::kTimeout, .message = "silence", .unanswered = true};
    }
    return kube::Response{200, R"({"items":[{"value":"1"}]})"};
  }
  Answer OfPods(const std::string& name) {
    api::MetricSpec metric;
    metric.pods = {.metric = {name, {}}};
    return Await(custom_, {metric, "shop", "app=web"}, {pods_});
  }
  static api::MetricSpec OfObject(const std::string& group, const std::string& kind,
                                  const std::string& name = "q") {
    api::MetricSpec metric;
    metric.object = {.described_object = {group + "/v1", kind, name}, .metric = {"depth", {}}};
    return metric;
  }
  void Start(const api::MetricSpec& metric, const std::function<void()>& done) {
    custom_.Start({metric, "shop", ""}, [done](const PodsAnswer&) { done(); });
  }

  const engine::PodList pods_;
  std::promise<void> end_;  // of the time that discovery hangs for
  std::shared_future<void> ended_ = end_.get_future().share();
  bool is_silent_ = false;
  std::atomic<int> asked_ = 0;
  support::FakeClock clock_;
  support::FakeTransport transport_{[this](const kube::Request& request) { return Do(request); }};
  kube::RestMapper mapper_{transport_};
  CustomMetrics custom_{transport_, mapper_, clock_};
};

TEST_F(CustomMetricsTest, SilenceOfDiscoveryIsNotTheAdapters) {
  end_.set_value();
  for (int i = 0; i < 5; ++i) {
    const auto metric = OfObject("hung.example.com", "Queue", "q" + std::to_string(i));
    EXPECT_FALSE(Await(custom_, {metric, "shop", ""}, {pods_}).ok());
  }
  const Answer answer = OfPods("depth");
  EXPECT_TRUE(answer.ok()) << answer.error().message;
}

TEST_F(CustomMetricsTest, SilenceIsNotEndedByWhatCannotBeAskedFor) {
  is_silent_ = true;
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(OfPods("depth-" + std::to_string(i)).ok());
    EXPECT_FALSE(OfPods("a/b" + std::to_string(i)).ok());
  }
  EXPECT_EQ(asked_, 5) << "then the circuit breaker refuses";
}

TEST_F(CustomMetricsTest, AnAdapterThatIsBackIsFoundWhateverCannotBeAskedFor) {
  is_silent_ = true;
  for (int i = 0; i < 40; ++i) {
    EXPECT_FALSE(OfPods("a/b").ok());
    EXPECT_FALSE(OfPods("depth").ok());
    clock_.Advance(std::chrono::seconds(15));
  }
  is_silent_ = false;
  Answer answer = OfPods("depth");
  for (int i = 0; i < 8 && !answer.ok(); ++i) {
    clock_.Advance(std::chrono::seconds(15));
    EXPECT_FALSE(OfPods("a/b").ok());
    answer = OfPods("depth");
  }
  EXPECT_TRUE(answer.ok()) << answer.error().message;
}

TEST_F(CustomMetricsTest, DiscoveryThatHangsHoldsOnlyItsGroup) {
  for (std::size_t i = 0; i < RequestPool::kThreads; ++i) {
    Start(OfObject("hung.example.com", "Queue" + std::to_string(i)), [] {});
  }
  std::promise<void> done;
  Start(OfObject("well.example.com", "Queue"), [&] { done.set_value(); });
  EXPECT_EQ(done.get_future().wait_for(support::Patience()), std::future_status::ready);
  end_.set_value();
}

}  // namespace
}  // namespace ballast::sources
