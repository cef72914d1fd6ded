// How often a message is written: once a minute for one object and cause. What fails for thousands
// of objects, or fails again at every try, does not fill the disk, and hides nothing else.
//
// Bounded: of more kinds in a minute than `max_kinds`, those that come last share one place for
// each message. Thread-safety: any thread. It cannot fail.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace ballast::log {

class Limiter {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::minutes kPeriod{1};

  explicit Limiter(std::size_t max_kinds = 10'000) : max_kinds_(max_kinds) {}

  // Whether it is to be written now, and then how many of its kind were held back since the last
  // that was.
  std::optional<std::uint64_t> Admit(std::string_view message, std::string_view object,
                                     std::string_view cause, SteadyTime now);

 private:
  struct Kind {
    std::string name;
    SteadyTime written;
    std::uint64_t held_back = 0;
  };
  std::optional<std::uint64_t> AdmitKind(std::list<Kind>::iterator kind, SteadyTime now);
  bool MakeRoom(SteadyTime now);

  const std::size_t max_kinds_;
  std::mutex mutex_;       // guards: the rest
  std::list<Kind> kinds_;  // as written, the longest ago first
  std::map<std::string_view, std::list<Kind>::iterator> by_name_;
};

}  // namespace ballast::log
