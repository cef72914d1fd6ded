// Computes the replica count that brings the pods' average usage to its target: metrics of type
// Resource, ContainerResource and Pods.
//
// Samples of unready pods do not count. To scale up, pods that are unready or without a sample are
// assumed to use nothing. To scale down, unready pods are left out, and pods without a sample are
// assumed to use PodTarget::AssumedUse.
//
// Errors: kInvalid if the usage cannot be measured, with upstream's text.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/base/result.h"
#include "operator/engine/metric/context.h"
#include "operator/engine/metric/pod_groups.h"
#include "operator/engine/metric/pod_requests.h"
#include "operator/engine/metric/samples.h"

namespace ballast::engine {

// Usage compared with its target.
struct Usage {
  double ratio = 0;              // usage / target
  std::int64_t average = 0;      // per pod, in thousandths
  std::int32_t utilization = 0;  // percent of the request; 0 for an AmountTarget
};

// The target that the pods' usage is compared with.
class PodTarget {
 public:
  virtual ~PodTarget() = default;
  virtual Result<Usage> Measure(const Samples& samples) const = 0;
  // The assumed usage of a pod without a sample if the others would scale in: the target or, for
  // UtilizationTarget, at least the whole request.
  virtual std::int64_t AssumedUse(std::string_view pod) const = 0;
};

// A percentage of the pods' requests. Usage is truncated to whole percents, as upstream does.
class UtilizationTarget : public PodTarget {
 public:
  UtilizationTarget(Requests requests, std::int32_t percent, Numbers numbers)
      : requests_(std::move(requests)), percent_(percent), numbers_(numbers) {}
  Result<Usage> Measure(const Samples& samples) const override;
  std::int64_t AssumedUse(std::string_view pod) const override;

 private:
  Requests requests_;
  std::int32_t percent_;
  Numbers numbers_;
};

// An amount per pod, in thousandths.
class AmountTarget : public PodTarget {
 public:
  AmountTarget(std::int64_t milli, Numbers numbers) : milli_(milli), numbers_(numbers) {}
  Result<Usage> Measure(const Samples& samples) const override;
  std::int64_t AssumedUse(std::string_view) const override { return milli_; }

 private:
  std::int64_t milli_;
  Numbers numbers_;
};

// The pods in groups, and the samples without those of ignored and unready pods.
struct MeasuredPods {
  PodGroups groups;
  Samples samples;
};

// Groups the pods and drops the samples that do not count. `resource` as in GroupPods. An error if
// there is no pod, or no sample is left.
Result<MeasuredPods> MeasurePods(const Context& context, Samples samples,
                                 std::string_view resource);

struct PodsProposal {
  std::int32_t replicas = 0;
  Usage usage;  // as measured, before assumptions about pods without samples
  PodCounts pods;
};

// The replica count for `target`. An error if `target` cannot measure the usage.
Result<PodsProposal> ProposeForPods(const Context& context, MeasuredPods pods,
                                    const PodTarget& target);

}  // namespace ballast::engine
