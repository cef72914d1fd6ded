#include "operator/session/publisher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "operator/session/testing/session_fixture.h"

namespace ballast::session {
namespace {

using ::testing::HasSubstr;

class PublisherTest : public SessionFixture {
 protected:
  // Offers a status that differs from the one before; returns the version that it is to be written
  // over. `watched`: the version that the watch has.
  std::string Offer(const std::string& watched) {
    autoscaler_.object.metadata.resource_version = watched;
    ++next_.desired_replicas;
    const auto request = publisher_.Report(autoscaler_.object, next_, {}, {});
    return request ? request->of.resource_version : "";
  }
  void Answer(bool written, const Result<std::string>& version) {
    publisher_.Answered(autoscaler_.object, {written, version});
  }

  api::AutoscalerStatus next_;
  Publisher publisher_{ports_, autoscaler_.object.spec, {}};
};

// A late write of a former leader must not replace what another leader has written since.
TEST_F(PublisherTest, AStatusIsWrittenOverTheNewestVersionThatIsKnown) {
  const struct {
    const char* about;
    bool written;
    Result<std::string> answer;  // to the status before
    const char* watched;
    const char* over;
  } kSteps[] = {
      {"its own write, which the watch has not told of yet", true, {"4"}, "3", "4"},
      {"the watch has it", true, {"5"}, "5", "5"},
      {"somebody else has written, and the watch has not told of it", false, {"20"}, "5", "20"},
      {"the watch told of more", false, {"20"}, "21", "21"},
      {"it may have been written", false, Error{Code::kTimeout, "no answer"}, "21", "21"},
      {"it is gone", false, Error{Code::kNotFound, "no"}, "21", "21"},
      {"a number, not a text, is compared", true, {"100"}, "99", "100"},
  };
  EXPECT_EQ(Offer("3"), "3") << "as it was watched";
  for (const auto& step : kSteps) {
    Answer(step.written, step.answer);
    EXPECT_EQ(Offer(step.watched), step.over) << step.about;
  }
}

TEST_F(PublisherTest, KnowsTheVersionThatWasRead) {
  publisher_.Read("12", std::nullopt);
  EXPECT_EQ(Offer("3"), "12");
  publisher_.Read(std::nullopt, std::nullopt);
  EXPECT_EQ(Offer("3"), "12");
}

// What another controller has made of an HPA's status must not be overwritten unseen.
TEST_F(PublisherTest, OfAnHpaOnlyItsOwnWritesCount) {
  autoscaler_.object.kind = api::kHpaKind;
  const struct {
    const char* about;
    bool written;
    const char* version;
    const char* over;  // the watch has 3
  } kSteps[] = {{"its own", true, "9", "9"},
                {"somebody else's", false, "15", "9"},
                {"of a cluster that was restored", false, "2", "3"}};
  for (const auto& step : kSteps) {
    publisher_.Marked(autoscaler_.object, {step.written, std::string(step.version)});
    EXPECT_EQ(Offer("3"), step.over) << step.about;
  }
}

TEST_F(PublisherTest, OffersAStatusAgainThatWasNotWritten) {
  const auto offer = [this] {
    return publisher_.Report(autoscaler_.object, {.desired_replicas = 4}, {}, {}).has_value();
  };
  const struct {
    Result<std::string> answer;
    bool at_once;
  } kRefusals[] = {
      {Error{Code::kUnavailable, "no"}, true},
      {std::string("20"), true},  // a conflict
      {Error{Code::kInvalid, "no"}, false},
      {Error{Code::kForbidden, "no"}, false},
  };
  EXPECT_TRUE(offer());
  for (const auto& refusal : kRefusals) {
    Answer(false, refusal.answer);
    EXPECT_EQ(offer(), refusal.at_once);
    clock_.Advance(std::chrono::seconds(59));
    EXPECT_EQ(offer(), refusal.at_once);
    clock_.Advance(std::chrono::seconds(1));
    EXPECT_TRUE(offer());
  }
  Answer(true, std::string("21"));
  EXPECT_FALSE(offer());
}

// Of a status whose answer was lost the API server may have either, and so it may of one that
// somebody else's came before.
TEST_F(PublisherTest, WhatIsAsBeforeAStatusThatWasLostIsWrittenOnceMore) {
  const struct {
    const char* about;
    Result<std::string> answer;
    bool is_due;
  } kLosses[] = {{"no answer", Error{Code::kTimeout, "no"}, true},
                 {"a conflict", std::string("20"), true},
                 {"it stays as it was", Error{Code::kInvalid, "no"}, false},
                 {"it does for now", Error{Code::kThrottled, "no"}, false}};
  const auto is_due = [this](std::int32_t replicas) {
    return publisher_.Report(autoscaler_.object, {.desired_replicas = replicas}, {}, {})
        .has_value();
  };
  EXPECT_TRUE(is_due(4));
  Answer(true, std::string("4"));
  for (const auto& loss : kLosses) {
    EXPECT_TRUE(is_due(5));
    Answer(false, loss.answer);
    clock_.Advance(std::chrono::minutes(1));
    EXPECT_EQ(is_due(4), loss.is_due) << loss.about;
    Answer(true, std::string("21"));
    EXPECT_FALSE(is_due(4)) << loss.about;
  }
}

TEST_F(PublisherTest, AnHpaThatOthersMayHaveWrittenIsComparedWithWhatIsThere) {
  api::Autoscaler stored = autoscaler_.object;
  EXPECT_TRUE(publisher_.Report(stored, {.desired_replicas = 4}, {}, {}));
  Answer(true, std::string("4"));
  stored.status.desired_replicas = 5;
  publisher_.StartAnew(stored);
  EXPECT_FALSE(publisher_.Report(stored, {.desired_replicas = 5}, {}, {}));
  EXPECT_TRUE(publisher_.Report(stored, {.desired_replicas = 4}, {}, {}));
}

TEST_F(PublisherTest, AnEventTellsOfEachRefusalOnce) {
  const struct {
    engine::Refusal refusal;
    bool news;
  } kSteps[] = {{{"Conflicted", "TwoPolicies", "api scales it"}, true},
                {{"Conflicted", "TwoPolicies", "api scales it"}, false},
                {{"Conflicted", "TwoPolicies", "db scales it"}, true},
                {{"", "InvalidSpec", "spec.maxReplicas: no"}, true}};
  for (const auto& step : kSteps) {
    events_.clear();
    publisher_.Refused(autoscaler_.object, step.refusal);
    ASSERT_EQ(events_.size(), step.news ? 1u : 0u) << step.refusal.message();
    if (step.news) {
      EXPECT_EQ(events_[0].reason, step.refusal.name());
      EXPECT_EQ(events_[0].message, step.refusal.message());
    }
    EXPECT_EQ(publisher_.problem(), step.refusal.message());
  }
  publisher_.Evaluated(autoscaler_.object, "");
  EXPECT_EQ(publisher_.problem(), "");
}

TEST_F(PublisherTest, TheStatusNamesTheLastDecisionThatWasWritten) {
  engine::Decision decision;
  decision.trace = {{.rule = engine::Rule::kLimits, .in = 20, .out = 10, .binding = true}};
  auto snapshot = std::make_shared<engine::Snapshot>();
  snapshot->autoscaler = autoscaler_.object;
  snapshot->now = Time(1'700'000'000, 0);
  const Attempt attempt{7, snapshot, decision, {"d1", 2, 10}, {}};
  const auto status = [this] {
    ++next_.desired_replicas;
    return publisher_.Report(autoscaler_.object, next_, {}, {})->merge_patch;
  };
  publisher_.Scaled(attempt, {engine::Outcome::Kind::kFailed, "no"});
  EXPECT_THAT(status(), ::testing::Not(HasSubstr("lastDecision")));
  publisher_.Scaled(attempt, {engine::Outcome::Kind::kWritten, ""});
  EXPECT_THAT(
      status(),
      HasSubstr(R"("lastDecision":{"id":"7","time":"2023-11-14T22:13:20Z","limit":"limits"})"));
}

}  // namespace
}  // namespace ballast::session
