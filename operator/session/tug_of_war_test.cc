#include "operator/session/tug_of_war.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace ballast::session {
namespace {

using ::testing::HasSubstr;

process::SteadyTime At(int seconds) {
  return process::SteadyTime() + std::chrono::seconds(seconds);
}

class TugOfWarTest : public ::testing::Test {
 protected:
  // The operator scales, and another client changes that.
  bool Undo(int at, int from, int to, int back, const char* manager = "argocd-controller") {
    tug_.Wrote(from, to);
    return tug_.Changed({{}, to, back, manager, {}}, At(at));
  }
  TugOfWar tug_;
};

TEST_F(TugOfWarTest, NamesWhoUndoesThreeTimesWithinAnHour) {
  EXPECT_TRUE(Undo(0, 2, 5, 2));
  EXPECT_TRUE(Undo(60, 2, 6, 3));
  EXPECT_FALSE(tug_.OpponentAt(At(60)));
  EXPECT_TRUE(Undo(120, 3, 2, 4));
  const auto opponent = tug_.OpponentAt(At(120));
  ASSERT_TRUE(opponent);
  EXPECT_EQ(opponent->manager, "argocd-controller");
  EXPECT_EQ(opponent->from, 2);
  EXPECT_EQ(opponent->to, 4);
  const auto news = tug_.News(At(120));
  ASSERT_TRUE(news);
  EXPECT_THAT(news->message, HasSubstr("argocd-controller keeps undoing"));
  EXPECT_THAT(news->message, HasSubstr("last from 2 to 4 replicas"));
  EXPECT_FALSE(tug_.News(At(121))) << "told";
  EXPECT_FALSE(tug_.OpponentAt(At(3'601))) << "an hour after the first of them";
}

TEST_F(TugOfWarTest, CountsOnlyWhatUndoesAWrite) {
  const struct {
    const char* about;
    int from, to, before, after;
  } kCases[] = {
      {"further up", 2, 5, 5, 8},
      {"further down", 5, 2, 2, 1},
      {"of a count that somebody else set", 2, 5, 7, 2},
  };
  for (const auto& c : kCases) {
    tug_.Wrote(c.from, c.to);
    EXPECT_FALSE(tug_.Changed({{}, c.before, c.after, "kubectl", {}}, At(0))) << c.about;
  }
  EXPECT_TRUE(Undo(0, 2, 5, 2));
  EXPECT_FALSE(tug_.Changed({{}, 2, 1, "kubectl", {}}, At(1))) << "nothing was written in between";
}

}  // namespace
}  // namespace ballast::session
