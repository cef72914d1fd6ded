#include "operator/cluster/watch_lag.h"

#include <gtest/gtest.h>

#include <chrono>

namespace ballast::cluster {
namespace {

using namespace std::chrono_literals;

TEST(IsBehind, WhenEvidenceLastsThatNoReadingHasExplained) {
  const struct {
    const char* name;
    std::chrono::seconds since;
    std::chrono::seconds read_at;
    std::chrono::seconds now;
    bool behind;
  } kCases[] = {
      {"for a moment", 100s, 50s, 109s, false},
      {"for long enough", 100s, 50s, 110s, true},
      {"read since", 100s, 105s, 111s, false},
      {"outlasted a reading", 100s, 105s, 120s, false},
      {"outlasted it for an hour", 100s, 105s, 3705s, true},
      {"came back after a reading", 200s, 105s, 210s, true},
  };
  for (const auto& c : kCases) {
    using process::SteadyTime;
    EXPECT_EQ(IsBehind(SteadyTime(c.since), SteadyTime(c.read_at), SteadyTime(c.now)), c.behind)
        << c.name;
  }
}

}  // namespace
}  // namespace ballast::cluster
