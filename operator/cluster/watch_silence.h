// For how long the API server has told nothing, neither an event nor a bookmark, of each kind of
// objects that the operator watches.
//
// Bookmarks come about every minute, so that a longer silence means that the view of these objects
// grows old. Thread-safety: pure functions; fleet and targets from any thread.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "operator/cluster/scale_targets.h"
#include "operator/cluster/watches.h"
#include "operator/runtime/clock.h"
#include "operator/telemetry/registry.h"

namespace ballast::cluster {

// By what is watched ("deployments.apps"); without what nothing was heard of yet.
using WatchSilence = std::map<std::string, std::chrono::duration<double>>;

WatchSilence SilenceOf(const Watches& watches, const ScaleTargets& targets,
                       const runtime::Clock& clock);

// "nothing was heard of pods for 312 s, of ..."; empty: of each within `limit`.
std::string Describe(const WatchSilence& silence, std::chrono::duration<double> limit);

// Serves it as a metric. All must outlive the registry's last scrape.
void AddSilenceMetrics(telemetry::Registry& registry, const Watches& watches,
                       const ScaleTargets& targets, const runtime::Clock& clock);

}  // namespace ballast::cluster
