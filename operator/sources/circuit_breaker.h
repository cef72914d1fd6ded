// Keeps a metrics API that does not answer from being waited for by everybody, without leaving it
// alone for those whom it answers.
//
// - After five requests of a namespace in a row without an answer (Error::unanswered: silence, or a
//   connection that is refused or breaks off), all of which were sent since its last answer, none
//   of that namespace is sent for a second; then one is, as a probe, and while that stays
//   unanswered too the waits double, up to half a minute. Different requests take turns in being
//   the probe, so that those that would be answered again wait for as many probes at most as there
//   are others.
// - After five namespaces in a row, each of which had been answered until then, have lost their
//   answers, and none has had one in between, the same holds for all namespaces that have lost
//   theirs: one probe for all, in which namespaces take turns. Of the others four requests at a
//   time are still sent, since only these can tell whether somebody is answered. Once somebody is,
//   each namespace has a probe at once.
//
// So a namespace that is answered may ask whatever becomes of others (but for one deadline, if four
// begin to lose their answers as trials), and an API that answers nobody soon has no more than five
// requests under way, however many namespaces ask.
//
// Any answer ends it, also one that reports an error: an adapter that has no value for one
// autoscaler may have them for others, and errors that come at once delay nobody.
//
// Bounded: namespaces that have lost their answers are remembered until they have not asked for ten
// minutes, and when one was answered for as long.
//
// Thread-safety: any thread.
// Errors: kUnavailable by Admit; the same text for as long as it lasts, because it becomes a
// condition's.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "api/base/result.h"
#include "api/base/time.h"
#include "operator/process/clock.h"
#include "operator/sources/probe_turns.h"

namespace ballast::sources {

class CircuitBreaker {
 public:
  // As what a request is sent.
  enum class Permit { kUsual, kProbe, kProbeForAll, kTrial };

  // `clock` must outlive the CircuitBreaker. `api`: its name, for messages.
  CircuitBreaker(std::string api, const process::Clock& clock)
      : api_(std::move(api)), clock_(clock) {}

  // Whether a request of the namespace ("": of all) may be sent now; each one that may is followed
  // by Record(). `key`: equal for equal requests.
  Result<Permit> Admit(const std::string& namespace_, const std::string& key);
  // How that request, which was sent then, ended; nullopt: with an answer that is no error.
  void Record(const std::string& namespace_, Permit permit, process::SteadyTime sent,
              const std::optional<Error>& error);
  // That request, which might have been sent now, cannot be made. It has had its turn to probe, or
  // it would keep all others waiting for it.
  void Skip(const std::string& namespace_, const std::string& key);
  // The error of Admit() now, if it has one.
  std::optional<Error> Refusal(const std::string& namespace_, const std::string& key);

  // For how long none is sent but trials; 0: requests are sent.
  std::chrono::nanoseconds OpenFor() const;
  // How many namespaces are left alone.
  std::size_t LeftAlone() const;

 private:
  // The requests of a namespace, or the namespaces.
  struct Circuit {
    bool open() const;
    // Whether a probe may be sent.
    bool MayProbe(process::SteadyTime now) const { return now >= silent_until && !probing; }
    void Lose(const std::string& why, bool probe, const process::Instant& now);

    int unanswered = 0;  // in a row
    Time since;          // when the first of them ended
    std::string first;   // the first one's error
    std::chrono::nanoseconds wait{0};
    process::SteadyTime silent_until;  // nothing is sent before
    bool probing = false;
  };
  // A namespace whose last request was not answered.
  struct Loser {
    Circuit circuit;
    ProbeTurns keys;
    process::SteadyTime asked;  // for the last time
  };

  // Under the lock.
  Result<Permit> Decide(const std::string& namespace_, const std::string& key);
  Error NotAsked(const std::string& namespace_, const Circuit& circuit) const;
  void Answered(const std::string& namespace_);
  void Unanswered(const std::string& namespace_, Permit permit, const std::string& why);

  const std::string api_;
  const process::Clock& clock_;
  mutable std::mutex mutex_;  // guards: the rest
  std::map<std::string, Loser> losers_;
  std::map<std::string, process::SteadyTime> answered_;  // when namespaces were, for the last time
  Circuit all_;
  ProbeTurns turns_;        // of the losers, to probe for all
  std::size_t trials_ = 0;  // under way
};

}  // namespace ballast::sources
