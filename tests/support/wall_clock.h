// What a clock on the wall of a zone shows, by the system's own conversion (localtime_r), which
// shares nothing with cctz but the database.
//
// Thread-safety: one thread, and one clock at a time: it sets the variable TZ.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>

namespace ballast::support {

class WallClock {
 public:
  explicit WallClock(const char* zone) {
    if (const char* const before = std::getenv("TZ")) {
      before_ = before;
    }
    setenv("TZ", zone, 1);
    tzset();
  }
  ~WallClock() {
    before_ ? setenv("TZ", before_->c_str(), 1) : unsetenv("TZ");
    tzset();
  }
  WallClock(const WallClock&) = delete;
  WallClock& operator=(const WallClock&) = delete;

  // In seconds, as all times here: since 1970.
  std::int64_t OffsetAt(std::int64_t time) const {
    const std::time_t seconds = time;
    std::tm shown{};
    localtime_r(&seconds, &shown);
    return shown.tm_gmtoff;
  }

  // Calls `look(time, shown)` for each minute from `from` until `until`. A time that is shown again
  // has been before, so `shown` is the latest that the clock has shown so far.
  template <typename Look>
  void EachMinute(std::int64_t from, std::int64_t until, const Look& look) const {
    constexpr std::int64_t kMinute = 60;
    constexpr std::int64_t kLongestSecondShowing = 3LL * 24 * 3600;
    std::int64_t latest = 0;
    for (std::int64_t time = from - kLongestSecondShowing; time < until; time += kMinute) {
      latest = std::max(latest, time + OffsetAt(time));
      if (time >= from) {
        look(time, latest);
      }
    }
  }

 private:
  std::optional<std::string> before_;
};

}  // namespace ballast::support
