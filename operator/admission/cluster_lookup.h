// What admission reviews want to know, from the operator's watches and a few quick requests.
//
// Rivals and pods come from the watches; whether a rival is still there, the target's scale and the
// quotas are asked for: a second each at the most, and no longer than the caller has patience,
// because the API server waits for the review. What does not come in time stays unknown.
// Thread-safety: any thread.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "api/decision/snapshot.h"
#include "operator/cluster/pod_owners.h"
#include "operator/cluster/watches.h"
#include "operator/kube/client.h"
#include "operator/kube/discovery.h"
#include "operator/kube/transport.h"
#include "operator/runtime/clock.h"
#include "webhooks/lookup.h"

namespace ballast::admission {

// Lets nobody wait for longer than a second, and a thread with a Budget no longer than that lasts,
// however many requests it makes: then they fail at once (kTimeout).
class QuickTransport final : public kube::Transport {
 public:
  class Budget {
   public:
    Budget(const runtime::Clock& clock, std::chrono::milliseconds span);
    ~Budget();
    Budget(const Budget&) = delete;
    Budget& operator=(const Budget&) = delete;
  };

  QuickTransport(kube::Transport& transport, const runtime::Clock& clock)
      : transport_(transport), clock_(clock) {}
  Result<kube::Response> Do(const kube::Request& request) override;
  Status Stream(const kube::Request& request, const kube::LineSink& sink,
                std::stop_token stop) override;

 private:
  kube::Transport& transport_;
  const runtime::Clock& clock_;
};

class ClusterLookup final : public webhooks::Lookup {
 public:
  // All must outlive this.
  ClusterLookup(const cluster::Watches& watches, kube::Transport& transport,
                const runtime::Clock& clock)
      : watches_(watches),
        clock_(clock),
        transport_(transport, clock),
        client_(transport_),
        mapper_(transport_),
        owners_(client_, mapper_, clock) {}

  webhooks::Facts LookUp(const api::Autoscaler& autoscaler,
                         std::chrono::milliseconds patience) override;

 private:
  void FindRivals(const api::Autoscaler& autoscaler, webhooks::Facts& facts);
  bool StillThere(const api::Autoscaler& rival);
  // The target's scale; facts say why there is none.
  std::optional<api::Scale> FindTarget(const api::Autoscaler& autoscaler, webhooks::Facts& facts);
  void FindQuota(const api::Autoscaler& autoscaler, const engine::PodList& pods,
                 webhooks::Facts& facts);

  const cluster::Watches& watches_;
  const runtime::Clock& clock_;
  QuickTransport transport_;
  kube::Client client_;
  kube::RestMapper mapper_;
  cluster::PodOwners owners_;
};

}  // namespace ballast::admission
