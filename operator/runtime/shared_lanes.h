// How namespaces share the lanes in which requests are under way: a few, each of which a request
// that hangs holds until its deadline.
//
// A namespace may hold all lanes while no other has asked for a minute, a slow one all but n/4 of
// n. Else, with n lanes:
//
// - none holds more than n/2, and one that holds any leaves n/4 to those that hold none;
// - slow namespaces together hold at most n/2 while others are answered promptly, of which one that
//   holds any leaves n/8 to slow ones that hold none. A namespace is slow from when a request of
//   its has taken longer than a second until a minute has passed without one and at least eight in
//   a row were served in less, or it has not asked for a minute.
//
// A prompt refusal (an error as the answer) says nothing of how long the next service takes, so a
// slow namespace stays one. But whoever is refused promptly keeps no lane, so that it need not wait
// for the slow ones: it counts as answered.
//
// So a namespace that is answered promptly and holds no lane waits for k others like it for at most
// 2k/n seconds, rounded up: n/2 lanes are left to them, and none holds one for longer than a
// second. Longer only when h namespaces begin to hang within a request's deadline of each other:
// then it waits for 2h/n deadlines at most, rounded down (with eight lanes not at all for three of
// them); and for one when a namespace hangs that was alone. After that they are known to be slow.
// A slow namespace that holds no lane waits besides for k others like it, and for what it has asked
// for before, for at most 2(k+1)/n deadlines each, rounded up; with eight lanes, for one other not
// at all. With fewer than four lanes none is left to those that hold none, and one lane is shared
// by turns alone.
//
// Nothing here happens by time alone: Look and those that are told the time see that it has passed.
//
// Thread-safety: none; the caller's lock.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <map>
#include <optional>
#include <string>

#include "operator/process/clock.h"

namespace ballast::runtime {

class SharedLanes {
  struct HeldLane {
    std::string namespace_;
    process::SteadyTime since;
  };

 public:
  using Lane = std::list<HeldLane>::iterator;
  // How a request ended: with what it asked for, with an error, or before it was sent, so that how
  // long it took says nothing.
  enum class LaneOutcome { kServed, kRefused, kUnsent };

  static constexpr std::chrono::seconds kPrompt{1};
  static constexpr std::chrono::minutes kRemembered{1};

  explicit SharedLanes(std::size_t lanes) : lanes_(lanes) {}

  // A request of the namespace takes its place in the line.
  void Ask(const std::string& namespace_, process::SteadyTime now);
  // Notes who is slow by now.
  void Look(process::SteadyTime now);
  // Whether one may begin, and whether the namespace is slow, as of the last call that was told the
  // time.
  bool May(const std::string& namespace_) const;
  bool IsSlow(const std::string& namespace_) const { return slow_.contains(namespace_); }
  Lane Begin(const std::string& namespace_, process::SteadyTime now);
  void End(Lane lane, LaneOutcome ended, process::SteadyTime now);

  std::size_t lanes() const { return lanes_; }
  std::size_t held() const { return held_.size(); }
  // Of these, by slow namespaces, as of the last call that was told the time.
  std::size_t slow() const { return held_by_slow_; }

 private:
  struct SlowNamespace {
    process::SteadyTime seen;   // when a request last took long
    process::SteadyTime asked;  // when it last did
    int prompt = 0;             // that were served in a row since
  };

  const std::size_t lanes_;
  std::list<HeldLane> held_;
  std::size_t held_by_slow_ = 0;
  std::map<std::string, SlowNamespace> slow_;
  // No slow namespace is forgotten before.
  process::SteadyTime next_forgotten_ = process::SteadyTime::max();
  std::optional<std::string> last_;   // that has asked
  process::SteadyTime last_asked_;    // when it did
  process::SteadyTime shared_until_;  // several have asked
  process::SteadyTime prompt_until_;  // some are answered promptly
  process::SteadyTime now_;           // at the last look
};

}  // namespace ballast::runtime
