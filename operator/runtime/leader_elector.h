// Leader election by a Lease: of all replicas, one leads.
//
//   LeaderElector elector(transport, clock, options, [&](const Error& why) { manager.Fail(why); });
//   elector.Start();
//   elector.AwaitLeadership(stop);
//   ... elector.LeaveToWrite() before each write ...
//   elector.Release();  // when nothing writes any more
//
// The rules are client-go's: the holder renews every retry_period; whoever sees the lease unchanged
// for its duration, by the own clock and whatever the times in it say, takes it. Stricter than
// there:
// - CheckLease() refuses, and so does LeaveToWrite(), as soon as the last renewal was sent longer
// than renew_deadline ago by the
//   steady or by the wall clock (which goes on while a machine sleeps), so that a process that was
//   stopped finds out before it writes, and not when the next renewal fails.
// - Whoever leads and finds a lease that it did not write itself has lost it, whoever holds it.
// - A lease that somebody deleted is still its last holder's for its duration.
// - A process with the identity of the present holder renews the lease at once: it is the former
//   one, started again. It leads when it finds its renewal still there at its next attempt: should
//   the former one be running after all, that one has found out meanwhile that it lost the lease.
// A lost lease is final: end the program. Give the election a transport of its own, so that load
// cannot keep a renewal waiting. Thread-safety: Start, AwaitLeadership and Release are the owner's,
// the rest any thread's.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "api/kubernetes/meta.h"
#include "operator/kube/client.h"
#include "operator/kube/transport.h"
#include "operator/runtime/clock.h"
#include "operator/runtime/lease.h"
#include "operator/runtime/runtime_metrics.h"

namespace ballast::runtime {

struct LeaderElectionOptions {
  api::ObjectKey lease{"default", "ballast"};
  std::string identity;  // unique among the processes that run
  Duration lease_duration = Duration::Seconds(15);
  Duration renew_deadline = Duration::Seconds(10);
  Duration retry_period = Duration::Seconds(2);
  LeaderElectionMetrics metrics;
  // Somebody else was seen to lead. On the elector's thread.
  std::function<void(const std::string& holder)> on_other = {};
  std::function<double()> random = {};  // numbers in [0, 1); the default is seeded by the system
};

// kInvalid, with the flags' names, unless lease_duration > renew_deadline > 1.2 * retry_period > 0
// and the duration is in whole seconds.
Status Validate(const LeaderElectionOptions& options);

class LeaderElector {
 public:
  // All must outlive this. `on_lost` is called once at most, on the elector's thread.
  LeaderElector(kube::Transport& transport, Clock& clock, LeaderElectionOptions options,
                std::function<void(const Error& why)> on_lost);
  ~LeaderElector();
  LeaderElector(const LeaderElector&) = delete;
  LeaderElector& operator=(const LeaderElector&) = delete;

  // Campaigns from now on, and renews once elected.
  void Start();
  // Waits until elected. False: `stop` was requested.
  bool AwaitLeadership(const std::stop_token& stop);
  // Ends the election and gives the lease up if it is held.
  void Release();

  // Done: a write may start now. kForbidden says why not.
  Status CheckLease() const;
  // The same, and until when the write may be under way: nobody else can have taken the lease
  // before.
  Result<SteadyTime> LeaveToWrite() const;
  // Which holder of the lease this is, counted from 0; the last one that it was.
  std::int64_t term() const;
  bool IsLeader() const { return CheckLease().ok(); }
  // Done, unless no attempt to get or renew the lease has ended for far too long since Start().
  Status CheckAlive() const;

 private:
  // What one attempt came to; an error passes, unless the lease was lost.
  struct Attempt {
    Status status = Done{};
    bool lost = false;
  };

  void Run(const std::stop_token& stop);
  Attempt Renew();
  Attempt Acquire();
  Attempt Try();
  Attempt TakeFrom(const Lease& lease);
  Result<Lease> Send(const LeaseRecord& record, const std::string& resource_version);
  Status Touch(const LeaseRecord& record, const std::string& resource_version);
  Status Write(const LeaseRecord& record, const std::string& resource_version);
  Status GiveUp();
  void Observe(const LeaseRecord& record);
  bool IsHeldByOther() const;
  bool IsOwn(const LeaseRecord& record) const;
  std::chrono::nanoseconds Pause();
  void Lose(const Error& why);
  Status CheckLeaseLocked() const;
  void SetLeader(bool leader);

  kube::Client client_;
  Clock& clock_;
  const LeaderElectionOptions options_;
  const std::function<void(const Error&)> on_lost_;
  const std::function<double()> random_;

  // The thread's own, and Release()'s after it.
  std::optional<Lease> held_;  // as last confirmed; set while leading
  // Sent since then, of a candidate the last; any of them may have arrived.
  std::vector<LeaseRecord> attempted_;
  std::optional<LeaseRecord> observed_;  // of whoever
  SteadyTime observed_at_{};             // when it was first seen so

  mutable std::mutex mutex_;  // guards: everything below
  std::condition_variable_any elected_;
  bool leader_ = false;
  SteadyTime renewed_at_{};  // when the last renewal was sent
  Time renewed_wall_{};
  std::int64_t term_ = 0;
  std::optional<SteadyTime> attempt_at_;  // when the last attempt ended, or the first began

  std::jthread thread_;
};

}  // namespace ballast::runtime
