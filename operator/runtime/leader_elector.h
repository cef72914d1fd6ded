// Leader election by a Lease: at most one of the replicas leads.
//
//   LeaderElector elector(transport, clock, options, {.on_lost = ..., .on_other = ...});
//   elector.Start();
//   elector.AwaitLeadership(stop);
//   ... elector.LeaveToWrite() before each write ...
//   elector.Release();  // once nothing writes any more
//
// Runs an Election, which has the rules. A lost lease is final: end the program. Give the election
// a transport of its own, so that load cannot delay a renewal.
//
// Thread-safety: Start, AwaitLeadership and Release: owning thread only. The rest: any thread.
// Errors: CheckLease and LeaveToWrite return kForbidden, CheckAlive kUnavailable; failed calls are
// logged and tried again.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "api/base/result.h"
#include "operator/kube/client.h"
#include "operator/kube/transport.h"
#include "operator/process/clock.h"
#include "operator/process/runner.h"
#include "operator/runtime/election.h"
#include "operator/runtime/lease.h"
#include "operator/runtime/runtime_metrics.h"

namespace ballast::runtime {

class LeaderElector {
 public:
  // Called on the elector's thread.
  struct ElectionHooks {
    std::function<void(const Error& why)> on_lost;  // at most once
    std::function<void(const std::string& holder)> on_other = [](const std::string&) {};
    LeaderElectionMetrics metrics = {};
  };

  // `transport` and `clock` must outlive the elector.
  LeaderElector(kube::Transport& transport, process::Clock& clock,
                const LeaderElectionOptions& options, ElectionHooks hooks);

  // From now on tries to take the lease, and renews it once elected.
  void Start();
  // Waits until elected. False: `stop` was requested.
  bool AwaitLeadership(const std::stop_token& stop);
  // Ends the election, and gives the lease up if it is held and was renewed in time. Whether it was
  // given up.
  bool Release();

  // Whether a write may start now; kForbidden says why not.
  Status CheckLease() const;
  // The same, and until when the write may be under way: nobody takes the lease before, except a
  // process of the same identity or, if the Lease is deleted, one that has never seen it.
  Result<process::SteadyTime> LeaveToWrite() const;
  // The Lease's leaseTransitions when this process last held it: which holder it was, from 0.
  std::int64_t term() const;
  // Whether a process of another host held the lease when this one looked, or between two looks.
  // (An identity is a host's name, "_" and what makes it unique.)
  bool OthersHaveLed() const { return others_have_led_; }
  // kUnavailable if, since Start(), no attempt to take or renew the lease has ended for 20 s longer
  // than the lease lasts.
  Status CheckAlive() const;

 private:
  process::SteadyTime Turn();
  ElectionStep Step(const std::optional<Result<Lease>>& answer);
  Result<Lease> Answer(const LeaseRequest& request);
  void OnEvent(const ElectionEvent& event);

  kube::Client client_;
  process::Clock& clock_;
  const ElectionHooks hooks_;

  mutable std::mutex mutex_;  // guards: election_, except its options
  std::condition_variable_any elected_;
  Election election_;
  std::atomic<bool> others_have_led_ = false;

  process::Runner runner_;
};

}  // namespace ballast::runtime
