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

  // A request that is answered by `answers_in_`.
  auto Slow() {
    return [this]() -> Answer {
      asked_.Push(true);
      return *answers_in_.Pop();
    };
  }
  auto Ready() {
    return [this](const auto& answer) { ready_.Push(*answer); };
  }
  // Waits for the answer.
  template <typename Request>
  static Answer Get(SharedAnswers<int>& answers, const std::string& key, const Freshness& fresh,
                    const Request& request, const std::string& namespace_ = "shop") {
    support::Channel<Answer> told;
    answers.Start(key, fresh, request, namespace_, [&](const auto& answer) { told.Push(*answer); });
    return *told.Pop();
  }
  template <typename Request>
  Answer Get(const std::string& key, const Freshness& fresh, const Request& request) {
    return Get(answers_, key, fresh, request);
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
  support::Channel<Answer> ready_;
  SharedAnswers<int> answers_{"an API", clock_};
};

TEST_F(SharedAnswersTest, WhoeverAsksIsToldOnceTheAnswerIsThere) {
  answers_.Start("a", {1s}, Slow(), "shop", Ready());
  EXPECT_TRUE(asked_.Pop());
  answers_.Start("a", {1ns}, Slow(), "shop", Ready());  // shares the request
  EXPECT_EQ(answers_.StateOf("a", {1ns}), AnswerState::kUnderWay);
  EXPECT_TRUE(ready_.empty());
  answers_in_.Push(7);
  EXPECT_EQ(**ready_.Pop(), 7);
  EXPECT_EQ(**ready_.Pop(), 7);
  EXPECT_TRUE(ready_.empty()) << "once each";
  answers_.Start("a", {1s}, Slow(), "shop", Ready());
  EXPECT_FALSE(ready_.empty()) << "at once";
  EXPECT_EQ(**ready_.Pop(), 7);
  EXPECT_TRUE(asked_.empty()) << "asked once";
}

TEST_F(SharedAnswersTest, AnAnswerServesWhileItIsYounger) {
  EXPECT_EQ(*Get("a", {100ms}, [] { return Answer(7); }), 7);
  clock_.Advance(100ms - 1ns);
  EXPECT_EQ(answers_.StateOf("a", {100ms}), AnswerState::kThere);
  EXPECT_EQ(*Get("a", {100ms}, [] { return Answer(8); }), 7);
  clock_.Advance(1ns);
  EXPECT_EQ(answers_.StateOf("a", {100ms}), AnswerState::kNone);
  EXPECT_EQ(*Get("a", {100ms}, [] { return Answer(8); }), 8);
}

TEST_F(SharedAnswersTest, WhatHasWaitedTooLongIsNotRequested) {
  constexpr int kRequests = RequestPool::kThreads + 1;
  for (int i = 0; i < kRequests; ++i) {
    answers_.Start(std::to_string(i), {1s}, Slow(), "shop", Ready());
  }
  for (std::size_t i = 0; i < RequestPool::kThreads; ++i) {
    EXPECT_TRUE(asked_.Pop());
  }
  clock_.Advance(RequestPool::kLongestInLine + 1ns);
  for (std::size_t i = 0; i < RequestPool::kThreads; ++i) {
    answers_in_.Push(7);
  }
  int late = 0;
  for (int i = 0; i < kRequests; ++i) {
    const auto answer = ready_.Pop();
    if (!answer->ok()) {
      ++late;
      EXPECT_EQ(answer->error().code, Code::kUnavailable);
      EXPECT_NE(answer->error().message.find("an API answers too slowly"), std::string::npos);
    }
  }
  EXPECT_EQ(late, 1);
  EXPECT_TRUE(asked_.empty());
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
      EXPECT_EQ(*Get("a", {1s, 15s, of_one}, ask), period);
      of_one = clock_.Steady();
    }
  }
  EXPECT_EQ(*Get("a", {1s, 15s, last[2]}, ask), 4) << "it has had the third";
  clock_.Advance(2s);
  EXPECT_EQ(*Get("a", {1s, 30s, last[0]}, ask), 5) << "another period";
  clock_.Advance(2s);
  EXPECT_EQ(*Get("a", {1s, 30s, {}}, ask), 6) << "it is not known what it has had";
  clock_.Advance(30s);
  EXPECT_EQ(*Get("a", {1s, 30s, last[0]}, ask), 7) << "older than a period";
  clock_.Advance(1s);
  const auto fail = [] { return Answer(Error{Code::kTimeout, "silence"}); };
  EXPECT_FALSE(Get("a", {1s, 15s, clock_.Steady()}, fail).ok());
  clock_.Advance(1s);
  EXPECT_EQ(*Get("a", {1s, 15s, last[0]}, ask), 8) << "a failure is for a moment";
}

TEST_F(SharedAnswersTest, AFailureIsSharedForASecond) {
  const auto fail = [] { return Answer(Error{Code::kTimeout, "silence"}); };
  EXPECT_FALSE(Get("a", {100ms}, fail).ok());
  clock_.Advance(999ms);
  EXPECT_FALSE(Get("a", {100ms}, [] { return Answer(8); }).ok());
  clock_.Advance(1ms);
  EXPECT_EQ(*Get("a", {100ms}, [] { return Answer(8); }), 8);
}

TEST_F(SharedAnswersTest, AnExceptionIsAnError) {
  const auto answer = Get("a", {1s}, []() -> Answer { throw std::runtime_error("a defect"); });
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, Code::kInternal);
  EXPECT_NE(answer.error().message.find("a defect"), std::string::npos);
}

// An API that hangs holds the threads of its own request pool, and nobody else.
TEST_F(SharedAnswersTest, SomeRequestsAreUnderWayAtATime) {
  constexpr int kRequests = 20;
  for (int i = 0; i < kRequests; ++i) {
    answers_.Start(std::to_string(i), {1s}, Slow(), "shop", Ready());
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
  const auto slow = [this] {
    const int answer = *answers_in_.Pop();
    clock_.Advance(3s);
    return Answer(answer);
  };
  constexpr int kRequests = 40;
  for (int i = 0; i < kRequests; ++i) {
    answers.Start(std::to_string(i), {1s}, slow, "noisy", Ready());
  }
  support::Channel<Answer> quiet;
  answers.Start("quiet", {1s}, slow, "shop", [&](const auto& answer) { quiet.Push(*answer); });
  for (int i = 0; i <= kRequests; ++i) {
    answers_in_.Push(7);
  }
  EXPECT_TRUE(quiet.Pop()->ok());
  int late = 0;
  for (int i = 0; i < kRequests; ++i) {
    late += ready_.Pop()->ok() ? 0 : 1;
  }
  EXPECT_EQ(late, 30);
}

// 40 metrics of a namespace that hang, and 500 of another that do not, three times.
TEST_F(SharedAnswersTest, RequestsThatHangKeepNoOtherNamespaceWaiting) {
  SharedAnswers<int> answers("an API", clock_, 8);
  const auto quick = [] { return Answer(1); };
  const auto ask = [&](const std::string& key) {
    EXPECT_TRUE(Get(answers, key, {1s}, quick).ok()) << key;
  };
  ask("first");
  support::Channel<bool> told;
  for (int i = 0; i < 40; ++i) {
    answers.Start("hangs-" + std::to_string(i), {1s}, Slow(), "noisy",
                  [&](const auto&) { told.Push(true); });
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
  answers_.Start("slow", {1s}, Slow(), "shop", Ready());
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
    answers_.Start("prompt", {1ns}, prompt, "shop", Ready());
    EXPECT_TRUE(ready_.Pop());
    AwaitRest(answers_);
  }
  answers_.Start("slow", {1s}, Slow(), "shop", Ready());
  EXPECT_TRUE(asked_.Pop());
  EXPECT_EQ(answers_.DebugState().slow, GetParam() ? 0U : 1U);
  answers_in_.Push(7);
  EXPECT_TRUE(ready_.Pop());
}

INSTANTIATE_TEST_SUITE_P(HasValues, SharedAnswersRefusedTest, testing::Bool());

// Without a place in the line, so that its evaluation goes on at once.
TEST_F(SharedAnswersTest, ANamespaceThatIsNotAnsweredIsLeftAloneAndOthersAreNot) {
  const auto call = [&](const std::string& namespace_, const std::string& key, bool answers) {
    const auto request = [=, this] {
      return answers_.Call(namespace_, key, [=]() -> Answer {
        return answers ? Answer(1) : Error{.code = Code::kTimeout, .unanswered = true};
      });
    };
    return Get(answers_, key, {1s}, request, namespace_);
  };
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(call("hung", std::to_string(i), false).ok());
  }
  answers_.Start("6", {1s}, Slow(), "hung", Ready());
  EXPECT_FALSE(ready_.empty()) << "at once";
  EXPECT_FALSE(call("hung", "6", true).ok());
  EXPECT_TRUE(call("shop", "7", true).ok());
  EXPECT_EQ(answers_.DebugState().left_alone, 1U);
}

// As many large ones as are asked for would take any amount of it.
TEST_F(SharedAnswersTest, AnswersThatTakeTooMuchMemoryAreErrors) {
  constexpr std::size_t kMost = SharedAnswers<int>::kMostKept;
  SharedAnswers<int> answers("an API", clock_, 8,
                             [](const int& parts) { return kMost / 4 * std::size_t(parts); });
  const auto ask = [&](const std::string& key, const std::string& namespace_, int parts) {
    return Get(
        answers, key, {1s}, [=] { return Answer(parts); }, namespace_);
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
  clock_.Advance(SharedAnswers<int>::kLongest);
  EXPECT_TRUE(ask("later", "hog", 4).ok()) << "those of before are not kept any more";
}

TEST_F(SharedAnswersTest, AnAnswerHasTheRoomOfTheOneThatItReplaces) {
  constexpr std::size_t kMost = SharedAnswers<int>::kMostKept;
  SharedAnswers<int> answers("an API", clock_, 8,
                             [](const int& parts) { return kMost / 4 * std::size_t(parts); });
  const auto renew = [&](const char* key, int parts) {
    const bool ok = Get(answers, key, {100ms}, [=] { return Answer(parts); }).ok();
    AwaitRest(answers);
    return ok;
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(renew("a", 2)) << i;
    EXPECT_TRUE(renew("b", 2)) << i;
    EXPECT_EQ(answers.size(), 2U);
    clock_.Advance(100ms);
  }
  EXPECT_FALSE(renew("a", 3)) << "the other one has half of all";
}

TEST_F(SharedAnswersTest, AnApiThatDoesNotAnswerIsNotAskedByEverybody) {
  int asked = 0;
  for (int i = 0; i < 100; ++i) {
    const std::string key = std::to_string(i);
    const auto answer = Get(key, {1s}, [&] {
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
