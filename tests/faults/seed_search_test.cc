#include "tests/faults/seed_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace ballast::faults {
namespace {

using testing::ElementsAre;
using testing::Eq;
using testing::IsEmpty;

using Broken = std::map<std::uint64_t, std::string>;  // by seed; another one breaks nothing

class SeedSearchTest : public testing::Test {
 protected:
  static RunSeed Breaking(Broken broken, std::vector<std::uint64_t>& runs) {
    return [broken = std::move(broken), &runs](std::uint64_t seed) {
      runs.push_back(seed);
      const auto found = broken.find(seed);
      return found == broken.end() ? std::string() : found->second;
    };
  }
  SeedSearch Search(Broken with, Broken without = {}) {
    return {.first = 7,
            .tries = 4,
            .invariants = {"early", "rate"},
            .with_defect = Breaking(std::move(with), with_),
            .without_defect = Breaking(std::move(without), without_)};
  }

  std::vector<std::uint64_t> with_;     // seeds that ran with the defect
  std::vector<std::uint64_t> without_;  // and without it
};

TEST_F(SeedSearchTest, TriesSeedsInOrderUntilAnyOfTheInvariantsBreaks) {
  EXPECT_THAT(FindSeed(Search({{9, "rate"}, {10, "early"}})), Eq(9U));
  EXPECT_THAT(with_, ElementsAre(7, 8, 9));
}

TEST_F(SeedSearchTest, GoesOnAfterAnInvariantThatIsNotLookedFor) {
  EXPECT_THAT(FindSeed(Search({{7, "why"}, {8, "crash"}, {9, "early"}})), Eq(9U));
}

TEST_F(SeedSearchTest, FindsNothingIfNoneOfTheSeedsBreaksOne) {
  EXPECT_THAT(FindSeed(Search({{7, "why"}})), Eq(std::nullopt));
  EXPECT_THAT(with_, ElementsAre(7, 8, 9, 10));
}

TEST_F(SeedSearchTest, FindsByTheLastSeedAndNotByTheNext) {
  EXPECT_THAT(FindSeed(Search({{10, "early"}})), Eq(10U));
  EXPECT_THAT(FindSeed(Search({{11, "early"}})), Eq(std::nullopt));
}

TEST_F(SeedSearchTest, RunsWithoutTheDefectOnlyWhatFoundIt) {
  EXPECT_THAT(FindSeed(Search({{7, "why"}, {8, "early"}})), Eq(8U));
  EXPECT_THAT(without_, ElementsAre(8));
}

TEST_F(SeedSearchTest, GoesOnAfterASeedThatIsBrokenWithoutTheDefect) {
  EXPECT_THAT(
      FindSeed(Search({{7, "early"}, {8, "early"}, {9, "rate"}}, {{7, "early"}, {8, "why"}})),
      Eq(9U));
  EXPECT_THAT(without_, ElementsAre(7, 8, 9));
}

TEST_F(SeedSearchTest, TakesEachFindingIfThereIsNoDefectToLeaveOut) {
  SeedSearch search = Search({{8, "early"}});
  search.without_defect = nullptr;
  EXPECT_THAT(FindSeed(search), Eq(8U));
  EXPECT_THAT(without_, IsEmpty());
}

}  // namespace
}  // namespace ballast::faults
