#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/faults/faults.h"

namespace ballast::faults {
namespace {

using testing::_;
using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::Le;
using testing::Pair;
using testing::SizeIs;

// What no seed draws is what a search never meets.
TEST(SwarmTest, DrawsEachKindForSomeSeedsAndNoneForAll) {
  std::map<std::string, int> drawn;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    for (const Fault fault : Swarm::Draw(seed).on) {
      ++drawn[Name(fault)];
    }
  }
  EXPECT_THAT(drawn, SizeIs(kFaultNames.size()));
  EXPECT_THAT(drawn, Each(Pair(_, AllOf(Ge(100), Le(600)))));
}

}  // namespace
}  // namespace ballast::faults
