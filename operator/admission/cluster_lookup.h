// Finds out what admission reviews want to know, from the operator's watches and a few requests.
//
// Rivals and pods come from the watches; a review waits for those of autoscalers after a long
// silence. Whether a rival still exists, the target's scale, the quotas and the namespace's labels
// are read from the API server, with one second for each of these and no more than the caller's
// timeout for all, because an API server is waiting for the review.
//
// Thread-safety: any thread.
// Errors: none; what cannot be found out in time stays at Facts' default.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/base/namespaces.h"
#include "api/decision/snapshot.h"
#include "operator/cluster/pod_owners.h"
#include "operator/cluster/watches.h"
#include "operator/kube/client.h"
#include "operator/kube/discovery.h"
#include "operator/kube/transport.h"
#include "operator/process/clock.h"
#include "operator/runtime/multi_namespace_informer.h"
#include "webhooks/lookup.h"

namespace ballast::admission {

class ClusterLookup final : public webhooks::Lookup {
 public:
  struct Options {
    // Where Ballast may take over from the HPA controller.
    Namespaces take_over_in = {{"*"}};
    // By name, who may use them.
    std::map<std::string, Namespaces> metric_sources = {};
    // Whether a rule of the installation is about them.
    bool namespace_labels = false;
    // For how long the watch of autoscalers may be silent before they are listed again.
    Duration max_view_age = engine::Settings().max_view_age;
  };

  // The first three arguments must outlive the ClusterLookup.
  ClusterLookup(const cluster::Watches& watches, kube::Transport& transport,
                const process::Clock& clock, Options options)
      : watches_(watches),
        clock_(clock),
        options_(std::move(options)),
        client_(transport, kForOne),
        mapper_(transport),
        owners_(client_, mapper_, clock) {}

  webhooks::Facts LookUp(const api::Autoscaler& autoscaler,
                         std::chrono::milliseconds timeout) override;
  std::vector<cluster::AutoscalerPointer> SubjectsOf(
      const api::AutoScaleOverride& override) override;
  std::optional<api::Labels> LabelsOf(const std::string& namespace_,
                                      std::chrono::milliseconds timeout) override;

 private:
  using Watch = runtime::MultiNamespaceInformer<api::Autoscaler>;

  static constexpr std::chrono::milliseconds kForOne{1000};

  void FindRivals(const api::Autoscaler& autoscaler, kube::Client& client, webhooks::Facts& facts);
  // Waits for the lists of autoscalers whose watch has been silent for too long. Returns
  // Facts::silence.
  std::string EndSilence(const std::string& namespace_, process::SteadyTime deadline);
  // The target's scale; otherwise facts.target says why there is none.
  std::optional<api::Scale> FindTarget(const api::Autoscaler& autoscaler,
                                       process::SteadyTime deadline, webhooks::Facts& facts);

  const cluster::Watches& watches_;
  const process::Clock& clock_;
  const Options options_;
  kube::Client client_;
  kube::RestMapper mapper_;
  cluster::PodOwners owners_;
};

}  // namespace ballast::admission
