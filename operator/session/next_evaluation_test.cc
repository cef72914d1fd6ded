#include "operator/session/next_evaluation.h"

#include <gtest/gtest.h>

namespace ballast::session {
namespace {

Time At(int second) { return Time(1'000'000'000 + second, 0); }

void Conclude(ReleaseMoment& release, int now, std::optional<int> released,
              std::optional<int> changes) {
  engine::Snapshot snapshot;
  if (changes) {
    snapshot.schedules.emplace().next = engine::ScheduleChange{At(*changes), "night", {}};
  }
  engine::Conclusion conclusion;
  if (released) {
    conclusion.release = engine::Release{At(*released), 3};
  }
  release.Concluded(snapshot, conclusion, 5, At(now));
}

TEST(ReleaseMoment, IsTheEarlierOfReleaseAndScheduleChange) {
  const struct {
    std::optional<int> released;
    std::optional<int> changes;
    std::optional<int> held;
  } kCases[] = {{{}, {}, {}}, {60, {}, 60}, {{}, 90, 90}, {60, 90, 60}, {90, 60, 60}, {-5, 60, 60}};
  for (const auto& c : kCases) {
    ReleaseMoment release;
    Conclude(release, 0, c.released, c.changes);
    const auto due = release.After(At(0));
    EXPECT_EQ(due.has_value(), c.held.has_value());
    EXPECT_EQ(due ? due->at : Time(), c.held ? At(*c.held) : Time());
    EXPECT_EQ(due && due->prospect == Prospect::kScaleIn, c.held && c.held == c.released);
  }
}

TEST(ReleaseMoment, StandsUntilAnEvaluationHasBegunAtOrAfterIt) {
  ReleaseMoment release;
  Conclude(release, 0, 60, {});
  Conclude(release, 15, {}, {});
  EXPECT_TRUE(release.After(At(15))) << "one without a release";
  EXPECT_TRUE(release.After(At(59))) << "overdue";
  EXPECT_FALSE(release.After(At(60)));
  Conclude(release, 75, 120, {});
  release.Clear();
  EXPECT_FALSE(release.After(At(75)));
}

}  // namespace
}  // namespace ballast::session
