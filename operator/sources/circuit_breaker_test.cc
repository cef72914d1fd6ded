#include "operator/sources/circuit_breaker.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/fake_clock.h"

namespace ballast::sources {
namespace {

using namespace std::chrono_literals;

class CircuitBreakerTest : public testing::Test {
 protected:
  // So many requests that may be sent, each ending like this.
  void Send(int count, const std::optional<Error>& error) {
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(breaker_.Admit().ok()) << i;
      breaker_.Record(error);
    }
  }

  const Error kSilent{
      .code = Code::kTimeout, .message = "no answer within 10s", .unanswered = true};
  support::FakeClock clock_;
  CircuitBreaker breaker_{"external.metrics.k8s.io", clock_};
};

TEST_F(CircuitBreakerTest, OpensAfterFiveRequestsWithoutAnAnswer) {
  Send(5, kSilent);
  const Status refused = breaker_.Admit();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::kUnavailable);
  EXPECT_EQ(breaker_.OpenFor(), 1s);
  const std::string message =
      "not asked, because external.metrics.k8s.io has not answered since 2023-11-14T22:13:20Z (no "
      "answer within 10s)";
  EXPECT_EQ(refused.error().message, message);
  clock_.Advance(1s);
  ASSERT_TRUE(breaker_.Admit().ok());
  EXPECT_EQ(breaker_.Admit().error().message, message) << "the same while one is tried";
  breaker_.Record(
      Error{.code = Code::kUnavailable, .message = "cannot connect", .unanswered = true});
  EXPECT_EQ(breaker_.Admit().error().message, message) << "and after that";
}

TEST_F(CircuitBreakerTest, AConnectionThatIsRefusedIsNoAnswer) {
  Send(5, Error{.code = Code::kUnavailable, .message = "cannot connect", .unanswered = true});
  EXPECT_FALSE(breaker_.Admit().ok());
}

TEST_F(CircuitBreakerTest, AnAnswerIsOneEvenIfItIsAnError) {
  Send(4, kSilent);
  Send(1, Error{Code::kUnavailable, "500"});
  Send(4, kSilent);
  Send(1, Error{Code::kTimeout, "HTTP 504: it took too long"});
  Send(4, kSilent);
  Send(1, std::nullopt);
  Send(4, kSilent);
  EXPECT_TRUE(breaker_.Admit().ok());
  Send(100, Error{Code::kUnavailable, "500"});
  EXPECT_EQ(breaker_.OpenFor(), 0s);
}

TEST_F(CircuitBreakerTest, SendsOneProbeAfterWaitsThatDouble) {
  Send(5, kSilent);
  for (const auto wait : {1s, 2s, 4s, 8s, 16s, 30s, 30s}) {
    clock_.Advance(wait - 1ns);
    EXPECT_FALSE(breaker_.Admit().ok()) << wait.count();
    clock_.Advance(1ns);
    EXPECT_TRUE(breaker_.Admit().ok()) << wait.count();
    EXPECT_FALSE(breaker_.Admit().ok()) << "one at a time";
    breaker_.Record(kSilent);
  }
  clock_.Advance(30s);
  Send(1, std::nullopt);
  Send(4, kSilent);
  EXPECT_TRUE(breaker_.Admit().ok());
}

// Four more were under way when the fifth came back.
TEST_F(CircuitBreakerTest, RequestsSentBeforeItOpenedDoNotProlongIt) {
  for (int i = 0; i < 9; ++i) {
    EXPECT_TRUE(breaker_.Admit().ok());
  }
  for (int i = 0; i < 9; ++i) {
    breaker_.Record(kSilent);
  }
  EXPECT_EQ(breaker_.OpenFor(), 1s);
}

}  // namespace
}  // namespace ballast::sources
