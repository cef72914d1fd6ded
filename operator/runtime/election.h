// The rules of leader election by a Lease, as a step without thread, clock or network. The
// LeaderElector runs it.
//
//   ElectionStep step = election.Step(now);
//   while (step.request) {
//     step = election.Step(now, Send(*step.request));
//   }
//   ... at step.wake_at the same again ...
//
//   idle ──held──▶ renew ──done──▶ idle            release ─▶ read ─own─▶ write ─▶ over
//     │              └─failed─┐                                 └─▶ over
//     └──not held──────────▶ read ──free──▶ write ──▶ idle
//                              ├──held by another──▶ idle
//                              └──was held, and is not any more──▶ over
//
// The rules are client-go's: the holder renews every retry_period; a candidate that sees the lease
// unchanged for its duration, by its own clock and whatever the times in the lease say, takes it.
// Stricter than there:
// - CheckLease() and LeaveToWrite() refuse as soon as the last renewal was sent longer than
//   renew_deadline ago by the steady or by the wall clock (which goes on while a machine sleeps),
//   so that a process that was stopped finds out before it writes, and not when the next renewal
//   fails.
// - A leader that finds a lease that it did not write itself has lost it, whatever the holder.
// - A lease that was deleted is still its last holder's for its duration.
// - A process with the identity of the present holder renews the lease at once: it is the former
//   one, started again. It leads when it finds its renewal still there at its next attempt: should
//   the former one be running after all, that one has found out meanwhile that it lost the lease.
// A lost lease is final. Thread-safety: none; the caller's lock.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "api/kubernetes/meta.h"
#include "operator/runtime/clock.h"
#include "operator/runtime/lease.h"

namespace ballast::runtime {

struct LeaderElectionOptions {
  api::ObjectKey lease{"default", "ballast"};
  std::string identity;  // unique among the processes that run
  Duration lease_duration = Duration::Seconds(15);
  Duration renew_deadline = Duration::Seconds(10);
  Duration retry_period = Duration::Seconds(2);
  std::function<double()> random = {};  // numbers in [0, 1); the default is seeded by the system
};

// kInvalid, with the flags' names, unless lease_duration > renew_deadline > 1.2 * retry_period > 0
// and the duration is in whole seconds.
Status Validate(const LeaderElectionOptions& options);

// What happened to the lease, for the log and for the program.
struct ElectionEvent {
  enum class Kind {
    kElected,
    kReclaimed,  // from a former process of this identity; it leads if nobody renews it meanwhile
    kOtherLeads,
    kReadAgain,  // a renewal failed: maybe another one wrote the lease
    kNotRenewed,
    kNotTaken,
    kLost,  // final
    kReleased,
    kNotReleased,
  };
  Kind kind;
  std::string holder = {};        // kOtherLeads
  std::optional<Error> why = {};  // kNotRenewed, kNotTaken, kLost, kNotReleased
};

struct ElectionStep {
  std::optional<LeaseRequest> request;  // its answer is awaited before anything else
  SteadyTime wake_at;                   // without a request: when the next step is due
  std::vector<ElectionEvent> events;    // in order
};

class Election {
 public:
  explicit Election(LeaderElectionOptions options);

  // The first attempt is due.
  void Start(SteadyTime now);
  // From the next step on, after the attempt that is under way, the lease is given up if it is
  // held; then nothing happens any more.
  void Release() { releasing_ = true; }

  // `answer`: to the last request; without one that is awaited it counts for nothing. `now` is read
  // after the answer came and before a request is sent.
  ElectionStep Step(Instant now, const std::optional<Result<Lease>>& answer = std::nullopt);

  // As the LeaderElector's.
  bool leads() const { return leads_; }
  Status CheckLease(Instant now) const;
  Result<SteadyTime> LeaveToWrite(Instant now) const;
  std::int64_t term() const { return term_; }
  Status CheckAlive(SteadyTime now) const;

  const LeaderElectionOptions& options() const { return options_; }

 private:
  // What the awaited answer is to.
  enum class Phase { kIdle, kRenew, kRead, kWrite, kReleaseRead, kReleaseWrite, kOver };

  void BeginAttempt(Instant now);
  void EndAttempt(Instant now, const Status& status);
  void TakeAnswer(Instant now, const Result<Lease>& answer);
  void OnRenewed(Instant now, const Result<Lease>& answer);
  void OnRead(Instant now, const Result<Lease>& answer);
  void OnWritten(Instant now, const Result<Lease>& answer);
  void TakeFrom(Instant now, const Lease& lease);
  void BeginRelease(Instant now);
  void OnReleaseRead(Instant now, const Result<Lease>& answer);
  void EndRelease(const Status& status);
  void Read(Phase phase);
  void Write(Phase phase, Instant now, LeaseRecord record, std::string resource_version);
  Status Confirm(const Result<Lease>& answer);
  void Observe(Instant now, const LeaseRecord& record);
  bool IsHeldByOther(Instant now) const;
  bool IsOwn(const LeaseRecord& record) const;
  void Lose(Instant now, const Error& why);
  std::chrono::nanoseconds Pause();

  const LeaderElectionOptions options_;
  const std::function<double()> random_;

  Phase phase_ = Phase::kIdle;
  SteadyTime due_ = SteadyTime::max();  // the next attempt, when idle
  bool releasing_ = false;
  std::optional<LeaseRequest> request_;  // to be sent
  std::vector<ElectionEvent> events_;    // to be told

  // Of the attempt under way.
  bool renews_ = false;                  // it led when this began
  bool inherits_ = false;                // what it writes was a former process's
  std::optional<Error> renewal_failed_;  // the short way, before it read the lease again
  Instant sent_at_{};                    // the last write

  std::optional<Lease> held_;  // as last confirmed; set while leading
  // Sent since then, of a candidate the last; any of them may have arrived.
  std::vector<LeaseRecord> attempted_;
  std::optional<LeaseRecord> observed_;  // whoever holds it
  SteadyTime observed_at_{};             // when it was first seen so

  bool leads_ = false;
  Instant renewed_at_{};  // when the last renewal was sent
  std::int64_t term_ = 0;
  std::optional<SteadyTime> attempt_at_;  // when the last attempt ended, or the first began
};

}  // namespace ballast::runtime
