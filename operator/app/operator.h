// The operator assembled: its parts, what each depends on, and the order in which they start and
// stop.
//
//   ASSIGN_OR_RETURN(const auto program, Operator::Make(options));
//   return program->Run(signals.token());
//
// Thread-safety: owning thread only.
// Errors: Make: invalid flags, an invalid kubeconfig, or a failure to connect. Run: those of the
// parts that the program cannot do without, including a lost Lease.
#pragma once

#include <memory>
#include <stop_token>

#include "api/base/result.h"
#include "operator/app/controller_part.h"
#include "operator/app/leader_part.h"
#include "operator/app/operator_options.h"
#include "operator/app/pages_part.h"
#include "operator/app/store_part.h"
#include "operator/app/watches_part.h"
#include "operator/app/webhook_part.h"
#include "operator/kube/auth/config.h"
#include "operator/kube/http/connect.h"
#include "operator/kube/transport.h"
#include "operator/process/clock.h"
#include "operator/process/manager.h"
#include "operator/process/turn_pool.h"
#include "operator/server/health.h"
#include "operator/telemetry/registry.h"

namespace ballast::app {

class Operator {
 public:
  // Sends no requests yet.
  static Result<std::unique_ptr<Operator>> Make(const OperatorOptions& options);
  // Out of line: else whoever owns one compiles how all of it ends.
  ~Operator();

  // Runs until `stop` is requested or a part fails; then stops all that was started. Call it once.
  Status Run(const std::stop_token& stop);

 private:
  Operator(const OperatorOptions& options, kube::ClusterConfig config);
  Status Connect();
  void MakeParts();
  void AddHealth();
  void AddMetrics();
  server::DebugState CollectDebugState() const;

  process::Manager manager_;  // first: the grace period includes the other members' destructors
  const OperatorOptions options_;
  const kube::ClusterConfig config_;
  process::SystemClock clock_;
  process::TurnPool watch_turns_{"watches", 4, clock_};
  telemetry::Registry registry_;
  server::Health health_;
  std::stop_source calls_;                      // aborts requests when the program ends
  std::unique_ptr<kube::Transport> transport_;  // for what any replica may do
  StorePart store_;
  std::unique_ptr<LeaderPart> leadership_;
  std::unique_ptr<kube::Transport> led_;     // for the leader only: writes require a valid Lease
  std::unique_ptr<kube::Transport> events_;  // for the leader's events: also just after it led
  std::unique_ptr<WatchesPart> watches_;
  std::unique_ptr<ControllerPart> controller_;
  std::unique_ptr<WebhookPart> webhook_;  // null: not served
  std::unique_ptr<PagesPart> pages_;      // null: not served
};

}  // namespace ballast::app
