// The count that brings the pods' average usage to its target: metrics of type Resource,
// ContainerResource and Pods.
//
// Samples of pods that are not ready do not count, and neither the pods without a sample nor the
// unready ones may cause or deepen a change: they are assumed to use what works against it.
// Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/base/result.h"
#include "operator/engine/metric/context.h"
#include "operator/engine/metric/pod_requests.h"
#include "operator/engine/metric/pods.h"
#include "operator/engine/metric/samples.h"

namespace ballast::engine {

// Usage compared with its target.
struct Usage {
  double ratio = 0;              // usage / target
  std::int64_t average = 0;      // a pod, in thousandths
  std::int32_t utilization = 0;  // percent of the request; 0 when that is not the target
};

// What pods' usage is measured against.
class PodTarget {
 public:
  virtual ~PodTarget() = default;
  virtual Result<Usage> Measure(const Samples& samples) const = 0;
  // What a pod without a sample is assumed to use when the rest would scale in.
  virtual std::int64_t AssumedUse(std::string_view pod) const = 0;
};

// A percentage of what the pods requested. Whole percents only, as upstream has it.
class UtilizationTarget : public PodTarget {
 public:
  UtilizationTarget(Requests requests, std::int32_t percent)
      : requests_(std::move(requests)), percent_(percent) {}
  Result<Usage> Measure(const Samples& samples) const override;
  std::int64_t AssumedUse(std::string_view pod) const override;

 private:
  Requests requests_;
  std::int32_t percent_;
};

// An amount for each pod, in thousandths.
class AmountTarget : public PodTarget {
 public:
  explicit AmountTarget(std::int64_t milli) : milli_(milli) {}
  Result<Usage> Measure(const Samples& samples) const override;
  std::int64_t AssumedUse(std::string_view) const override { return milli_; }

 private:
  std::int64_t milli_;
};

// Pods and samples that go together: what is ignored or unready has no sample any more.
struct MeasuredPods {
  PodGroups groups;
  Samples samples;
};

// Groups the pods and drops the samples that do not count. `resource` as in GroupPods. Fails when
// there is no pod, or no sample left.
Result<MeasuredPods> MeasurePods(const Context& context, Samples samples,
                                 std::string_view resource);

struct PodsProposal {
  std::int32_t replicas = 0;
  Usage usage;  // before anything was assumed about pods without samples
  PodCounts pods;
};

// The replica count for `target`. Fails when usage cannot be measured.
Result<PodsProposal> ProposeForPods(const Context& context, MeasuredPods pods,
                                    const PodTarget& target);

}  // namespace ballast::engine
