// What admission reviews want to know, from the operator's watches and a few quick requests.
//
// Rivals and pods come from the watches; whether a rival is still there, the target's scale and the
// quotas are asked for, a second each at the most, because the API server waits for the review.
// What does not come in time stays unknown. Thread-safety: any thread.
#pragma once

#include <string>
#include <vector>

#include "operator/controllers/fleet.h"
#include "operator/kube/client.h"
#include "operator/engine/snapshot.h"
#include "operator/kube/discovery.h"
#include "operator/kube/transport.h"
#include "webhooks/lookup.h"

namespace ballast::admission {

// Lets nobody wait for longer than a second.
class QuickTransport final : public kube::Transport {
 public:
  explicit QuickTransport(kube::Transport& transport) : transport_(transport) {}
  Result<kube::Response> Do(const kube::Request& request) override;
  Status Stream(const kube::Request& request, const kube::LineSink& sink,
                std::stop_token stop) override;

 private:
  kube::Transport& transport_;
};

class ClusterLookup final : public webhooks::Lookup {
 public:
  // Both must outlive this.
  ClusterLookup(const controllers::Fleet& fleet, kube::Transport& transport)
      : fleet_(fleet), transport_(transport), client_(transport_), mapper_(transport_) {}

  webhooks::Facts LookUp(const api::Autoscaler& autoscaler) override;

 private:
  void FindRivals(const api::Autoscaler& autoscaler, webhooks::Facts& facts);
  bool StillThere(const api::Autoscaler& rival);
  // The target's scale; facts say why there is none.
  std::optional<api::Scale> FindTarget(const api::Autoscaler& autoscaler, webhooks::Facts& facts);
  void FindQuota(const api::Autoscaler& autoscaler, const engine::PodList& pods,
                 webhooks::Facts& facts);

  const controllers::Fleet& fleet_;
  QuickTransport transport_;
  kube::Client client_;
  kube::RestMapper mapper_;
};

}  // namespace ballast::admission
