// Computes the replica count that one metric proposes, or the reason why it cannot.
//
// Failures have upstream's texts and nesting, because clients see them.
//
// Errors: ComputeMetric returns a MetricFailure; the functions with a Result or Status return
// kInvalid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "operator/engine/metric/context.h"
#include "operator/engine/metric/pod_groups.h"

namespace ballast::engine {

struct Proposal {
  std::int32_t replicas = 0;
  std::string metric;  // its name: "cpu resource utilization (percentage of request)"
  api::MetricStatus status;
  std::optional<PodCounts> pods;  // Resource, ContainerResource and Pods metrics only
  std::int32_t asked = 0;         // `replicas` before the pass "one scale-up a sample"
};

struct MetricFailure {
  std::string reason;  // of the event and the condition ("FailedGetResourceMetric")
  std::string cause;   // the message of the event and the condition
  std::string error;   // the cause with upstream's outer prefix, for FailedComputeMetricsReplicas
};

using MetricOutcome = std::variant<Proposal, MetricFailure>;

// The proposal of spec.metrics[index].
MetricOutcome ComputeMetric(const Context& context, std::size_t index);

// The metric's target; null if the metric has no source.
const api::MetricTarget* TargetOf(const api::MetricSpec& spec);

// A metric's identity within its policy: UsedSample::metric.
std::string IdentityOf(const api::MetricSpec& metric);

// One function for each metric type; ComputeMetric calls them.
MetricOutcome ComputeResourceMetric(const Context& context, std::size_t index);
MetricOutcome ComputeContainerResourceMetric(const Context& context, std::size_t index);
MetricOutcome ComputePodsMetric(const Context& context, std::size_t index);
MetricOutcome ComputeObjectMetric(const Context& context, std::size_t index);
MetricOutcome ComputeExternalMetric(const Context& context, std::size_t index);
MetricOutcome ComputePrometheusMetric(const Context& context, std::size_t index);

// The answer for spec.metrics[index]. An error if it is not a List, empty or, for policies, too
// old or too far ahead of now.
// `api` is the metrics API's name in the error ("resource").
template <typename List>
Result<const List*> AnswerFor(const Context& context, std::size_t index, std::string_view api);
// The value that the custom metrics API returned for an object. An error unless there is exactly
// one, or as AnswerFor if it is too old or too far ahead.
Result<const api::MetricValue*> SingleAnswerFor(const Context& context, std::size_t index);

// The samples that are neither too old to count nor too far ahead (policies only): a pod whose
// sample is has none.
Samples WithoutMistimed(const Context& context, std::size_t index, Samples samples);

// An error of which only the message is used.
inline Error Problem(std::string message) { return {Code::kInvalid, std::move(message)}; }

// "external metric queue(&LabelSelector{...})": the name of External metrics and, as upstream, of
// Object metrics with an average target.
std::string ExternalName(const api::MetricIdentifier& metric);
// A selector as upstream prints it; "nil" without one.
std::string Print(const std::optional<api::LabelSelector>& selector);
// An error if upstream cannot convert the selector.
Status CheckSelector(const std::optional<api::LabelSelector>& selector);

}  // namespace ballast::engine
