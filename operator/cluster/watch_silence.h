// How long the API server has sent nothing, neither an event nor a bookmark, for each kind that the
// operator watches.
//
// Bookmarks arrive about once a minute, so after a longer silence the view of these objects may be
// out of date. But of a kind of which nothing changes, an API server sends them only if etcd tells
// it of its progress, which kubeadm's does, and many others do not.
//
// Thread-safety: any thread.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "operator/cluster/scale_targets.h"
#include "operator/cluster/watches.h"
#include "operator/process/clock.h"
#include "operator/telemetry/registry.h"

namespace ballast::cluster {

// By watched resource ("deployments.apps"); those that have not been heard of yet are left out.
using WatchSilence = std::map<std::string, std::chrono::duration<double>>;

WatchSilence SilenceOf(const Watches& watches, const ScaleTargets& targets,
                       const process::Clock& clock);

// "the API server has been silent about pods for 312 s, about ..."; empty: no silence is longer
// than `limit`.
std::string Describe(const WatchSilence& silence, std::chrono::duration<double> limit);

// Registers the metric. The arguments must outlive the registry's last scrape.
void AddSilenceMetrics(telemetry::Registry& registry, const Watches& watches,
                       const ScaleTargets& targets, const process::Clock& clock);

}  // namespace ballast::cluster
