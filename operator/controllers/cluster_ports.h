// The ports (ports.h) to a real cluster: scales and policies by way of the API server.
//
// Thread-safety: any thread. Failure modes: those of ports.h.
#pragma once

#include "operator/cluster/scale_targets.h"
#include "operator/controllers/ports.h"
#include "operator/kube/client.h"
#include "operator/runtime/events.h"

namespace ballast::controllers {

class ClusterScales final : public ScalePort {
 public:
  // All must outlive this.
  ClusterScales(kube::Client& client, cluster::ScaleTargets& targets, const runtime::Clock& clock)
      : client_(client), targets_(targets), clock_(clock) {}

  Result<api::Scale> Read(const api::Autoscaler& policy) override;
  Result<api::Scale> ReadLive(const api::Autoscaler& policy) override;
  std::optional<api::FieldManager> FindManager(const api::Autoscaler& policy) override;
  // Refuses a count outside of the policy's bounds without sending it.
  ScaleAnswer Write(const WriteScale& request) override;

 private:
  kube::Client& client_;
  cluster::ScaleTargets& targets_;
  const runtime::Clock& clock_;
};

class ClusterPolicies final : public PolicyPort {
 public:
  // `client` must outlive this.
  explicit ClusterPolicies(kube::Client& client) : client_(client) {}

  Result<Stored> Read(const api::ObjectKey& policy) override;
  // Reads the version where the policy was changed meanwhile, by others or by a write of ours whose
  // answer was lost.
  StatusAnswer Write(const WriteStatus& request) override;

 private:
  kube::Client& client_;
};

// All ports but the ledger, to one cluster.
class ClusterPorts {
 public:
  // All must outlive this.
  ClusterPorts(kube::Client& client, cluster::ScaleTargets& targets, SnapshotSource& source,
               runtime::EventRecorder& events, const runtime::Clock& clock)
      : clock_(clock),
        source_(source),
        events_(events),
        scales_(client, targets, clock),
        policies_(client) {}

  // This must outlive them.
  Ports With(store::Ledger& ledger);

 private:
  const runtime::Clock& clock_;
  SnapshotSource& source_;
  runtime::EventRecorder& events_;
  ClusterScales scales_;
  ClusterPolicies policies_;
};

}  // namespace ballast::controllers
