// Whether this process may act: with --leader-elect while it holds the Lease, else always.
//
// Thread-safety: Make, Part and GiveUp: owning thread only. The rest: any thread.
// Errors: Make: kInvalid, or that of connecting. Check, CheckAlive, LeaveToWrite and LeaveToReport:
// the elector's.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "api/base/result.h"
#include "operator/app/operator_options.h"
#include "operator/kube/auth/config.h"
#include "operator/kube/http/connect.h"
#include "operator/process/clock.h"
#include "operator/process/manager.h"
#include "operator/runtime/leader_elector.h"
#include "operator/session/leadership.h"
#include "operator/telemetry/registry.h"

namespace ballast::app {

class LeaderPart final : public session::Leadership {
 public:
  // What happens to the Lease; called on the elector's thread.
  struct Callbacks {
    std::function<void(const Error& why)> lost;
    std::function<void(const std::string& holder)> other_leads;
  };

  // Opens a connection of its own with the options `connect`. The clock must outlive the
  // LeaderPart. kInvalid: the flags are inconsistent.
  static Result<std::unique_ptr<LeaderPart>> Make(const OperatorOptions& options,
                                                  const kube::ClusterConfig& config,
                                                  kube::ConnectOptions connect,
                                                  process::Clock& clock,
                                                  telemetry::Registry& registry,
                                                  Callbacks callbacks);

  // The election's identity; without an election the host name.
  const std::string& identity() const { return identity_; }

  std::int64_t term() const override { return elector_ ? elector_->term() : 0; }
  bool leads() const override { return Check().ok(); }
  // Another host, as far as this process knows.
  bool others_have_led() const override { return elector_ && elector_->OthersHaveLed(); }

  // Starting waits until this process leads; stopping gives the Lease up.
  process::Manager::Part Part();
  // Gives the Lease up: nothing may be written any more.
  void GiveUp();

  // Done: a write may start now.
  Status Check() const { return elector_ ? elector_->CheckLease() : Status(Done{}); }
  // As Check(), with the time until which the write must have ended.
  Result<process::SteadyTime> LeaveToWrite() const {
    return elector_ ? elector_->LeaveToWrite() : process::SteadyTime::max();
  }
  // As LeaveToWrite(), for events: what this process did while it led may still be told for a while
  // after it gave the Lease up, but not after it lost it.
  Result<process::SteadyTime> LeaveToReport() const;
  // Done, unless the election hangs.
  Status CheckAlive() const { return elector_ ? elector_->CheckAlive() : Status(Done{}); }

 private:
  std::string identity_;
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<runtime::LeaderElector> elector_;  // null: always leads
  const process::Clock* clock_ = nullptr;
  std::atomic<process::SteadyTime> report_until_ = process::SteadyTime::min();
};

}  // namespace ballast::app
