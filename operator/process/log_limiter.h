// Limits how often a message is written: once a minute for each object and cause (a kind), so that
// what fails for thousands of objects, or at every try, neither fills the disk nor hides the rest.
//
// Memory is bounded: if a minute has more than `max_kinds` kinds, the last of them share one entry
// for each message.
//
// Thread-safety: any thread.
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

#include "operator/process/clock.h"

namespace ballast::log {

class Limiter {
 public:
  using SteadyTime = process::SteadyTime;
  static constexpr std::chrono::minutes kPeriod{1};

  explicit Limiter(std::size_t max_kinds = 10'000) : max_kinds_(max_kinds) {}

  // If the message is to be written now, how many of its kind were held back since the last one
  // that was written; else nullopt.
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
  std::list<Kind> kinds_;  // ordered by `written`, oldest first
  std::map<std::string_view, std::list<Kind>::iterator> by_name_;
};

}  // namespace ballast::log
