// Whose turn it is to probe an API that does not answer: of those that still ask, whoever has not
// probed for longest. So one that is never answered does not take the place of others that would
// be.
//
// Who has not asked for a minute does not ask any more, and is forgotten at the next probe.
//
// Thread-safety: none; the caller's lock.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <string>

#include "operator/process/clock.h"

namespace ballast::sources {

class ProbeTurns {
 public:
  void Ask(const std::string& who, process::SteadyTime now) { turns_[who].asked = now; }
  // `who` has asked.
  bool IsNext(const std::string& who, process::SteadyTime now) const {
    const process::SteadyTime own = turns_.at(who).probed;
    return std::ranges::none_of(turns_, [&](const auto& entry) {
      return entry.second.probed < own && StillAsks(entry.second, now);
    });
  }
  void Take(const std::string& who, process::SteadyTime now) {
    turns_[who] = {now, now};
    std::erase_if(turns_, [&](const auto& entry) { return !StillAsks(entry.second, now); });
  }
  void Forget(const std::string& who) { turns_.erase(who); }

 private:
  struct Turn {
    process::SteadyTime asked;   // for the last time
    process::SteadyTime probed;  // the same
  };
  static bool StillAsks(const Turn& turn, process::SteadyTime now) {
    return now - turn.asked < std::chrono::minutes(1);
  }

  std::map<std::string, Turn> turns_;
};

}  // namespace ballast::sources
