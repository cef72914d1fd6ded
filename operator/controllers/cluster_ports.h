// Implements the ports (ports.h) with a real cluster: scales and autoscalers through the API
// server.
//
// Thread-safety: any thread.
// Errors: as ports.h says.
#pragma once

#include <string>

#include "operator/cluster/scale_targets.h"
#include "operator/cluster/watches.h"
#include "operator/controllers/live_reader.h"
#include "operator/controllers/memory_object.h"
#include "operator/controllers/scale_senders.h"
#include "operator/kube/client.h"
#include "operator/runtime/events.h"
#include "operator/session/ports.h"

namespace ballast::controllers {

class ClusterScales final : public session::ScalePort {
 public:
  // The arguments must outlive the ClusterScales.
  ClusterScales(kube::Client& client, cluster::ScaleTargets& targets, const process::Clock& clock)
      : client_(client), targets_(targets), clock_(clock) {}

  // From a GET sent after this call began.
  session::LiveScale ReadLive(const api::Autoscaler& autoscaler);
  // The target itself, whose managedFields may say who last set the replicas.
  Result<api::Scale> ReadManaged(const api::Autoscaler& autoscaler);
  // Refuses a count outside of the request's bounds without sending it.
  session::ScaleAnswer Write(const session::WriteScale& request) override;
  bool SentForAnother(const std::string& target, const std::string& autoscaler,
                      process::SteadyTime since) const override {
    return senders_.OthersSent(target, autoscaler, since);
  }

 private:
  Result<api::Scale> ReadScale(const api::Autoscaler& autoscaler);

  kube::Client& client_;
  cluster::ScaleTargets& targets_;
  const process::Clock& clock_;
  ScaleSenders senders_;
};

class ClusterAutoscalers final : public session::AutoscalerPort {
 public:
  // The arguments must outlive the ClusterAutoscalers.
  ClusterAutoscalers(const cluster::Watches& watches, kube::Client& client)
      : client_(client), memories_(client, [&watches](const api::ObjectKey& hpa) {
          return watches.hpas.Get(hpa) != nullptr;
        }) {}

  // With its status memory.
  Result<session::StoredAutoscaler> Read(const api::Autoscaler& autoscaler);
  // After a conflict it reads the current version: the autoscaler was changed by others, or by an
  // earlier write of ours whose answer was lost. An HPA's memory that cannot be written is logged.
  session::StatusAnswer Write(const session::WriteStatus& request) override;

 private:
  // Returns whether it was written.
  bool WriteMemory(const api::ObjectKey& hpa, const std::string& entry);

  kube::Client& client_;
  MemoryObjects memories_;
};

// All ports to one cluster, except for the ledger.
class ClusterPorts {
 public:
  // The arguments must outlive the ClusterPorts.
  ClusterPorts(const cluster::Watches& watches, kube::Client& client,
               cluster::ScaleTargets& targets, session::SnapshotSource& source,
               runtime::EventRecorder& events, const process::Clock& clock)
      : clock_(clock),
        events_(events),
        scales_(client, targets, clock),
        autoscalers_(watches, client),
        source_(
            source,
            {.stored = [this](const auto& autoscaler) { return autoscalers_.Read(autoscaler); },
             .live = [this](const auto& autoscaler) { return scales_.ReadLive(autoscaler); },
             .managed = [this](const auto& autoscaler) { return scales_.ReadManaged(autoscaler); }},
            clock) {}

  // The ClusterPorts must outlive the result.
  session::Ports With(store::Ledger& ledger);

 private:
  const process::Clock& clock_;
  runtime::EventRecorder& events_;
  ClusterScales scales_;
  ClusterAutoscalers autoscalers_;
  LiveReader source_;  // last: its threads use the rest
};

}  // namespace ballast::controllers
