#include "operator/sources/circuit_breaker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/fake_clock.h"

namespace ballast::sources {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

using Permit = CircuitBreaker::Permit;

class CircuitBreakerTest : public testing::Test {
 protected:
  // So many requests that may be sent, each ending like this.
  void Send(int count, const std::optional<Error>& error, const std::string& namespace_ = "shop") {
    for (int i = 0; i < count; ++i) {
      const Result<Permit> permit = breaker_.Admit(namespace_, kKey);
      ASSERT_TRUE(permit.ok()) << i << ": " << permit.error().message;
      breaker_.Record(namespace_, *permit, clock_.Steady(), error);
    }
  }
  // As what a request of the namespace would be sent; nullopt: it would not.
  std::optional<Permit> PermitOf(const std::string& namespace_, const std::string& key = kKey) {
    const Result<Permit> permit = breaker_.Admit(namespace_, key);
    return permit.ok() ? std::optional(*permit) : std::nullopt;
  }
  bool Refuses(const std::string& namespace_ = "shop") {
    return breaker_.Refusal(namespace_, kKey).has_value();
  }
  // Each of so many namespaces loses an answer.
  void LoseNamespaces(int count) {
    for (int i = 0; i < count; ++i) {
      Send(1, kSilent, "lost-" + std::to_string(i));
    }
  }

  static constexpr const char* kKey = "queue";  // of a request
  const Error kSilent{
      .code = Code::kTimeout, .message = "no answer within 10s", .unanswered = true};
  support::FakeClock clock_;
  CircuitBreaker breaker_{"external.metrics.k8s.io", clock_};
};

TEST_F(CircuitBreakerTest, LeavesANamespaceAloneAfterFiveRequestsWithoutAnAnswer) {
  Send(5, kSilent);
  const std::string message =
      "not asked, because external.metrics.k8s.io has not answered namespace shop since "
      "2023-11-14T22:13:20Z (no answer within 10s)";
  const Result<Permit> refused = breaker_.Admit("shop", kKey);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::kUnavailable);
  EXPECT_EQ(refused.error().message, message);
  EXPECT_EQ(breaker_.LeftAlone(), 1U);
  EXPECT_EQ(breaker_.OpenFor(), 0s) << "others are not";
  clock_.Advance(1s);
  EXPECT_FALSE(Refuses()) << "which asks for no probe";
  ASSERT_EQ(PermitOf("shop"), Permit::kProbe);
  EXPECT_EQ(breaker_.Refusal("shop", kKey)->message, message) << "the same while one is tried";
  breaker_.Record(
      "shop", Permit::kProbe, clock_.Steady(),
      Error{.code = Code::kUnavailable, .message = "cannot connect", .unanswered = true});
  EXPECT_EQ(breaker_.Refusal("shop", kKey)->message, message) << "and after that";
}

TEST_F(CircuitBreakerTest, AConnectionThatIsRefusedIsNoAnswer) {
  Send(5, Error{.code = Code::kUnavailable, .message = "cannot connect", .unanswered = true});
  EXPECT_TRUE(Refuses());
}

TEST_F(CircuitBreakerTest, AnAnswerIsOneEvenIfItIsAnError) {
  Send(4, kSilent);
  Send(1, Error{Code::kUnavailable, "500"});
  Send(4, kSilent);
  Send(1, Error{Code::kTimeout, "HTTP 504: it took too long"});
  Send(4, kSilent);
  Send(1, std::nullopt);
  Send(4, kSilent);
  EXPECT_FALSE(Refuses());
  Send(100, Error{Code::kUnavailable, "500"});
  EXPECT_EQ(breaker_.LeftAlone(), 0U);
}

// Some metrics of a namespace hang, while others are answered.
TEST_F(CircuitBreakerTest, WhatWasSentBeforeAnAnswerIsNotLostInARow) {
  const process::SteadyTime sent = clock_.Steady();
  clock_.Advance(200ms);
  Send(1, std::nullopt);
  clock_.Advance(10s);
  for (int i = 0; i < 8; ++i) {
    breaker_.Record("shop", Permit::kUsual, sent, kSilent);
  }
  EXPECT_FALSE(Refuses());
  Send(5, kSilent);
  EXPECT_TRUE(Refuses());
}

TEST_F(CircuitBreakerTest, WhoHasWaitedLongestProbesForAllNext) {
  LoseNamespaces(5);
  clock_.Advance(5s);
  ASSERT_EQ(PermitOf("lost-1"), Permit::kProbeForAll);
  breaker_.Record("lost-1", Permit::kProbeForAll, clock_.Steady(), kSilent);
  clock_.Advance(5s);
  EXPECT_FALSE(PermitOf("lost-1")) << "others have not probed yet";
  ASSERT_EQ(PermitOf("lost-3"), Permit::kProbeForAll);
  breaker_.Record("lost-3", Permit::kProbeForAll, clock_.Steady(), kSilent);
  clock_.Advance(61s);
  EXPECT_EQ(PermitOf("lost-1"), Permit::kProbeForAll) << "the others do not ask any more";
}

TEST_F(CircuitBreakerTest, SendsOneProbeAfterWaitsThatDouble) {
  Send(5, kSilent);
  for (const auto wait : {1s, 2s, 4s, 8s, 16s, 30s, 30s}) {
    clock_.Advance(wait - 1ns);
    EXPECT_TRUE(Refuses()) << wait.count();
    clock_.Advance(1ns);
    EXPECT_EQ(PermitOf("shop"), Permit::kProbe) << wait.count();
    EXPECT_TRUE(Refuses()) << "one at a time";
    breaker_.Record("shop", Permit::kProbe, clock_.Steady(), kSilent);
  }
  clock_.Advance(30s);
  Send(1, std::nullopt);
  Send(4, kSilent);
  EXPECT_FALSE(Refuses());
}

// Whichever of its policies is evaluated first.
TEST_F(CircuitBreakerTest, TheRequestsOfANamespaceTakeTurnsInProbing) {
  Send(5, kSilent);
  std::vector<std::string> probed;
  for (int period = 0; period < 9; ++period) {
    clock_.Advance(15s);
    for (const std::string key : {"a", "b", "c"}) {
      if (PermitOf("shop", key)) {
        probed.push_back(key);
        breaker_.Record("shop", Permit::kProbe, clock_.Steady(), kSilent);
      }
    }
  }
  EXPECT_THAT(probed, ElementsAre("a", "b", "c", "a", "b", "c"));
  clock_.Advance(30s);
  EXPECT_FALSE(PermitOf("shop", "c"));
  clock_.Advance(30s);
  EXPECT_TRUE(PermitOf("shop", "c")) << "the others do not ask any more";
}

TEST_F(CircuitBreakerTest, TheRequestsOfANamespaceTakeTurnsInProbingForAll) {
  LoseNamespaces(5);
  std::vector<std::string> probed;
  for (int period = 0; period < 20; ++period) {
    clock_.Advance(15s);
    for (const std::string namespace_ : {"lost-0", "lost-1", "lost-2", "lost-3", "lost-4"}) {
      for (const std::string key : {"a", "b"}) {
        if (PermitOf(namespace_, key)) {
          probed.push_back(namespace_ + "/" + key);
          breaker_.Record(namespace_, Permit::kProbeForAll, clock_.Steady(), kSilent);
        }
      }
    }
  }
  ASSERT_GE(probed.size(), 10U);
  probed.resize(10);
  EXPECT_THAT(probed, ElementsAre("lost-0/a", "lost-1/a", "lost-2/a", "lost-3/a", "lost-4/a",
                                  "lost-0/b", "lost-1/b", "lost-2/b", "lost-3/b", "lost-4/b"));
}

// As for an object of a kind that is not known.
TEST_F(CircuitBreakerTest, WhatCannotBeMadeKeepsNoneFromProbing) {
  LoseNamespaces(5);
  std::vector<std::string> probed;
  for (int period = 0; period < 40; ++period) {
    clock_.Advance(15s);
    for (const std::string namespace_ : {"lost-0", "lost-1"}) {
      if (!breaker_.Refusal(namespace_, "bad")) {
        breaker_.Skip(namespace_, "bad");
      }
      if (!breaker_.Refusal(namespace_, "good") && PermitOf(namespace_, "good")) {
        probed.push_back(namespace_);
        breaker_.Record(namespace_, Permit::kProbeForAll, clock_.Steady(), kSilent);
      }
    }
  }
  EXPECT_GE(std::ranges::count(probed, "lost-0"), 5);
  EXPECT_GE(std::ranges::count(probed, "lost-1"), 5);
}

// Four more were under way when the fifth came back.
TEST_F(CircuitBreakerTest, RequestsSentBeforeItOpenedDoNotProlongIt) {
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(PermitOf("shop"), Permit::kUsual);
  }
  for (int i = 0; i < 9; ++i) {
    breaker_.Record("shop", Permit::kUsual, clock_.Steady(), kSilent);
  }
  EXPECT_TRUE(Refuses());
  clock_.Advance(1s);
  EXPECT_FALSE(Refuses());
}

// However many of them there are, and however often they ask between two requests of another.
TEST_F(CircuitBreakerTest, NamespacesWithoutAnswersDoNotKeepAnotherFromAsking) {
  for (int period = 0; period < 100; ++period) {
    for (int i = 0; i < 10; ++i) {
      const std::string hung = "hung-" + std::to_string(i);
      for (int request = 0; request < 8; ++request) {
        if (const auto permit = PermitOf(hung)) {
          breaker_.Record(hung, *permit, clock_.Steady(), kSilent);
        }
      }
    }
    clock_.Advance(5s);
    for (int request = 0; request < 3; ++request) {
      const auto permit = PermitOf("shop");
      ASSERT_TRUE(permit) << period;
      EXPECT_TRUE(permit == Permit::kUsual || period == 0) << "nobody else is new";
      breaker_.Record("shop", *permit, clock_.Steady(), std::nullopt);
    }
    clock_.Advance(10s);
  }
}

TEST_F(CircuitBreakerTest, AnApiThatAnswersNobodyIsLeftAloneByAll) {
  LoseNamespaces(4);
  EXPECT_EQ(PermitOf("new"), Permit::kUsual);
  breaker_.Record("new", Permit::kUsual, clock_.Steady(), kSilent);
  EXPECT_EQ(breaker_.OpenFor(), 1s);
  EXPECT_EQ(breaker_.Refusal("lost-0", kKey)->message,
            "not asked, because external.metrics.k8s.io has not answered since "
            "2023-11-14T22:13:20Z (no answer within 10s)");
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(PermitOf("shop-" + std::to_string(i)), Permit::kTrial);
  }
  EXPECT_TRUE(Refuses("shop-4")) << "four at a time";
  breaker_.Record("shop-0", Permit::kTrial, clock_.Steady(), kSilent);
  EXPECT_TRUE(Refuses("shop-0")) << "it has been tried";
  EXPECT_EQ(PermitOf("shop-4"), Permit::kTrial);
  clock_.Advance(1s);
  EXPECT_EQ(PermitOf("lost-0"), Permit::kProbeForAll);
  EXPECT_TRUE(Refuses("lost-1")) << "one for all";
  breaker_.Record("lost-0", Permit::kProbeForAll, clock_.Steady(), kSilent);
  EXPECT_EQ(breaker_.OpenFor(), 2s);
}

TEST_F(CircuitBreakerTest, AnAnswerToOneLetsAllTryAgain) {
  Send(5, kSilent, "hung");
  LoseNamespaces(4);
  ASSERT_GT(breaker_.OpenFor(), 0s);
  Send(1, std::nullopt, "shop");
  EXPECT_EQ(breaker_.OpenFor(), 0s);
  EXPECT_EQ(PermitOf("lost-0"), Permit::kUsual);
  EXPECT_EQ(PermitOf("hung"), Permit::kProbe);
  EXPECT_TRUE(Refuses("hung"));
}

// They may be gone.
TEST_F(CircuitBreakerTest, ForgetsNamespacesThatDoNotAskAnyMore) {
  Send(5, kSilent, "gone");
  Send(5, kSilent, "hung");
  for (int minute = 0; minute < 11; ++minute) {
    EXPECT_EQ(breaker_.LeftAlone(), 2U);
    clock_.Advance(1min);
    Send(1, kSilent, "hung");
  }
  EXPECT_EQ(breaker_.LeftAlone(), 1U);
}

}  // namespace
}  // namespace ballast::sources
