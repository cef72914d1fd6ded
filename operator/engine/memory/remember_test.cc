#include "operator/engine/memory/remember.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "operator/engine/testing/test_snapshot.h"

namespace ballast::engine {
namespace {

using testing::Ago;
using ::testing::ElementsAre;
using testing::kNow;
using ::testing::SizeIs;

TEST(Remember, ChangesCountAsLongAsARateMayBe) {
  Memory memory;
  CountChange(memory, Ago(1'801), 2, 9);
  CountChange(memory, Ago(1'800), 2, 5);
  CountChange(memory, Ago(0), 5, 1);
  EXPECT_THAT(memory.scale_ups, ElementsAre(ScaleEvent{Ago(1'800), 3}));
  EXPECT_THAT(memory.scale_downs, ElementsAre(ScaleEvent{Ago(0), 4}));
}

// Nothing else makes an HPA's list of recommendations shorter.
TEST(Remember, ALateAttemptAddsNothingThatIsKnown) {
  Snapshot snapshot = testing::MakeHpa(3);
  snapshot.autoscaler.spec.behavior.emplace();  // of which rates are a part
  Decision decision;
  decision.current_replicas = 3;
  decision.target_replicas = 5;
  decision.memory.recommendations = {{Ago(15), 3}, {kNow, 5}};
  Memory memory{.recommendations = {{Ago(15), 3}, {Ago(-15), 4}}};
  for (int i = 0; i < 2; ++i) {
    CountLateAttempt(memory, snapshot, decision, {Outcome::Kind::kUnknown, "lost"}, {});
    EXPECT_THAT(memory.recommendations,
                ElementsAre(Recommendation{Ago(15), 3}, Recommendation{Ago(-15), 4},
                            Recommendation{kNow, 5}));
    EXPECT_THAT(memory.scale_ups, ElementsAre(ScaleEvent{kNow, 2}));
  }
}

TEST(Remember, ALateAttemptCountsAsFarAsItsEvaluationDoes) {
  const struct {
    const char* about;
    std::optional<Break> since;
    std::size_t recommendations;
    std::size_t events;
  } kCases[] = {{"nothing broke off", {}, 1, 1},
                {"in doubt", Break::kDoubt, 1, 1},
                {"it yielded", Break::kYielded, 0, 1},
                {"another target", Break::kOtherTarget, 0, 0}};
  Snapshot snapshot = testing::MakePolicy(3);
  snapshot.autoscaler.spec.behavior.emplace();
  Decision decision;
  decision.current_replicas = 3;
  decision.target_replicas = 5;
  decision.memory.recommendations = {{kNow, 5}};
  for (const auto& c : kCases) {
    Memory memory;
    CountLateAttempt(memory, snapshot, decision, {Outcome::Kind::kWritten, ""}, c.since);
    EXPECT_THAT(memory.recommendations, SizeIs(c.recommendations)) << c.about;
    EXPECT_THAT(memory.scale_ups, SizeIs(c.events)) << c.about;
  }
}

}  // namespace
}  // namespace ballast::engine
