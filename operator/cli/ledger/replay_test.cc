#include "operator/cli/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "api/decision/engine_version.h"
#include "operator/cli/testing/test_records.h"
#include "operator/session/evaluation_record.h"
#include "store/sqlite/sqlite.h"

namespace ballast::cli {
namespace {

using testing::After;
using ::testing::AllOf;
using testing::Answer;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using testing::WebAt;

const std::string kVersion = std::to_string(engine::kEngineVersion);

class Replay : public testing::RecordsTest {
 protected:
  Answer Run(std::vector<std::string> arguments = {}) {
    return Ask(AddReplay, std::move(arguments));
  }

  // The policy of WebAt with another maximum and another target.
  std::string Changed(int max, const std::string& target, const std::string& more = "") {
    const std::string file = folder_.Path("changed.yaml");
    std::ofstream(file) << "apiVersion: ballast.dev/v1alpha1\nkind: AutoScalePolicy\n"
                           "metadata: {name: web, namespace: shop}\nspec:\n"
                           "  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}\n"
                           "  minReplicas: 1\n  maxReplicas: "
                        << max
                        << "\n  metrics:\n  - type: External\n    external:\n"
                           "      metric: {name: queue}\n"
                           "      target: {type: AverageValue, averageValue: \""
                        << target << "\"}\n"
                        << more;
    return file;
  }
};

TEST_F(Replay, EverythingComesOutAsRecorded) {
  web_.Evaluate(WebAt(0, 2, "33"));
  web_.Evaluate(WebAt(15, 4, "33"), {engine::Outcome::Kind::kFailed, "forbidden"});
  web_.Evaluate(WebAt(30, 4, "90"), {engine::Outcome::Kind::kFailed, "forbidden"});
  web_.Evaluate(WebAt(45, 4, "90"), {engine::Outcome::Kind::kUnknown, "timed out"});
  auto dry = WebAt(60, 4, "90");
  dry.autoscaler.spec.mode = "DryRun";
  web_.Evaluate(dry);
  const Answer answer = Run();
  EXPECT_EQ(answer.status, ExitStatus::kDone) << answer.out;
  EXPECT_EQ(answer.out,
            "5 of 5 decisions were kept with their inputs and run again: all came out as "
            "recorded.\n");
}

TEST_F(Replay, ADecisionThatDiffersIsFoundWrong) {
  web_.Evaluate(WebAt(0, 2, "33"));
  // As if another engine had recorded 5, where this one decides 4.
  const auto snapshot = WebAt(15, 4, "90");
  auto decision = engine::Decide(snapshot);
  decision.target_replicas = 5;
  const auto intent = ledger_->AppendDurably(
      store::Intended{session::Describe(snapshot, decision, Duration::Seconds(15))});
  const engine::Outcome written{engine::Outcome::Kind::kWritten, ""};
  const auto conclusion = engine::Conclude(snapshot, decision, written);
  ledger_->Append(store::Concluded{intent.id, written, After(15), conclusion.memory, &conclusion});
  const Answer answer = Run();
  EXPECT_EQ(answer.status, ExitStatus::kFoundWrong);
  EXPECT_THAT(answer.out, AllOf(HasSubstr("2026-03-04 12:00:15  shop/web    2         " + kVersion +
                                          "       desiredReplicas  5"),
                                HasSubstr("1 came out differently, and 0 of other versions.")));
  EXPECT_THAT(Run({"-o", "json"}).out,
              HasSubstr(R"({"field":"desiredReplicas","recorded":5,"now":8})"));
  EXPECT_EQ(Run({"--until", "2026-03-04T12:00:10Z"}).status, ExitStatus::kDone);
}

// The conclusion was made with an unknown outcome and stays as it is, and so does the memory.
TEST_F(Replay, ADispositionThatWasFoundOutLaterIsNoDifference) {
  web_.Evaluate(WebAt(0, 2, "33"), {engine::Outcome::Kind::kUnknown, "timed out"});
  ledger_->Append(
      store::Resolved{1, {engine::Outcome::Kind::kFailed, "replicas are 2"}, After(15)});
  const Answer answer = Run();
  EXPECT_EQ(answer.status, ExitStatus::kDone) << answer.out;
}

TEST_F(Replay, WhatAnotherVersionDecidedIsNotWrong) {
  web_.Evaluate(WebAt(0, 2, "33"));
  for (const char* version : {"0", "7"}) {
    ASSERT_TRUE(ledger_->Flush().ok());
    ASSERT_TRUE(store::Database::Open(path_, store::Access::kWrite)
                    .value()
                    ->Execute("UPDATE decisions SET desired = 5, engine = " + std::string(version) +
                              "; DELETE FROM conclusions")
                    .ok());
    const Answer answer = Run();
    EXPECT_EQ(answer.status, ExitStatus::kDone) << answer.out;
    EXPECT_THAT(answer.out, HasSubstr("Decided by other versions of the engine than this one (" +
                                      kVersion + ")"));
    EXPECT_THAT(answer.out, HasSubstr("0 came out differently, and 1 of other versions.\n"));
    EXPECT_THAT(Run({"-o", "json"}).out,
                AllOf(HasSubstr(R"({"engineVersion":)" + kVersion +
                                R"(,"recorded":1,"run":1,"differing":[],)"),
                      HasSubstr(R"("differingFromOtherVersions":[{"id":1,)")));
  }
}

TEST_F(Replay, AChangedPolicyWouldHaveDecidedOtherwise) {
  web_.Evaluate(WebAt(0, 4, "40"));
  web_.Evaluate(WebAt(15, 4, "80"));
  const Answer answer = Run({"-f", Changed(6, "10")});
  EXPECT_EQ(answer.status, ExitStatus::kDone) << answer.error;
  EXPECT_THAT(answer.out,
              StartsWith("TIME (UTC)           AUTOSCALER  REPLICAS  RECORDED  CHANGED  "
                         "WHY\n"
                         "2026-03-04 12:00:15  shop/web    4         8         6"));
  EXPECT_THAT(answer.out, AllOf(HasSubstr("1 would have come out differently.\n"),
                                HasSubstr("Replicas and load at each decision are as recorded")));
}

// Whatever the policy is, nothing can be asked for then.
TEST_F(Replay, AScaleThatWasNotReadLeadsToNoOtherCount) {
  for (const char* mode : {"Active", "DryRun"}) {
    auto unread = WebAt(0, 4, "80");
    unread.autoscaler.spec.mode = mode;
    unread.autoscaler.status.current_replicas = 4;
    unread.scale = engine::Failure{"too many requests"};
    web_.Evaluate(unread);
  }
  EXPECT_THAT(Run({"-f", Changed(6, "10")}).out, HasSubstr("0 would have come out differently.\n"));
  ASSERT_TRUE(store::Database::Open(path_, store::Access::kWrite)
                  .value()
                  ->Execute("DELETE FROM conclusions")
                  .ok());
  EXPECT_THAT(Run().out, HasSubstr("all came out as recorded"));
}

// A recommendation of the changed policy at one decision holds its count at a later one.
TEST_F(Replay, RecommendationsAreCarriedOn) {
  web_.Evaluate(WebAt(0, 8, "20"));  // 10 with a target of 2
  web_.Evaluate(WebAt(30, 8, "8"));  // 4 with it, if there were no 10 in the window
  const Answer answer = Run({"-f", Changed(20, "2"), "-o", "json"});
  EXPECT_THAT(answer.out, HasSubstr(R"("changedReplicas":10)"));
  EXPECT_THAT(answer.out, Not(HasSubstr(R"("changedReplicas":4)")));
}

TEST_F(Replay, AMetricThatWasNotMeasuredIsNamed) {
  web_.Evaluate(WebAt(0, 4, "40"));
  const std::string more =
      "  - type: External\n    external:\n      metric: {name: jobs}\n"
      "      target: {type: AverageValue, averageValue: \"1\"}\n";
  EXPECT_THAT(Run({"-f", Changed(6, "10", more)}).out,
              HasSubstr("External/jobs was not measured then; it counts as failed.\n"));
}

TEST_F(Replay, OnlyTheNewestAndNoHeadings) {
  web_.Evaluate(WebAt(0, 4, "40"));
  web_.Evaluate(WebAt(15, 4, "80"));
  web_.Evaluate(WebAt(30, 4, "90"));
  const Answer all = Run({"-f", Changed(6, "10"), "--no-headers"});
  EXPECT_THAT(all.out, StartsWith("2026-03-04 12:00:15  shop/web  4  8  6"));
  EXPECT_THAT(all.out, HasSubstr("2 would have come out differently."));
  const Answer newest = Run({"-f", Changed(6, "10"), "--no-headers", "--limit", "1"});
  EXPECT_THAT(newest.out, StartsWith("2026-03-04 12:00:30"));
  EXPECT_THAT(newest.out, HasSubstr("1 of 1 decisions were kept"));
  EXPECT_THAT(newest.error, HasSubstr("2 earlier decisions"));
  EXPECT_THAT(Run({"--limit", "1"}).out, StartsWith("1 of 1 decisions"));
}

TEST_F(Replay, ADocumentIsAlsoYaml) {
  web_.Evaluate(WebAt(0, 4, "40"));
  EXPECT_THAT(Run({"-o", "yaml"}).out, HasSubstr("\nrecorded: 1\n"));
  EXPECT_THAT(Run({"-f", Changed(6, "10"), "-o", "yaml"}).out, HasSubstr("\ndiffering: []\n"));
}

// However much differs, as after a change of the policy: what is shown is bounded, and says so.
TEST_F(Replay, ShowsTheLastDifferences) {
  for (int i = 0; i < 1'005; ++i) {
    web_.Evaluate(WebAt(15 * i, 4, "80"), {engine::Outcome::Kind::kFailed, "no"});
  }
  const std::string changed = Changed(6, "10");
  const Answer text = Run({"-f", changed, "--no-headers"});
  EXPECT_THAT(text.out, StartsWith("2026-03-04 12:01:15"));
  EXPECT_THAT(text.out, HasSubstr("the last 1000 of 1005: "));
  EXPECT_THAT(text.out, HasSubstr("1005 would have come out differently."));
  EXPECT_THAT(Run({"-f", changed, "-o", "json"}).out, HasSubstr(R"("differingLeftOut":5)"));
}

TEST_F(Replay, WrongPoliciesAreNamed) {
  web_.Evaluate(WebAt(0, 4, "40"));
  EXPECT_THAT(Run({"-f", Changed(0, "10")}).error, HasSubstr("spec.maxReplicas"));
  EXPECT_THAT(Run({"-f", folder_.Path("none.yaml")}).error, HasSubstr("cannot read"));
  EXPECT_EQ(Run({"-f", folder_.Path("none.yaml")}).status, ExitStatus::kUsedWrong);
}

// The operator evaluates such a policy if it is stored, whatever admission says of it by now.
TEST_F(Replay, WhatTheOperatorGoesOnWithIsAWarning) {
  web_.Evaluate(WebAt(0, 4, "40"));
  const std::string schedules =
      "  schedules:\n"
      "  - {name: day, timeZone: UTC, from: \"08:00\", to: \"18:00\", minReplicas: 4}\n"
      "  - {name: noon, timeZone: Etc/UTC, from: \"12:00\", to: \"13:00\", maxReplicas: 2}\n"
      "  - {name: lost, timeZone: Europe/Berln, from: \"12:00\", to: \"13:00\", minReplicas: 2}\n";
  const Answer answer = Run({"-f", Changed(10, "10", schedules)});
  EXPECT_EQ(answer.status, ExitStatus::kDone) << answer.error;
  EXPECT_THAT(answer.out, HasSubstr("1 of 1 decisions were kept with their inputs and run again"));
  EXPECT_THAT(
      answer.error,
      AllOf(HasSubstr("changed.yaml: AutoScalePolicy shop/web: warning: "
                      "spec.schedules[1].maxReplicas: never counts: 2 is less than the minReplicas "
                      "4 of the schedule \"day\""),
            HasSubstr("warning: spec.schedules[2].timeZone: is not known here")));
}

}  // namespace
}  // namespace ballast::cli
