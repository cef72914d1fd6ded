#include "operator/engine/metric/pod_average.h"

#include <algorithm>
#include <cmath>

#include "operator/engine/metric/metric.h"

namespace ballast::engine {
namespace {

// Adds samples for the pods that have none: what works against the change that the others ask for.
void AssumeTheRest(MeasuredPods& pods, const PodTarget& target, double ratio) {
  std::vector<Samples::Entry> assumed;
  for (const std::string_view pod : pods.groups.missing) {
    if (ratio < 1.0) {
      assumed.push_back({pod, {target.AssumedUse(pod), {}, {}}});
    } else if (ratio > 1.0) {
      assumed.push_back({pod, {}});
    }
  }
  if (ratio > 1.0) {
    for (const std::string_view pod : pods.groups.unready) {
      assumed.push_back({pod, {}});
    }
  }
  pods.samples.Put(assumed);
}

// The metrics APIs have samples of a pod for a while after it has ended. Where such a pod does not
// count, it is not in the list, and its samples must go as those of a pod that is being deleted.
void RemoveEnded(const Context& context, Samples& samples) {
  if (context.quirks.ended_pods_count) {
    return;
  }
  std::vector<std::string_view> ended;
  for (const auto& pod : std::get<PodList>(context.snapshot.pods)) {
    if (pod->has_ended()) {
      ended.push_back(pod->metadata.name);
    }
  }
  std::ranges::sort(ended);
  samples.Remove(ended);
}

bool CrossesTarget(double before, double after) {
  return (before < 1.0 && after > 1.0) || (before > 1.0 && after < 1.0);
}

bool ContradictsRatio(double ratio, std::int32_t proposal, std::int32_t current) {
  return (ratio < 1.0 && proposal > current) || (ratio > 1.0 && proposal < current);
}

std::int32_t ScaleCount(const Context& context, double ratio, std::int64_t pods) {
  return context.numbers().ToInt32(std::ceil(ratio * static_cast<double>(pods)));
}

}  // namespace

Result<Usage> UtilizationTarget::Measure(const Samples& samples) const {
  std::int64_t used = 0;
  std::int64_t requested = 0;
  std::int64_t pods = 0;
  ForEachInBoth(samples, requests_, [&](const Sample& sample, std::int64_t request) {
    used = numbers_.Add(used, sample.milli);
    requested = numbers_.Add(requested, request);
    ++pods;
  });
  if (requested == 0) {
    return Problem("no metrics returned matched known pods");
  }
  const std::int32_t percent = numbers_.ToInt32(numbers_.Scale(used, 100, requested));
  return Usage{static_cast<double>(percent) / static_cast<double>(percent_), used / pods, percent};
}

std::int64_t UtilizationTarget::AssumedUse(std::string_view pod) const {
  const std::int64_t percent = std::max(100, percent_);
  return numbers_.Scale(*requests_.Find(pod), percent, 100);
}

Result<Usage> AmountTarget::Measure(const Samples& samples) const {
  std::int64_t used = 0;
  for (const auto& [pod, sample] : samples) {
    used = numbers_.Add(used, sample.milli);
  }
  const std::int64_t average = used / static_cast<std::int64_t>(samples.size());
  return Usage{static_cast<double>(average) / static_cast<double>(milli_), average, 0};
}

Result<MeasuredPods> MeasurePods(const Context& context, Samples samples,
                                 std::string_view resource) {
  if (context.pods.empty()) {
    return Problem("no pods returned by selector while calculating replica count");
  }
  PodGroups groups =
      GroupPods(context.pods, samples, resource, context.settings, context.snapshot.now);
  RemoveEnded(context, samples);
  samples.Remove(groups.ignored);
  samples.Remove(groups.unready);
  if (samples.empty()) {
    return Problem("did not receive metrics for targeted pods (pods might be unready)");
  }
  return MeasuredPods{std::move(groups), std::move(samples)};
}

Result<PodsProposal> ProposeForPods(const Context& context, MeasuredPods pods,
                                    const PodTarget& target) {
  ASSIGN_OR_RETURN(const Usage usage, target.Measure(pods.samples));
  const PodCounts counts{static_cast<std::size_t>(pods.groups.ready), pods.groups.unready.size(),
                         pods.groups.missing.size(), pods.groups.ignored.size()};
  const bool unready_matter = !pods.groups.unready.empty() && usage.ratio > 1.0;
  if (!unready_matter && pods.groups.missing.empty()) {
    return PodsProposal{context.tolerances.Within(usage.ratio)
                            ? context.current
                            : ScaleCount(context, usage.ratio, pods.groups.ready),
                        usage, counts};
  }

  AssumeTheRest(pods, target, usage.ratio);
  ASSIGN_OR_RETURN(const Usage cautious, target.Measure(pods.samples));
  // Samples of pods that are not in the list count here, as in upstream.
  const std::int32_t proposal =
      ScaleCount(context, cautious.ratio, static_cast<std::int64_t>(pods.samples.size()));
  const bool keep = context.tolerances.Within(cautious.ratio) ||
                    CrossesTarget(usage.ratio, cautious.ratio) ||
                    ContradictsRatio(cautious.ratio, proposal, context.current);
  return PodsProposal{keep ? context.current : proposal, usage, counts};
}

}  // namespace ballast::engine
