#include "operator/controllers/live_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "operator/controllers/testing/await_answer.h"
#include "tests/support/channel.h"
#include "tests/support/fake_clock.h"

namespace ballast::controllers {
namespace {

using ::testing::HasSubstr;

// A source that answers at once, and an API server that does what a test says.
class LiveReaderTest : public testing::Test, public session::SnapshotSource {
 protected:
  session::FetchMetrics RequestOf(const std::string& name) const {
    auto policy = std::make_shared<api::Autoscaler>();
    policy->api_version = api::kPolicyApiVersion;
    policy->metadata.namespace_ = "shop";
    policy->metadata.name = name;
    return {.autoscaler = std::move(policy), .period = Duration::Seconds(15)};
  }

  void Start(const session::FetchMetrics& request, Done done) override {
    order_ += "source ";
    done({request, nullptr});
  }
  session::TargetPointer TargetOf(const session::MetricsAnswer& /*answer*/) override { return {}; }
  session::Gathered Gather(const session::MetricsAnswer& /*answer*/,
                           const session::SeenTarget& /*target*/,
                           engine::Snapshot& /*snapshot*/) override {
    return {};
  }

  std::string order_;
  std::function<void()> before_read_ = [] {};
  support::FakeClock clock_;
  LiveReader reader_{
      *this,
      {.stored =
           [this](const api::Autoscaler& of) {
             before_read_();
             order_ += "stored ";
             return session::StoredAutoscaler{of.metadata.name, 1, session::StatusMemory()};
           },
       .live =
           [this](const api::Autoscaler& of) {
             order_ += "live ";
             const Result<api::Scale> scale = api::Scale{.metadata = of.metadata};
             return session::LiveScale{clock_.Steady(), scale, scale};
           },
       .managed = [this](const api::Autoscaler& /*of*/) -> Result<api::Scale> {
         order_ += "managed ";
         return Error{Code::kForbidden, "no right"};
       }},
      clock_};
};

TEST_F(LiveReaderTest, ReadsWhatIsAskedForAroundItsSource) {
  session::FetchMetrics request = RequestOf("web");
  session::MetricsAnswer answer = Read(reader_, request);
  EXPECT_EQ(std::exchange(order_, ""), "source ");
  EXPECT_FALSE(answer.stored || answer.live || answer.managed);
  request.stored = true;
  request.live = RequestOf("before").autoscaler;
  request.managed = true;
  answer = Read(reader_, request);
  EXPECT_EQ(order_, "stored source live managed ");
  EXPECT_EQ((*answer.stored)->version, "web");
  EXPECT_EQ(answer.live->scale->metadata.name, "before");
  EXPECT_EQ(answer.managed->error().code, Code::kForbidden);
  EXPECT_TRUE(answer.request.stored && answer.request.managed);
  order_.clear();
  (void)Read(reader_, {.autoscaler = request.autoscaler, .scale = false, .managed = true});
  EXPECT_EQ(order_, "managed ");
}

TEST_F(LiveReaderTest, TellsOfADefect) {
  before_read_ = [] { throw std::runtime_error("a defect"); };
  session::FetchMetrics request = RequestOf("web");
  request.stored = true;
  EXPECT_TRUE(Read(reader_, request).defect);
  EXPECT_EQ(order_, "");
}

// More autoscalers than are read at a time, and the API server hangs.
TEST_F(LiveReaderTest, WhatIsNotReadInTimeIsAnError) {
  support::Channel<bool> asked;
  support::Channel<bool> answers;
  before_read_ = [&] {
    asked.Push(true);
    (void)answers.Pop();
  };
  support::Channel<session::MetricsAnswer> done;
  const auto start = [&](const session::FetchMetrics& request) {
    reader_.Start(request, [&](session::MetricsAnswer answer) { done.Push(std::move(answer)); });
  };
  constexpr std::size_t kLanes = sources::RequestPool::kThreads;
  for (std::size_t i = 0; i <= kLanes; ++i) {
    session::FetchMetrics request = RequestOf("web-" + std::to_string(i));
    request.stored = true;
    start(request);
  }
  for (std::size_t i = 0; i < kLanes; ++i) {
    EXPECT_TRUE(asked.Pop());
  }
  start(RequestOf("another"));
  EXPECT_EQ(done.Pop()->request.autoscaler->metadata.name, "another") << "it asks for less";
  clock_.Advance(sources::RequestPool::kLongestInLine + std::chrono::seconds(1));
  answers.Push(true);
  EXPECT_TRUE((*done.Pop()->stored).ok());
  const auto late = done.Pop();  // as soon as a thread is free
  EXPECT_TRUE(asked.empty());
  EXPECT_EQ(late->request.autoscaler->metadata.name, "web-" + std::to_string(kLanes));
  EXPECT_EQ(late->stored->error().code, Code::kUnavailable);
  EXPECT_THAT(late->stored->error().message, HasSubstr("answers too slowly"));
  for (std::size_t i = 1; i < kLanes; ++i) {
    answers.Push(true);
    EXPECT_TRUE(done.Pop());
  }
}

}  // namespace
}  // namespace ballast::controllers
