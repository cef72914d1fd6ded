// Leader election by a Lease: of all replicas, one leads.
//
//   LeaderElector elector(transport, clock, options, {.on_lost = ..., .on_other = ...});
//   elector.Start();
//   elector.AwaitLeadership(stop);
//   ... elector.LeaveToWrite() before each write ...
//   elector.Release();  // when nothing writes any more
//
// The rules are the Election's; this runs it. A lost lease is final: end the program. Give the
// election a transport of its own, so that load cannot keep a renewal waiting. Thread-safety:
// Start, AwaitLeadership and Release are the owner's, the rest any thread's.
#pragma once

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
#include "operator/runtime/clock.h"
#include "operator/runtime/election.h"
#include "operator/runtime/lease.h"
#include "operator/runtime/runner.h"
#include "operator/runtime/runtime_metrics.h"

namespace ballast::runtime {

class LeaderElector {
 public:
  // Called on the elector's thread.
  struct Hooks {
    std::function<void(const Error& why)> on_lost;  // once at most
    std::function<void(const std::string& holder)> on_other = [](const std::string&) {};
    LeaderElectionMetrics metrics = {};
  };

  // `transport` and `clock` must outlive this.
  LeaderElector(kube::Transport& transport, Clock& clock, const LeaderElectionOptions& options,
                Hooks hooks);

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
  SteadyTime Turn();
  ElectionStep Step(const std::optional<Result<Lease>>& answer);
  Result<Lease> Answer(const LeaseRequest& request);
  void OnEvent(const ElectionEvent& event);

  kube::Client client_;
  Clock& clock_;
  const Hooks hooks_;

  mutable std::mutex mutex_;  // guards: election_, but for its options
  std::condition_variable_any elected_;
  Election election_;

  Runner runner_;
};

}  // namespace ballast::runtime
