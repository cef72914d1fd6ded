// What one metric proposes, or why it cannot.
//
// The texts of a failure are nested as upstream nests them, because clients see them.
// Thread-safety: pure functions.
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
#include "operator/engine/metric/pods.h"

namespace ballast::engine {

struct Proposal {
  std::int32_t replicas = 0;
  std::string metric;  // "cpu resource utilization (percentage of request)"
  api::MetricStatus status;
  std::optional<PodCounts> pods;  // of metrics that are measured pod by pod
};

struct MetricFailure {
  std::string reason;  // of the event and the condition ("FailedGetResourceMetric")
  std::string cause;   // what the event and the condition say
  std::string error;   // the same seen from further out, for the event about the whole
};

using MetricOutcome = std::variant<Proposal, MetricFailure>;

// What spec.metrics[index] proposes.
MetricOutcome ComputeMetric(const Context& context, std::size_t index);

// What the metric is compared with; none if it names no source.
const api::MetricTarget* TargetOf(const api::MetricSpec& spec);

// A metric's identity within its policy, as UsedSample::metric has it.
std::string IdentityOf(const api::MetricSpec& metric);

// The types, one file each.
MetricOutcome ComputeResourceMetric(const Context& context, std::size_t index);
MetricOutcome ComputeContainerResourceMetric(const Context& context, std::size_t index);
MetricOutcome ComputePodsMetric(const Context& context, std::size_t index);
MetricOutcome ComputeObjectMetric(const Context& context, std::size_t index);
MetricOutcome ComputeExternalMetric(const Context& context, std::size_t index);

// The answer for spec.metrics[index], which must be a List and not empty; `api` names the metrics
// API for the error ("resource").
template <typename List>
Result<const List*> AnswerFor(const Context& context, std::size_t index, std::string_view api);
// The one value that the custom metrics API answered about an object.
Result<const api::MetricValue*> SingleAnswerFor(const Context& context, std::size_t index);

// A failure of the engine's own kind: only its message counts.
inline Error Problem(std::string message) { return {Code::kInvalid, std::move(message)}; }

// "external metric queue(&LabelSelector{...})": the name of metrics that are no pod's own.
std::string ExternalName(const api::MetricIdentifier& metric);
// A selector as upstream prints it; "nil" without one.
std::string Print(const std::optional<api::LabelSelector>& selector);
// Refuses a selector that upstream cannot convert.
Status CheckSelector(const std::optional<api::LabelSelector>& selector);

}  // namespace ballast::engine
