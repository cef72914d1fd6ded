#include "operator/os/output.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace ballast::os {

bool StaysRead(int output, Duration time) {
  using std::chrono::steady_clock;
  const auto end = steady_clock::now() + std::chrono::nanoseconds(time.nanoseconds);
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - steady_clock::now());
    // No event is asked for: an error is reported all the same.
    pollfd reader{output, 0, 0};
    const int ready =
        poll(&reader, 1, static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1'000'000)));
    if (ready > 0 && (reader.revents & POLLERR) != 0) {
      return false;
    }
    if (steady_clock::now() >= end) {
      return true;
    }
  }
}

}  // namespace ballast::os
