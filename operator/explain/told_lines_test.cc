#include "operator/explain/told_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ballast::explain {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Time At(std::int64_t seconds) { return Time(1'800'000'000 + seconds, 0); }

store::Entry Decided(const std::string& ledger, store::DecisionId id, std::int64_t second,
                     store::Disposition disposition = store::Disposition::kWritten) {
  store::Entry entry;
  entry.id = id;
  entry.ledger = ledger;
  entry.time = entry.until = At(second);
  entry.disposition = disposition;
  return entry;
}

// follow_test.cc has those of one ledger, as it is written.
TEST(ToldLines, DecisionsOfSeveralLedgersMayHaveTheSameNumber) {
  ToldLines told(std::nullopt);
  const std::vector<Line> lines = {Decided("a", 1, 0), Decided("b", 1, 10)};
  EXPECT_THAT(told.Tell(lines, At(20)), ElementsAre(0, 1));
  told.EndReading();
  EXPECT_THAT(told.Tell(lines, At(20)), IsEmpty());
}

TEST(ToldLines, LeavesOutWhatIsBefore) {
  ToldLines told(std::nullopt);
  told.LeaveOut({At(50), 7});
  const std::vector<Line> lines = {Decided("a", 6, 40), Decided("a", 7, 50), Decided("b", 1, 55)};
  EXPECT_THAT(told.Tell(lines, At(60)), ElementsAre(1, 2));
}

TEST(ToldLines, AsksAgainForWhatIsInProgressInAnyLedger) {
  ToldLines told(std::nullopt);
  std::vector<Line> lines = {Decided("a", 3, 0, store::Disposition::kIntended),
                             Decided("b", 3, 500)};
  EXPECT_THAT(told.Tell(lines, At(510)), ElementsAre(1));
  told.EndReading();
  EXPECT_EQ(told.since(), At(0));
  lines[0] = Decided("a", 3, 0);
  EXPECT_THAT(told.Tell(lines, At(520)), ElementsAre(0));
  told.EndReading();
  EXPECT_EQ(told.since(), At(380)) << "two minutes before the newest";
}

TEST(ToldLines, AGapIsToldWithTheDecisionThatEndsIt) {
  ToldLines told(std::nullopt);
  std::vector<Line> lines = {Decided("a", 1, 0), Gap{At(0), At(100), "it was down"}};
  EXPECT_THAT(told.Tell(lines, At(50)), ElementsAre(0));
  told.EndReading();
  lines.emplace_back(Decided("b", 1, 100));
  EXPECT_THAT(told.Tell(lines, At(110)), ElementsAre(1, 2));
}

}  // namespace
}  // namespace ballast::explain
