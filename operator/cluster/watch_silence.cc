#include "operator/cluster/watch_silence.h"

#include <cmath>
#include <cstdint>

namespace ballast::cluster {

WatchSilence SilenceOf(const Watches& watches, const ScaleTargets& targets,
                       const process::Clock& clock) {
  auto heard = targets.LastHeard();
  const auto add = [&heard](const auto& watched) {
    heard.emplace(watched.name(), watched.LastHeard());
  };
  add(watches.policies);
  add(watches.hpas);
  add(watches.overrides);
  add(watches.pods);
  const process::SteadyTime now = clock.Steady();
  WatchSilence silence;
  for (const auto& [name, at] : heard) {
    if (at) {
      silence.emplace(name, now - *at);
    }
  }
  return silence;
}

std::string Describe(const WatchSilence& silence, std::chrono::duration<double> limit) {
  std::string text;
  for (const auto& [name, lasted] : silence) {
    if (lasted > limit) {
      const auto seconds = static_cast<std::int64_t>(std::floor(lasted.count()));
      text += (text.empty() ? "the API server has been silent about " : ", about ") + name +
              " for " + std::to_string(seconds) + " s";
    }
  }
  return text;
}

void AddSilenceMetrics(telemetry::Registry& registry, const Watches& watches,
                       const ScaleTargets& targets, const process::Clock& clock) {
  const auto seconds = registry.Gauges(
      "ballast_watch_silence_seconds",
      "How long the API server has sent neither an event nor a bookmark for a resource.",
      {"resource"});
  registry.BeforePrint([=, &watches, &targets, &clock] {
    for (const auto& [name, lasted] : SilenceOf(watches, targets, clock)) {
      seconds.With({name}).Set(lasted.count());
    }
  });
}

}  // namespace ballast::cluster
