// The controller as two parts of the program: the controller itself, and the recorder of its
// events, which goes on sending for a while after the last evaluation.
//
// Thread-safety: EventsPart, Part and what they return: owning thread only. The rest: any thread.
// Errors: starting the controller: as WatchesPart::Renew.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "api/autoscaling/feature_gates.h"
#include "api/base/result.h"
#include "operator/app/operator_options.h"
#include "operator/app/watches_part.h"
#include "operator/cluster/pod_owners.h"
#include "operator/controllers/cluster_ports.h"
#include "operator/controllers/controller.h"
#include "operator/controllers/gather.h"
#include "operator/controllers/overrides/override_keeper.h"
#include "operator/controllers/reconcilers.h"
#include "operator/controllers/suspect_sources.h"
#include "operator/kube/client.h"
#include "operator/kube/transport.h"
#include "operator/process/clock.h"
#include "operator/process/manager.h"
#include "operator/process/runner.h"
#include "operator/process/stall_detector.h"
#include "operator/runtime/events.h"
#include "operator/sources/sources.h"
#include "operator/telemetry/debug_state.h"
#include "operator/telemetry/registry.h"
#include "store/ledger.h"

namespace ballast::app {

class ControllerPart {
 public:
  // The dependencies; all must outlive the ControllerPart.
  struct Wiring {
    WatchesPart& watches;
    store::Ledger& ledger;
    kube::Transport& led;
    kube::Transport& events;
    process::Clock& clock;
    telemetry::Registry& registry;
    const session::Leadership& leadership;
    std::stop_source& calls;  // to abort requests that take too long at the end
  };

  ControllerPart(const Wiring& wiring, const OperatorOptions& options);
  // Out of line: else whoever owns one compiles how all of it ends.
  ~ControllerPart();

  process::Manager::Part EventsPart();
  struct StopHooks {
    std::function<void()> ending;   // no more evaluations begin
    std::function<void()> written;  // nothing is written any more; evaluations may still be reading
  };
  // `leader`: the identity under which it acts. The hooks are called while it stops, in their
  // order.
  process::Manager::Part Part(const std::string& leader, StopHooks hooks);

  Status CheckAlive() const { return controller_.CheckAlive(); }
  void AddMetrics(telemetry::Registry& registry);
  telemetry::QueueDebugState Queue() const { return controller_.DebugState(); }
  std::vector<telemetry::MetricsApiDebugState> MetricsApis() const { return sources_.Apis(); }

 private:
  Status Start(const std::string& leader, const std::stop_token& stop);
  // Forgets autoscalers that were deleted while this process did not run or did not lead.
  void ForgetTheGone();

  WatchesPart& view_;
  cluster::Watches& watches_;
  const bool leader_elect_;
  const bool evaluates_behind_samples_;
  store::Ledger& ledger_;
  process::Clock& clock_;
  std::stop_source& calls_;
  kube::Transport& led_;
  const api::GateOverrides gates_;
  kube::Client metrics_client_;
  sources::Sources sources_;
  cluster::PodOwners owners_;
  controllers::Gatherer gatherer_;
  controllers::SuspectSources suspects_;
  runtime::EventRecorder events_;
  const process::StallDetector stalls_;
  controllers::ClusterPorts ports_;
  controllers::Reconcilers reconcilers_;
  controllers::Controller controller_;
  controllers::OverrideKeeper overrides_;
  process::Runner sample_looks_;
};

}  // namespace ballast::app
