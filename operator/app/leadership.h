// Whether this process may act: with --leader-elect while it holds the Lease, else always.
//
// Thread-safety: Make and Run are the owner's, the rest any thread's.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "api/base/result.h"
#include "operator/app/operator_options.h"
#include "operator/kube/config.h"
#include "operator/kube/connect.h"
#include "operator/runtime/clock.h"
#include "operator/runtime/leader_elector.h"
#include "operator/runtime/manager.h"
#include "operator/telemetry/registry.h"

namespace ballast::app {

class Leadership {
 public:
  // What to do when things happen to the lease; on the election's thread.
  struct Callbacks {
    std::function<void(const Error& why)> lost;
    std::function<void(const std::string& holder)> other_leads;
  };

  // Makes a connection of its own like `connect`. The clock must outlive this. kInvalid: flags that
  // do not fit together.
  static Result<std::unique_ptr<Leadership>> Make(const OperatorOptions& options,
                                                  const kube::ClusterConfig& config,
                                                  kube::ConnectOptions connect,
                                                  runtime::Clock& clock,
                                                  telemetry::Registry& registry,
                                                  Callbacks callbacks);

  // As whom it leads: the election's identity, without an election the host's name.
  const std::string& identity() const { return identity_; }

  // Which leader this is, counted from the lease's first; without an election 0.
  std::int64_t term() const { return elector_ ? elector_->term() : 0; }

  // What waits until this process leads, and gives the lease up.
  runtime::Manager::Part Part();

  // Done: a write may start now.
  Status Check() const { return elector_ ? elector_->CheckLease() : Status(Done{}); }
  // The same, and until when it may be under way.
  Result<runtime::SteadyTime> LeaveToWrite() const {
    return elector_ ? elector_->LeaveToWrite() : runtime::SteadyTime::max();
  }
  // Done, unless the election hangs.
  Status CheckAlive() const { return elector_ ? elector_->CheckAlive() : Status(Done{}); }

 private:
  std::string identity_;
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<runtime::LeaderElector> elector_;  // null: always leads
};

}  // namespace ballast::app
