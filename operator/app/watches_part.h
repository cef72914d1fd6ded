// The operator's view of the cluster as a part of the program. It has started when the first lists
// are complete. Stopping aborts open requests and waits for the handlers of Watches; the watches of
// scale targets end with the destructor.
//
// Thread-safety: Part and what it returns, and Renew: owning thread only. The rest: any thread.
// Errors: starting, Renew: kUnavailable if the lists are not complete within two minutes, which
// ends the program.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "operator/cluster/scale_targets.h"
#include "operator/cluster/watches.h"
#include "operator/kube/client.h"
#include "operator/kube/discovery.h"
#include "operator/kube/transport.h"
#include "operator/process/clock.h"
#include "operator/process/manager.h"
#include "operator/telemetry/debug_state.h"
#include "operator/telemetry/registry.h"

namespace ballast::app {

class WatchesPart {
 public:
  // The dependencies; all must outlive the WatchesPart.
  struct WatchesWiring {
    kube::Transport& transport;  // for what any replica may do
    kube::Transport& led;        // for what only the leader does
    process::Clock& clock;
    const std::string& server;  // the API server's address, for errors
    std::stop_source& calls;    // aborts all requests at the stop
    Duration max_view_age;
    // Takes the turns of the watches; null: each has a thread.
    process::TurnPool* pool = nullptr;
  };

  WatchesPart(const WatchesWiring& wiring, const std::vector<std::string>& namespaces,
              cluster::ObjectReading reading);

  process::Manager::Part Part();
  // Lists all policies, HPAs and overrides once more, and returns when the watches have what there
  // was when this was called, or soon after `stop` is requested.
  Status Renew(const std::stop_token& stop);

  // Done once the first lists are complete.
  Status CheckReady() const;
  // The watches that have been silent for longer than `limit`; empty: none.
  std::string DescribeSilence(Duration limit) const;
  void AddMetrics(telemetry::Registry& registry) const;
  std::vector<telemetry::WatchDebugState> DebugState() const;

  cluster::Watches& watches() { return watches_; }
  cluster::ScaleTargets& targets() { return targets_; }
  kube::Client& client() { return client_; }
  kube::RestMapper& mapper() { return mapper_; }

 private:
  Status Start(const std::stop_token& stop);
  void Stop();

  const process::Clock& clock_;
  const std::string& server_;
  std::stop_source& calls_;
  kube::Client client_;
  kube::RestMapper mapper_;
  cluster::Watches watches_;
  cluster::ScaleTargets targets_;
};

}  // namespace ballast::app
