#include "operator/sources/shared_answers.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>

#include "tests/support/channel.h"
#include "tests/support/fake_clock.h"

namespace ballast::sources {
namespace {

using namespace std::chrono_literals;

class SharedAnswersTest : public testing::Test {
 protected:
  using Answer = Result<int>;

  // A request that is answered by `answers_`.
  auto Slow() {
    return [this]() -> Answer {
      asked_.Push(true);
      return *answers_in_.Pop();
    };
  }
  auto Ready() {
    return [this] { ready_.Push(true); };
  }

  // Until no more than so many threads have anything of a request: one tells before it is done.
  static void AwaitRest(const SharedAnswers<int>& answers, std::size_t in_work = 0) {
    while (answers.DebugState().in_work > in_work) {
      std::this_thread::yield();
    }
  }

  support::FakeClock clock_;
  support::Channel<bool> asked_;
  support::Channel<int> answers_in_;
  support::Channel<bool> ready_;
  SharedAnswers<int> answers_{"an API", clock_};
};

TEST_F(SharedAnswersTest, WhoeverPreparesIsToldWhenTheAnswerIsThere) {
  EXPECT_FALSE(answers_.Prepare("a", {1s}, Slow(), Ready(), "shop"));
  EXPECT_TRUE(asked_.Pop());
  EXPECT_FALSE(answers_.Prepare("a", {1s}, Slow(), Ready(), "shop")) << "shares the request";
  EXPECT_TRUE(ready_.empty());
  answers_in_.Push(7);
  EXPECT_TRUE(ready_.Pop());
  EXPECT_TRUE(ready_.Pop());
  EXPECT_TRUE(answers_.Prepare("a", {1s}, Slow(), Ready(), "shop"));
  EXPECT_EQ(*answers_.Get("a", {1s}, Slow()), 7);
  EXPECT_TRUE(asked_.empty()) << "asked once";
}

TEST_F(SharedAnswersTest, AnAnswerThatWasWaitedForIsFresh) {
  const auto since = clock_.Steady();
  EXPECT_FALSE(answers_.Prepare("a", {100ms}, Slow(), Ready(), "shop"));
  answers_in_.Push(7);
  EXPECT_TRUE(ready_.Pop());
  clock_.Advance(3s);
  EXPECT_FALSE(answers_.Has("a", {100ms}));
  EXPECT_EQ(*answers_.Get("a", {100ms, since}, [] { return Answer(8); }), 7);
  EXPECT_EQ(*answers_.Get("a", {100ms}, [] { return Answer(8); }), 8);
}

// One of two answers may be there long before the other.
TEST_F(SharedAnswersTest, WhatWasFreshBeforeTheWaitIsFreshAfterIt) {
  EXPECT_EQ(*answers_.Get("a", {1s}, [] { return Answer(7); }), 7);
  clock_.Advance(999ms);
  const Freshness fresh{1s, clock_.Steady()};
  EXPECT_TRUE(answers_.Prepare("a", fresh, Slow(), Ready(), "shop"));
  clock_.Advance(SharedAnswers<int>::kLongestInLine + kDeadline);
  EXPECT_EQ(*answers_.Get("b", {1s}, [] { return Answer(1); }), 1) << "which drops what is old";
  EXPECT_EQ(*answers_.Get("a", fresh, [] { return Answer(8); }), 7);
}

TEST_F(SharedAnswersTest, AnAnswerServesWhileANewerOneIsRequested) {
  const Freshness fresh{100ms, clock_.Steady()};
  EXPECT_EQ(*answers_.Get("a", fresh, [] { return Answer(7); }), 7);
  clock_.Advance(2s);
  EXPECT_FALSE(answers_.Prepare("a", {100ms}, Slow(), Ready(), "shop"));
  EXPECT_TRUE(asked_.Pop());
  EXPECT_TRUE(answers_.Has("a", fresh)) << "who has waited for it waits for no other";
  EXPECT_FALSE(answers_.Has("a", {100ms}));
  EXPECT_TRUE(answers_.Shares("a", {100ms}));
  answers_in_.Push(8);
  EXPECT_TRUE(ready_.Pop());
  EXPECT_EQ(*answers_.Get("a", fresh, [] { return Answer(9); }), 8);
}

TEST_F(SharedAnswersTest, WhatHasWaitedTooLongIsNotRequested) {
  constexpr int kRequests = RequestPool::kThreads + 1;
  for (int i = 0; i < kRequests; ++i) {
    EXPECT_FALSE(answers_.Prepare(std::to_string(i), {1s}, Slow(), Ready(), "shop"));
  }
  for (std::size_t i = 0; i < RequestPool::kThreads; ++i) {
    EXPECT_TRUE(asked_.Pop());
  }
  clock_.Advance(SharedAnswers<int>::kLongestInLine + 1ns);
  for (std::size_t i = 0; i < RequestPool::kThreads; ++i) {
    answers_in_.Push(7);
  }
  for (int i = 0; i < kRequests; ++i) {
    EXPECT_TRUE(ready_.Pop());
  }
  EXPECT_TRUE(asked_.empty());
  const Answer last = answers_.Get(std::to_string(kRequests - 1), {1s}, Slow());
  ASSERT_FALSE(last.ok());
  EXPECT_EQ(last.error().code, Code::kUnavailable);
  EXPECT_NE(last.error().message.find("an API answers too slowly"), std::string::npos);
}

// Those of a period have different points of it.
TEST_F(SharedAnswersTest, WithinAPeriodEqualRequestsAreMadeOnce) {
  int asked = 0;
  const auto ask = [&] { return Answer(++asked); };
  const auto began = clock_.Steady();
  std::optional<process::SteadyTime> last[] = {began, began, began};
  for (int period = 1; period <= 3; ++period) {
    for (auto& of_one : last) {
      clock_.Advance(5s);
      EXPECT_EQ(*answers_.Get("a", {1s, {}, 15s, of_one}, ask), period);
      of_one = clock_.Steady();
    }
  }
  EXPECT_EQ(*answers_.Get("a", {1s, {}, 15s, last[2]}, ask), 4) << "it has had the third";
  clock_.Advance(2s);
  EXPECT_EQ(*answers_.Get("a", {1s, {}, 30s, last[0]}, ask), 5) << "another period";
  clock_.Advance(2s);
  EXPECT_EQ(*answers_.Get("a", {1s, {}, 30s, {}}, ask), 6) << "it is not known what it has had";
  clock_.Advance(30s);
  EXPECT_EQ(*answers_.Get("a", {1s, {}, 30s, last[0]}, ask), 7) << "older than a period";
  clock_.Advance(1s);
  const auto fail = [] { return Answer(Error{Code::kTimeout, "silence"}); };
  EXPECT_FALSE(answers_.Get("a", {1s, {}, 15s, clock_.Steady()}, fail).ok());
  clock_.Advance(1s);
  EXPECT_EQ(*answers_.Get("a", {1s, {}, 15s, last[0]}, ask), 8) << "a failure is for a moment";
}

TEST_F(SharedAnswersTest, AFailureIsSharedForASecond) {
  const auto fail = [] { return Answer(Error{Code::kTimeout, "silence"}); };
  EXPECT_FALSE(answers_.Get("a", {100ms}, fail).ok());
  clock_.Advance(999ms);
  EXPECT_FALSE(answers_.Get("a", {100ms}, [] { return Answer(8); }).ok());
  clock_.Advance(1ms);
  EXPECT_EQ(*answers_.Get("a", {100ms}, [] { return Answer(8); }), 8);
}

TEST_F(SharedAnswersTest, AnExceptionIsAnError) {
  const auto answer =
      answers_.Get("a", {1s}, []() -> Answer { throw std::runtime_error("a defect"); });
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, Code::kInternal);
  EXPECT_NE(answer.error().message.find("a defect"), std::string::npos);
}

// An API that hangs holds the threads of its own request pool, and nobody else.
TEST_F(SharedAnswersTest, SomeRequestsAreUnderWayAtATime) {
  constexpr int kRequests = 20;
  for (int i = 0; i < kRequests; ++i) {
    EXPECT_FALSE(answers_.Prepare(std::to_string(i), {1s}, Slow(), Ready(), "shop"));
  }
  for (std::size_t i = 0; i < RequestPool::kThreads; ++i) {
    EXPECT_TRUE(asked_.Pop());
  }
  EXPECT_EQ(answers_.DebugState().in_work, RequestPool::kThreads);
  EXPECT_EQ(answers_.DebugState().waiting, kRequests - RequestPool::kThreads);
  EXPECT_TRUE(asked_.empty());
  for (int i = 0; i < kRequests; ++i) {
    answers_in_.Push(i);
    EXPECT_TRUE(ready_.Pop());
  }
}

// With a request that takes 3 s in each of 40 turns, the last one would wait for two minutes.
TEST_F(SharedAnswersTest, NamespacesTakeTurns) {
  SharedAnswers<int> answers("an API", clock_, 1);
  const auto since = clock_.Steady();
  const auto slow = [this] {
    const int answer = *answers_in_.Pop();
    clock_.Advance(3s);
    return Answer(answer);
  };
  constexpr int kRequests = 40;
  for (int i = 0; i < kRequests; ++i) {
    EXPECT_FALSE(answers.Prepare(std::to_string(i), {1s}, slow, Ready(), "noisy"));
  }
  EXPECT_FALSE(answers.Prepare("quiet", {1s}, slow, Ready(), "shop"));
  for (int i = 0; i <= kRequests; ++i) {
    answers_in_.Push(7);
  }
  for (int i = 0; i <= kRequests; ++i) {
    EXPECT_TRUE(ready_.Pop());
  }
  const auto none = [] { return Answer(Error{Code::kUnavailable, "asked again"}); };
  EXPECT_TRUE(answers.Get("quiet", {1s, since}, none).ok());
  EXPECT_FALSE(answers.Get(std::to_string(kRequests - 1), {1s, since}, none).ok());
}

// 40 metrics of a namespace that hang, and 500 of another that do not, three times.
TEST_F(SharedAnswersTest, RequestsThatHangKeepNoOtherNamespaceWaiting) {
  SharedAnswers<int> answers("an API", clock_, 8);
  const auto quick = [] { return Answer(1); };
  const auto ask = [&](const std::string& key) {
    if (!answers.Prepare(key, {1s}, quick, Ready(), "shop")) {
      EXPECT_TRUE(ready_.Pop());
    }
    EXPECT_TRUE(answers.HasValue(key, {1s})) << key;
  };
  ask("first");
  support::Channel<bool> told;
  for (int i = 0; i < 40; ++i) {
    EXPECT_FALSE(answers.Prepare(
        "hangs-" + std::to_string(i), {1s}, Slow(), [&] { told.Push(true); }, "noisy"));
  }
  for (int period = 0; period < 3; ++period) {
    for (int i = 0; i < 500; ++i) {
      ask(std::to_string(i));
    }
    EXPECT_TRUE(told.empty());
    AwaitRest(answers, 4);
    EXPECT_EQ(answers.DebugState().in_work, 4U);
    EXPECT_EQ(answers.DebugState().waiting, 36U);
    clock_.Advance(15s);
  }
  EXPECT_EQ(answers.DebugState().slow, 4U);
  for (int i = 0; i < 40; ++i) {
    answers_in_.Push(7);
  }
  for (int i = 0; i < 40; ++i) {
    EXPECT_TRUE(told.Pop());
  }
}

class SharedAnswersRefusedTest : public SharedAnswersTest,
                                 public testing::WithParamInterface<bool> {};

TEST_P(SharedAnswersRefusedTest, ASlowNamespaceIsNoneAnyMoreOnceItHasValuesPromptly) {
  EXPECT_FALSE(answers_.Prepare("slow", {1s}, Slow(), Ready(), "shop"));
  EXPECT_TRUE(asked_.Pop());
  clock_.Advance(2s);
  answers_in_.Push(7);
  EXPECT_TRUE(ready_.Pop());
  AwaitRest(answers_);
  const auto prompt = [has_value = GetParam()] {
    return has_value ? Answer(7) : Error{Code::kUnavailable, "HTTP 429: slow down"};
  };
  for (int second = 0; second < 70; ++second) {
    clock_.Advance(1s);
    EXPECT_FALSE(answers_.Prepare("prompt", {1ns}, prompt, Ready(), "shop"));
    EXPECT_TRUE(ready_.Pop());
    AwaitRest(answers_);
  }
  EXPECT_FALSE(answers_.Prepare("slow", {1s}, Slow(), Ready(), "shop"));
  EXPECT_TRUE(asked_.Pop());
  EXPECT_EQ(answers_.DebugState().slow, GetParam() ? 0U : 1U);
  answers_in_.Push(7);
  EXPECT_TRUE(ready_.Pop());
}

INSTANTIATE_TEST_SUITE_P(HasValues, SharedAnswersRefusedTest, testing::Bool());

// Without a place in the line, so that its evaluation goes on at once.
TEST_F(SharedAnswersTest, ANamespaceThatIsNotAnsweredIsLeftAloneAndOthersAreNot) {
  const auto call = [&](const std::string& namespace_, const std::string& key, bool answers) {
    return answers_.Get(key, {1s}, [&] {
      return answers_.Call(namespace_, key, [&]() -> Answer {
        return answers ? Answer(1) : Error{.code = Code::kTimeout, .unanswered = true};
      });
    });
  };
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(call("hung", std::to_string(i), false).ok());
  }
  EXPECT_TRUE(answers_.Prepare("6", {1s}, Slow(), Ready(), "hung"));
  EXPECT_FALSE(call("hung", "6", true).ok());
  EXPECT_TRUE(call("shop", "7", true).ok());
  EXPECT_EQ(answers_.DebugState().left_alone, 1U);
}

// As many large ones as are asked for would take any amount of it.
TEST_F(SharedAnswersTest, AnswersThatTakeTooMuchMemoryAreErrors) {
  constexpr std::size_t kMost = SharedAnswers<int>::kMostKept;
  SharedAnswers<int> answers("an API", clock_, 8,
                             [](const int& parts) { return kMost / 4 * std::size_t(parts); });
  const auto since = clock_.Steady();
  const auto ask = [&](const std::string& key, const std::string& namespace_, int parts) {
    EXPECT_FALSE(answers.Prepare(
        key, {1s}, [=] { return Answer(parts); }, Ready(), namespace_));
    EXPECT_TRUE(ready_.Pop());
    return answers.Get(key, {1s, since}, Slow());
  };
  for (const std::string key : {"1", "2", "3", "4"}) {
    EXPECT_TRUE(ask(key, "hog", 1).ok()) << key;
  }
  const Answer one_more = ask("5", "hog", 1);
  ASSERT_FALSE(one_more.ok());
  EXPECT_EQ(one_more.error().message,
            "the answer is dropped, because those of namespace hog take too much memory; let "
            "selectors of its metrics choose fewer series");
  EXPECT_TRUE(ask("of-shop", "shop", 2).ok());
  AwaitRest(answers);
  clock_.Advance(SharedAnswers<int>::kKept);
  EXPECT_TRUE(ask("later", "hog", 4).ok()) << "those of before are not kept any more";
}

TEST_F(SharedAnswersTest, WhoeverHasWaitedForAnAnswerGetsItAlsoIfTheNextOneFails) {
  const auto since = clock_.Steady();
  EXPECT_EQ(*answers_.Get("a", {1s}, [] { return Answer(7); }), 7);
  for (int i = 0; i < 2; ++i) {
    clock_.Advance(1s);
    EXPECT_FALSE(answers_
                     .Get(i == 0 ? "a" : "b", {1s},
                          [] {
                            return Answer(Error{Code::kUnavailable, "down"});
                          })
                     .ok());
  }
  EXPECT_TRUE(answers_.HasValue("a", {1s, since}));
  EXPECT_EQ(*answers_.Get("a", {1s, since}, [] { return Answer(8); }), 7);
}

TEST_F(SharedAnswersTest, AnApiThatDoesNotAnswerIsNotAskedByEverybody) {
  int asked = 0;
  for (int i = 0; i < 100; ++i) {
    const std::string key = std::to_string(i);
    const auto answer = answers_.Get(key, {1s}, [&] {
      return answers_.Call("shop", key, [&]() -> Answer {
        ++asked;
        return Error{.code = Code::kTimeout, .message = "silence", .unanswered = true};
      });
    });
    EXPECT_FALSE(answer.ok());
  }
  EXPECT_EQ(asked, 5);
  EXPECT_EQ(answers_.DebugState().left_alone, 1U);
}

}  // namespace
}  // namespace ballast::sources
