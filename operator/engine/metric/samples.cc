#include "operator/engine/metric/samples.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ballast::engine {
namespace {

// The window of a sample of the custom metrics API that names none, as in upstream.
constexpr Duration kDefaultWindow = Duration::Seconds(60);

std::optional<std::int64_t> UsageOf(const api::ContainerMetrics& container,
                                    const std::string& resource, Numbers numbers) {
  const auto found = container.usage.find(resource);
  if (found == container.usage.end()) {
    return std::nullopt;
  }
  return numbers.Milli(found->second);
}

std::optional<std::int64_t> UsageOfContainer(const api::PodMetrics& pod, std::string_view name,
                                             const std::string& resource, Numbers numbers) {
  const auto found = std::find_if(pod.containers.begin(), pod.containers.end(),
                                  [&](const auto& container) { return container.name == name; });
  return found == pod.containers.end() ? std::nullopt : UsageOf(*found, resource, numbers);
}

std::optional<std::int64_t> UsageOfPod(const api::PodMetrics& pod, const std::string& resource,
                                       Numbers numbers) {
  if (pod.containers.empty()) {
    return std::nullopt;
  }
  std::int64_t sum = 0;
  for (const api::ContainerMetrics& container : pod.containers) {
    const auto usage = UsageOf(container, resource, numbers);
    if (!usage) {
      return std::nullopt;
    }
    sum = numbers.Add(sum, *usage);
  }
  return sum;
}

// The timestamp that is the greatest by `Less`; those that are absent or zero, or after `latest`,
// do not count.
template <typename Less>
std::optional<Time> ExtremeTimestamp(const MetricAnswer& answer, Less less,
                                     std::optional<Time> latest = {}) {
  std::optional<Time> extreme;
  const auto look = [&](const std::optional<Time>& time) {
    const bool counts = time && *time != Time() && (!latest || *time <= *latest);
    if (counts && (!extreme || less(*extreme, *time))) {
      extreme = time;
    }
  };
  if (const auto* pods = std::get_if<PodMetricsList>(&answer)) {
    for (const auto& pod : *pods) {
      look(pod->timestamp);
    }
  } else if (const auto* values = std::get_if<MetricValueList>(&answer)) {
    for (const api::MetricValue& value : *values) {
      look(value.timestamp);
    }
  }
  return extreme;
}

}  // namespace

Samples ResourceSamples(const PodMetricsList& answer, std::string_view container,
                        std::string_view resource, Numbers numbers) {
  const std::string name(resource);
  std::vector<Samples::Entry> samples;
  samples.reserve(answer.size());
  for (const auto& pod : answer) {
    const auto usage = container.empty() ? UsageOfPod(*pod, name, numbers)
                                         : UsageOfContainer(*pod, container, name, numbers);
    if (usage) {
      samples.push_back({pod->name, {*usage, pod->timestamp, pod->window}});
    }
  }
  return Samples(std::move(samples));
}

Samples PodSamples(const MetricValueList& answer, Numbers numbers) {
  std::vector<Samples::Entry> samples;
  samples.reserve(answer.size());
  for (const api::MetricValue& value : answer) {
    const Duration window =
        value.window_seconds ? Duration::Seconds(*value.window_seconds) : kDefaultWindow;
    samples.push_back({value.described_object,
                       {numbers.Milli(value.value), value.timestamp.value_or(Time()), window}});
  }
  return Samples(std::move(samples));
}

std::optional<Time> NewestTimestamp(const MetricAnswer& answer) {
  return ExtremeTimestamp(answer, std::less<>());
}

std::optional<Time> NewestTimestamp(const MetricAnswer& answer, Time latest) {
  return ExtremeTimestamp(answer, std::less<>(), latest);
}

std::optional<Time> OldestTimestamp(const MetricAnswer& answer) {
  return ExtremeTimestamp(answer, std::greater<>());
}

}  // namespace ballast::engine
