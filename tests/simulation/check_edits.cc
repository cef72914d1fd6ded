// The invariant "suspended": nothing is scaled while the mode or a pause forbids it.
#include <algorithm>

#include "tests/simulation/checks.h"

namespace ballast::simulation {
namespace {

// Two clocks drift apart by so much in a run, and a pause ends by a clock.
constexpr Nanoseconds kApart = 200 * kSecond;
// A wall clock that was set is set right again by then.
constexpr Nanoseconds kSetRight = 500 * kSecond;

}  // namespace

void Checks::CheckSuspended(std::size_t index, const ScaleWrite& write) {
  const Nanoseconds now = Fibers::Get().now();
  const bool in = write.to < write.from;
  if (!clocks_set_.empty() && clocks_set_.back() > now - kSetRight - lateness_) {
    return;
  }
  for (const Load::Suspension& suspension : loads_[index].suspensions) {
    if ((in ? suspension.in : suspension.out) && now > suspension.from + lateness_ + 60 * kSecond &&
        now < suspension.until - kApart) {
      Fail("suspended", loads_[index].name + ": " + std::to_string(write.from) + " to " +
                            std::to_string(write.to) + " although it has been suspended for " +
                            std::to_string((now - suspension.from) / kSecond) + " s");
    }
  }
}

}  // namespace ballast::simulation
