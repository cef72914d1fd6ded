#include "operator/engine/metric/pod_groups.h"

#include <algorithm>

namespace ballast::engine {
namespace {

// Not char pointers: a comparison of string_views looks at the lengths first.
constexpr std::string_view kFailed = "Failed";
constexpr std::string_view kPending = "Pending";
constexpr std::string_view kRunning = "Running";
constexpr std::string_view kTrue = "True";
constexpr std::string_view kFalse = "False";

// Whether a cpu sample says nothing yet about the pod's load, because it may include the cpu used
// by start-up. The rules are those of upstream's groupPods.
bool DistrustsCpu(const api::Pod& pod, const Sample& sample, const Settings& settings, Time now) {
  if (!pod.ready || !pod.start_time) {
    return true;
  }
  const bool not_ready = pod.ready->status == kFalse;
  const auto last_transition = [&] { return pod.ready->last_transition_time.value_or(Time()); };
  if (*pod.start_time + settings.cpu_initialization_period > now) {
    return not_ready || sample.timestamp < last_transition() + sample.window;
  }
  // After that period, only a pod that was never ready.
  return not_ready && *pod.start_time + settings.initial_readiness_delay > last_transition();
}

}  // namespace

PodGroups GroupPods(const PodList& pods, const Samples& samples, std::string_view resource,
                    const Settings& settings, Time now) {
  PodGroups groups;
  const bool is_cpu = resource == "cpu";
  for (const auto& pod : pods) {
    const std::string_view name = pod->metadata.name;
    if (pod->metadata.deletion_timestamp || pod->phase == kFailed) {
      groups.ignored.push_back(name);
      continue;
    }
    if (pod->phase == kPending) {
      groups.unready.push_back(name);
      continue;
    }
    const Sample* sample = samples.Find(name);
    if (sample == nullptr) {
      groups.missing.push_back(name);
    } else if (is_cpu && DistrustsCpu(*pod, *sample, settings, now)) {
      groups.unready.push_back(name);
    } else {
      ++groups.ready;
    }
  }
  std::sort(groups.unready.begin(), groups.unready.end());
  std::sort(groups.ignored.begin(), groups.ignored.end());
  return groups;
}

std::int64_t CountReady(const PodList& pods) {
  return std::count_if(pods.begin(), pods.end(), [](const auto& pod) {
    return pod->phase == kRunning && pod->ready && pod->ready->status == kTrue;
  });
}

}  // namespace ballast::engine
