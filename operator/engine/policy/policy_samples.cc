#include "operator/engine/policy/policy_samples.h"

#include <algorithm>

#include "operator/engine/metric/metric.h"
#include "operator/engine/metric/samples.h"

namespace ballast::engine {
namespace {

auto FindUsed(auto& used, const std::string& metric) {
  return std::find_if(used.begin(), used.end(),
                      [&](const UsedSample& sample) { return sample.metric == metric; });
}

std::optional<Time> SampleTime(const Snapshot& snapshot, std::size_t index) {
  return index < snapshot.metrics.size() ? NewestTimestamp(snapshot.metrics[index]) : std::nullopt;
}

Duration WholeSeconds(Duration span) {
  return Duration::Seconds(span.nanoseconds / Duration::Seconds(1).nanoseconds);
}

std::string PrintIdentifier(const api::MetricIdentifier& metric) {
  return metric.name + (metric.selector ? Print(metric.selector) : "");
}

}  // namespace

std::optional<std::string> ExplainStaleness(const MetricAnswer& answer, Time now, Duration limit) {
  const auto newest = NewestTimestamp(answer);
  if (!newest || now - *newest <= limit) {
    return std::nullopt;
  }
  return "the newest sample is " + ballast::Print(WholeSeconds(now - *newest)) +
         " old, more than the " + ballast::Print(limit) + " of staleAfterSeconds";
}

std::string IdentityOf(const api::MetricSpec& metric) {
  if (metric.resource) {
    return "Resource/" + metric.resource->name;
  }
  if (metric.container_resource) {
    return "ContainerResource/" + metric.container_resource->container + "/" +
           metric.container_resource->name;
  }
  if (metric.pods) {
    return "Pods/" + PrintIdentifier(metric.pods->metric);
  }
  if (metric.object) {
    const auto& object = metric.object->described_object;
    return "Object/" + object.kind + "/" + object.name + "/" +
           PrintIdentifier(metric.object->metric);
  }
  return metric.external ? "External/" + PrintIdentifier(metric.external->metric) : metric.type;
}

bool IsSampleUsed(const Snapshot& snapshot, std::size_t index, const Memory& memory) {
  if (memory.used_samples.empty()) {
    return false;
  }
  const auto time = SampleTime(snapshot, index);
  const auto used =
      FindUsed(memory.used_samples, IdentityOf(snapshot.autoscaler.spec.metrics[index]));
  return time && used != memory.used_samples.end() && *time <= used->timestamp;
}

void UseSample(const Snapshot& snapshot, std::size_t index, Memory& memory) {
  const auto time = SampleTime(snapshot, index);
  if (!time) {
    return;
  }
  const std::string metric = IdentityOf(snapshot.autoscaler.spec.metrics[index]);
  const auto used = FindUsed(memory.used_samples, metric);
  if (used == memory.used_samples.end()) {
    memory.used_samples.push_back({metric, *time});
  } else {
    used->timestamp = std::max(used->timestamp, *time);
  }
}

void ForgetOtherSamples(const api::AutoscalerSpec& spec, Memory& memory) {
  std::erase_if(memory.used_samples, [&](const UsedSample& sample) {
    return std::none_of(
        spec.metrics.begin(), spec.metrics.end(),
        [&](const api::MetricSpec& metric) { return IdentityOf(metric) == sample.metric; });
  });
}

}  // namespace ballast::engine
