#include "operator/engine/policy/used_samples.h"

#include <algorithm>
#include <optional>
#include <string>

#include "operator/engine/metric/sample_age.h"
#include "operator/engine/metric/samples.h"
#include "operator/engine/passes.h"

namespace ballast::engine {
namespace {

auto FindUsed(auto& used, const std::string& metric) {
  return std::find_if(used.begin(), used.end(),
                      [&](const UsedSample& sample) { return sample.metric == metric; });
}

// One that is too far ahead does not count, so it makes no answer a newer one.
std::optional<Time> SampleTime(const Snapshot& snapshot, std::size_t index) {
  return index < snapshot.metrics.size()
             ? NewestTimestamp(snapshot.metrics[index], snapshot.now + kClocksDiffer)
             : std::nullopt;
}

// Whether a sample as new as the answer for spec.metrics[index], or newer, has already justified a
// scale-up. Always false for an answer without timestamps.
bool IsSampleUsed(const Snapshot& snapshot, std::size_t index, const Memory& memory) {
  if (memory.used_samples.empty()) {
    return false;
  }
  const auto time = SampleTime(snapshot, index);
  const auto used =
      FindUsed(memory.used_samples, IdentityOf(snapshot.autoscaler.spec.metrics[index]));
  return time && used != memory.used_samples.end() && *time <= used->timestamp;
}

// Marks the answer for spec.metrics[index] as used.
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

}  // namespace

void CutUsedSample(MetricState& metric) {
  auto* proposal = std::get_if<Proposal>(&metric.outcome());
  const std::int32_t current = metric.context.current;
  if (proposal == nullptr || proposal->replicas <= current ||
      !IsSampleUsed(metric.context.snapshot, metric.index, metric.memory)) {
    return;
  }
  metric.trace.Add([&] {
    return Step{.rule = Rule::kUsedSample,
                .in = proposal->replicas,
                .out = current,
                .binding = true,
                .text = NameOf(metric.NewStep()) +
                        " has no newer sample than the one that justified the last scale-up, so it "
                        "cannot justify another."};
  });
  proposal->replicas = current;
}

void UseSamples(const Snapshot& snapshot, const Decision& decision, Memory& memory) {
  if (decision.target_replicas <= decision.current_replicas) {
    return;
  }
  for (std::size_t i = 0; i < decision.proposals.size(); ++i) {
    if (decision.proposals[i] > decision.current_replicas) {
      UseSample(snapshot, i, memory);
    }
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
