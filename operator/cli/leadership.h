// Whether this process may act: with --leader-elect while it holds the Lease, else always.
//
// Thread-safety: Make and Run are the owner's, the rest any thread's.
#pragma once

#include <functional>
#include <memory>

#include "api/result.h"
#include "operator/cli/operator_options.h"
#include "operator/kube/config.h"
#include "operator/kube/connect.h"
#include "operator/runtime/clock.h"
#include "operator/runtime/leader_elector.h"
#include "operator/runtime/manager.h"
#include "operator/telemetry/metrics.h"

namespace ballast::cli {

class Leadership {
 public:
  // Makes a connection of its own like `connect`. Losing the lease ends `manager`. Clock and
  // manager must outlive this. kInvalid: flags that do not fit together.
  static Result<std::unique_ptr<Leadership>> Make(const OperatorOptions& options,
                                                  const kube::ClusterConfig& config,
                                                  kube::ConnectOptions connect,
                                                  runtime::Clock& clock,
                                                  telemetry::Registry& registry,
                                                  runtime::Manager& manager);

  // What waits until this process leads, and gives the lease up.
  runtime::Manager::Part Part();

  // Done: a write may start now.
  Status Check() const { return elector_ ? elector_->CheckLease() : Status(Done{}); }
  // Done, unless the election hangs.
  Status CheckAlive() const { return elector_ ? elector_->CheckAlive() : Status(Done{}); }

 private:
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<runtime::LeaderElector> elector_;  // null: always leads
};

}  // namespace ballast::cli
