#include "operator/process/clock.h"

namespace ballast::process {

Time SystemClock::Now() const {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return Time::FromUnixNanoseconds(
      std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count());
}

SteadyTime SystemClock::Steady() const { return std::chrono::steady_clock::now(); }

void SystemClock::WaitUntil(std::unique_lock<std::mutex>& lock, std::condition_variable& wake,
                            SteadyTime deadline) {
  if (deadline == SteadyTime::max()) {
    wake.wait(lock);
  } else {
    wake.wait_until(lock, deadline);
  }
}

const Clock& RealClock() {
  static const SystemClock clock;
  return clock;
}

Instant ReadBoth(const Clock& clock) {
  constexpr std::chrono::milliseconds kInterrupted{100};
  constexpr int kTries = 5;
  Instant instant;
  for (int i = 0; i < kTries; ++i) {
    instant = {clock.Now(), clock.Steady()};
    const Time again = clock.Now();
    if ((again - instant.wall).nanoseconds < std::chrono::nanoseconds(kInterrupted).count()) {
      break;
    }
  }
  return instant;
}

}  // namespace ballast::process
