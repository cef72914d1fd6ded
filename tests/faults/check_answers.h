// The invariant "answer": what `ballast why` says about any moment is so in the model. Of random
// moments each replica's ledger is asked as the command line asks it, and the sentences are read:
//
//   counts       the target had as many replicas when the evaluation saw them
//   dispositions what was scaled was applied, and what could not be written was not
//   limits       minimum, maximum, windows, rates and pauses are those of the spec
//   values       metrics were of such a load, as old, and ask for what it needs
//   edits        were made, and so were the changes of replicas by others
//   rivals       an HPA's own controller scaled it so, or asked for so many
//   gaps         the replica did not run for so long, another led, or the autoscaler was made anew
//
// The ledger's times are those of its replica's clock, which may be wrong; it is read back.
//
// Thread-safety: one thread.
// Errors: the first violation is given to the Checks.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "operator/explain/moment.h"
#include "tests/faults/api_server.h"
#include "tests/faults/archive.h"
#include "tests/faults/checks.h"
#include "tests/faults/faults.h"
#include "tests/faults/load_curve.h"

namespace ballast::faults {

class Answers {
 public:
  Answers(std::uint64_t seed, const Swarm& swarm, const std::vector<Load>& loads, Checks& checks);

  // ---- What happens in the world
  struct ReplicaView {
    std::string identity;  // of its process
    bool running;
    bool stopped;      // as by SIGSTOP
    Nanoseconds wall;  // its clock
  };
  struct LoadView {
    const JsonValue* autoscaler;           // null: there is none
    std::optional<std::int64_t> replicas;  // of the target; absent: there is none
  };
  // Every few seconds.
  void Look(const std::vector<ReplicaView>& replicas, const std::string& holder,
            const std::vector<LoadView>& loads);
  void LeaseIs(const std::string& holder);
  // By whomever.
  void Scaled(std::size_t index, const ScaleWrite& write);
  // The target, with so many.
  void MadeAgain(std::size_t index, std::int64_t replicas);
  Archive& ArchiveOf(int disk);

  // Asks about so many moments of the past. Call it from outside of fibers.
  void Ask(int count);
  std::int64_t asked() const { return asked_; }

 private:
  // Clocks are read that often, and drift meanwhile.
  static constexpr Nanoseconds kRead = 15 * kSecond;
  struct Span {
    Nanoseconds from;
    Nanoseconds until;
  };
  // A replica at one moment.
  struct Seen {
    Nanoseconds at;
    Nanoseconds wall;
    std::string identity;
    std::string holder;  // of the Lease
    bool running;
    bool stopped;
  };
  // An autoscaler since one moment; without a spec: there was none.
  struct Version {
    Nanoseconds from;
    std::string uid;
    JsonValue spec;
    JsonValue annotations;
    // What the status of an HPA says.
    std::int64_t current = 0;
    std::int64_t desired = 0;

    bool IsLike(const Version& other) const {
      return uid == other.uid && spec == other.spec && annotations == other.annotations &&
             current == other.current && desired == other.desired;
    }
  };
  struct Change {
    Nanoseconds at;
    ScaleWrite write;
  };
  struct State {
    std::vector<Version> versions;
    std::vector<Change> changes;
    std::vector<std::pair<Nanoseconds, std::int64_t>> counts;  // replicas since when
  };
  // An answer, and what it is about.
  struct Answer {
    std::size_t disk;
    std::size_t index;
    const explain::Moment& moment;
    std::string text;      // of `why`
    std::string sentence;  // about the last decision
    // When the evaluations may have been made that it is about: the one that it explains, and the
    // newest one with the same result. There are several where a clock was set back.
    std::vector<Span> explained;
    std::vector<Span> newest;
  };
  using Holds = std::function<bool(std::int64_t)>;

  void AskOne(store::History& history, std::size_t disk);
  void Check(const Answer& answer);
  void CheckWords(const Answer& answer);
  void CheckCounts(const Answer& answer);
  void CheckWritten(const Answer& answer, std::int64_t from, std::int64_t to);
  void CheckFailed(const Answer& answer, std::int64_t from, std::int64_t to);
  void CheckLimits(const Answer& answer);
  void CheckRate(const Answer& answer, std::int64_t allowed);
  void CheckPause(const Answer& answer);
  void CheckMetrics(const Answer& answer);
  bool WasOf(const Answer& answer, const std::vector<Span>& spans, const std::string& name,
             std::int64_t milli) const;
  void CheckValues(const Answer& answer);
  void CheckReadings(const Answer& answer);
  void CheckAge(const Answer& answer, const std::string& age);
  void CheckEdits(const Answer& answer);
  void CheckForeignChange(const Answer& answer);
  void CheckGap(const Answer& answer);
  void CheckDowntime(const Answer& answer, Span gap);
  bool WasTold(std::size_t index, const std::vector<Span>& spans, std::int64_t count) const;
  static std::vector<Span> Observed(std::vector<Span> spans, Time time);
  void CheckObserved(const Answer& answer);
  void CheckShadow(const Answer& answer);
  void Fail(const Answer& answer, const std::string& what);

  // When the replica's clock showed that time.
  std::vector<Span> WorldTimes(std::size_t disk, Time wall) const;
  // Whether it holds for a count that the target had, for one that the load needed, or for the
  // autoscaler, at one of these times or so much before that an operator may still have known it.
  bool HadCount(std::size_t index, const std::vector<Span>& spans, Nanoseconds before,
                const Holds& holds) const;
  bool WasNeeded(const Answer& answer, const std::vector<Span>& spans, const Holds& holds) const;
  using HoldsFor = std::function<bool(const Version&)>;
  bool WasSo(std::size_t index, const std::vector<Span>& spans, const HoldsFor& holds) const;
  bool WasSo(const Answer& answer, const HoldsFor& holds) const {
    return WasSo(answer.index, answer.explained, holds);
  }
  // How many of those scalings were applied in that time.
  std::int64_t Applied(std::size_t index, std::int64_t from, std::int64_t to, Span span) const;
  // Whether calls, clocks or leaders may be wrong in this world.
  bool IsDisturbed() const;
  // How old what the operator knows may be.
  Nanoseconds ViewAge() const;

  Dice dice_;
  const Swarm& swarm_;
  const std::vector<Load>& loads_;
  Checks& checks_;
  std::vector<State> state_;
  std::vector<std::pair<Nanoseconds, std::string>> leaders_;  // since when
  std::deque<Archive> archives_;                              // of each disk
  std::vector<std::vector<Seen>> seen_;                       // each replica
  std::int64_t asked_ = 0;
};

}  // namespace ballast::faults
