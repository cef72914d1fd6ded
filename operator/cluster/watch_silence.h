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
#include <optional>
#include <string>

#include "operator/cluster/scale_targets.h"
#include "operator/cluster/watches.h"
#include "operator/process/clock.h"
#include "operator/runtime/reflector.h"
#include "operator/telemetry/registry.h"

namespace ballast::cluster {

// By watched resource ("deployments.apps"); those that have not been heard of yet are left out.
using WatchSilence = std::map<std::string, std::chrono::duration<double>>;

WatchSilence SilenceOf(const Watches& watches, const ScaleTargets& targets,
                       const process::Clock& clock);

// The shortest limit of a silence that a kind keeps of which nothing changes where the API server
// sends no bookmarks: nothing is listed more often than the reflector allows.
inline constexpr std::chrono::seconds kShortestLimit = runtime::Reflector::kRereadPeriod / 3 * 4;

// Lists everything again that `watch` shows of the namespace before the API server has been silent
// about it for as long as `limit`: maybe nothing is missing but a bookmark. Returns for how long it
// is silent yet; nullopt: there is no first list.
std::optional<std::chrono::nanoseconds> EndSilence(const auto& watch, const std::string& namespace_,
                                                   process::SteadyTime now,
                                                   std::chrono::nanoseconds limit) {
  const auto heard = watch.LastHeard(namespace_);
  if (!heard) {
    return std::nullopt;
  }
  if (now - *heard > limit / 4 * 3) {
    watch.Reread(namespace_);
  }
  return now - *heard;
}

// "the API server has been silent about pods for 312 s, about ..."; empty: no silence is longer
// than `limit`.
std::string Describe(const WatchSilence& silence, std::chrono::duration<double> limit);

// Registers the metric. The arguments must outlive the registry's last scrape.
void AddSilenceMetrics(telemetry::Registry& registry, const Watches& watches,
                       const ScaleTargets& targets, const process::Clock& clock);

}  // namespace ballast::cluster
