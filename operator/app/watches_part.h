// What the operator knows of the cluster as a part of the program: started when the first lists are
// there, stopped when no handler runs any more.
//
// Thread-safety: Part is the owner's, the rest any thread's. Failure modes: no first list within
// two minutes ends the program.
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
#include "operator/runtime/clock.h"
#include "operator/runtime/manager.h"
#include "operator/telemetry/inside.h"
#include "operator/telemetry/registry.h"

namespace ballast::app {

class WatchesPart {
 public:
  // What it stands on; all must outlive it.
  struct Wiring {
    kube::Transport& transport;  // for what any replica may do
    kube::Transport& led;        // for what only the leader does
    runtime::Clock& clock;
    const std::string& server;  // of the API, for errors
    std::stop_source& calls;  // requested when the watches end: nobody waits for an answer any more
  };

  WatchesPart(const Wiring& wiring, const std::vector<std::string>& namespaces);

  runtime::Manager::Part Part();

  // Done once the first lists are there.
  Status CheckReady() const;
  // What was not heard of for longer than `limit`; empty: nothing.
  std::string DescribeSilence(Duration limit) const;
  void AddMetrics(telemetry::Registry& registry) const;
  std::vector<telemetry::WatchInside> Inside() const;

  cluster::Watches& watches() { return watches_; }
  cluster::ScaleTargets& targets() { return targets_; }
  kube::Client& client() { return client_; }
  kube::RestMapper& mapper() { return mapper_; }

 private:
  Status Start(const std::stop_token& stop);
  void Stop();

  const runtime::Clock& clock_;
  const std::string& server_;
  std::stop_source& calls_;
  kube::Client client_;
  kube::RestMapper mapper_;
  cluster::Watches watches_;
  cluster::ScaleTargets targets_;
};

}  // namespace ballast::app
