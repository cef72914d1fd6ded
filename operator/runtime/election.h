// The rules of leader election by a Lease, as a step without thread, clock or network.
// LeaderElector runs it.
//
//   ElectionStep step = election.Step(now);
//   while (step.request) {
//     step = election.Step(now, Send(*step.request));
//   }
//   ... repeat at step.wake_at ...
//
//   idle ──held──▶ renew ──done──▶ idle            release ─▶ read ─own─▶ write ─▶ over
//     │              └─failed─┐                                 └─▶ over
//     └──not held──────────▶ read ──free──▶ write ──▶ idle
//                              ├──held by another──▶ idle
//                              └──was held, and is no longer──▶ over
//
// An attempt of a leader that ends after the renew deadline leads to `over` as well.
//
// The rules are client-go's: the holder renews every retry_period; a candidate takes the lease if
// it sees it unchanged for its duration, by its own clock, whatever the times in the lease say.
// Ballast's are stricter in four points:
// - CheckLease() and LeaveToWrite() fail once the last renewal was sent renew_deadline ago by the
//   steady clock or by the wall clock (which goes on while a machine sleeps), so that a process
//   that was stopped finds out before it writes, not when its next renewal fails.
// - A leader that finds a lease that it did not write itself has lost it, whoever the holder is.
// - A deleted lease still belongs to its last holder for its duration, for candidates that had
//   seen it.
// - A process with the identity of the present holder is that process restarted, so it renews the
//   lease at once. It leads only if it finds its renewal still there at its next attempt: should
//   the former process still run, its own next renewal is due before that, and fails.
// A lost lease is final.
//
// Thread-safety: none; the caller's lock.
// Errors: Validate returns kInvalid, CheckLease and LeaveToWrite kForbidden, CheckAlive
// kUnavailable; failed calls are events.
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
#include "operator/process/clock.h"
#include "operator/runtime/lease.h"

namespace ballast::runtime {

struct LeaderElectionOptions {
  api::ObjectKey lease{"default", "ballast"};
  std::string identity;  // unique among the running processes
  Duration lease_duration = Duration::Seconds(15);
  Duration renew_deadline = Duration::Seconds(10);
  Duration retry_period = Duration::Seconds(2);
  std::function<double()> random = {};  // numbers in [0, 1); the default is seeded by the system
};

// kInvalid, with the flags' names, unless lease_duration > renew_deadline > 1.2 * retry_period > 0
// and lease_duration is in whole seconds.
Status Validate(const LeaderElectionOptions& options);

// What happened to the lease, for the log and for the program.
struct ElectionEvent {
  enum class Kind {
    kElected,
    kReclaimed,  // from a former process of this identity; leads if nobody else renews it
    kOtherLeads,
    kOtherHasLed,  // meanwhile, and has released the lease
    kReadAgain,    // a renewal failed: another process may have written the lease
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
  std::optional<LeaseRequest> request;  // to be sent; the next step takes its answer
  process::SteadyTime wake_at;          // without a request: when the next step is due
  std::vector<ElectionEvent> events;    // in order
};

class Election {
 public:
  explicit Election(LeaderElectionOptions options);

  // Makes the first attempt due.
  void Start(process::SteadyTime now);
  // Once the attempt under way has ended, the next step gives the lease up if it is held and was
  // renewed in time. Then the election is over.
  void Release() { releasing_ = true; }

  // `answer` is the answer to the last request; it is ignored if none is awaited. Read `now` after
  // the answer came and before sending the request.
  ElectionStep Step(process::Instant now,
                    const std::optional<Result<Lease>>& answer = std::nullopt);

  // As LeaderElector's.
  bool leads() const { return leads_; }
  bool released() const { return released_; }
  Status CheckLease(process::Instant now) const;
  Result<process::SteadyTime> LeaveToWrite(process::Instant now) const;
  std::int64_t term() const { return term_; }
  Status CheckAlive(process::SteadyTime now) const;

  const LeaderElectionOptions& options() const { return options_; }

 private:
  // What the awaited answer belongs to. From kReleaseRead on this process leads no more.
  enum class Phase { kIdle, kRenew, kRead, kWrite, kReleaseRead, kReleaseWrite, kOver };

  // The invariants, which each step leaves true.
  bool Check() const;
  void BeginAttempt(process::Instant now);
  void EndAttempt(process::Instant now, const Status& status);
  void TakeAnswer(process::Instant now, const Result<Lease>& answer);
  void OnRenewed(process::Instant now, const Result<Lease>& answer);
  void OnRead(process::Instant now, const Result<Lease>& answer);
  void OnWritten(process::Instant now, const Result<Lease>& answer);
  void TakeFrom(process::Instant now, const Lease& lease);
  void BeginRelease(process::Instant now);
  void OnReleaseRead(process::Instant now, const Result<Lease>& answer);
  void EndRelease(const Status& status);
  void Read(Phase phase);
  void Write(Phase phase, process::Instant now, LeaseRecord record, std::string resource_version);
  Status Confirm(const Result<Lease>& answer);
  void Observe(process::Instant now, const LeaseRecord& record);
  bool IsHeldByOther(process::Instant now) const;
  process::SteadyTime HeldByOtherUntil() const;  // min(): nobody else holds it
  bool IsOwn(const LeaseRecord& record) const;
  void Lose(process::Instant now, const Error& why);
  std::chrono::nanoseconds Pause(process::Instant now);

  const LeaderElectionOptions options_;
  const std::function<double()> random_;

  Phase phase_ = Phase::kIdle;
  process::SteadyTime due_ = process::SteadyTime::max();  // the next attempt, when idle
  bool releasing_ = false;
  std::optional<LeaseRequest> request_;  // to be sent
  std::vector<ElectionEvent> events_;    // for the next ElectionStep

  // The attempt under way.
  bool renews_ = false;                  // it led when the attempt began
  bool inherits_ = false;                // it writes a lease that a former process held
  std::optional<Error> renewal_failed_;  // of the renewal, before the lease was read again
  process::Instant sent_at_{};           // the last write

  std::optional<Lease> held_;  // as last confirmed; set while leading
  // Records sent since then (of a candidate only the last one); any of them may have arrived.
  std::vector<LeaseRecord> attempted_;
  std::optional<LeaseRecord> observed_;  // as last read, whoever holds it
  process::SteadyTime observed_at_{};    // when it was first read like that

  bool leads_ = false;
  bool released_ = false;          // the lease was given up
  process::Instant renewed_at_{};  // when the last renewal was sent
  std::int64_t term_ = 0;
  std::optional<process::SteadyTime>
      attempt_at_;  // when the last attempt ended, or the first began
};

}  // namespace ballast::runtime
