// The two resources that Ballast serves, as values: autoscaling/v2 HorizontalPodAutoscaler and
// ballast.dev/v1alpha1 AutoScalePolicy. They share one type, Autoscaler; fields that only policies
// have are marked. Field names and meanings are Kubernetes' own.
//
// Decode() fills what the JSON has and leaves the rest at the defaults below. API defaulting (an
// absent minReplicas is 1, ...) is in api/autoscaling/defaults.h, validation in
// api/autoscaling/validation.h.
//
// Errors: none here; Decode notes what does not fit as a problem of the Decoder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/autoscaling/packed_schedules.h"
#include "api/autoscaling/schedule_status.h"
#include "api/base/boxed.h"
#include "api/base/result.h"
#include "api/json/json.h"
#include "api/json/json_writer.h"
#include "api/kubernetes/label_selector.h"
#include "api/kubernetes/meta.h"
#include "api/kubernetes/quantity.h"

namespace ballast::api {

inline constexpr const char* kHpaApiVersion = "autoscaling/v2";
inline constexpr const char* kHpaKind = "HorizontalPodAutoscaler";
inline constexpr const char* kPolicyApiVersion = "ballast.dev/v1alpha1";
inline constexpr const char* kPolicyKind = "AutoScalePolicy";
inline constexpr const char* kOwnedPods = "Owned";  // of spec.podSelection

// How users and the log name an autoscaler: "asp/web", or, with its namespace, "hpa/shop/web".
std::string PrintName(const std::string& kind, const std::string& name);
std::string PrintName(const ObjectReference& autoscaler);

struct CrossVersionObjectReference {
  std::string api_version;
  std::string kind;
  std::string name;
};

// Types stay strings: an unknown one is a matter of validation, not a parse error.
struct MetricTarget {
  std::string type;  // "Utilization", "Value", "AverageValue"
  std::optional<Quantity> value;
  std::optional<Quantity> average_value;
  std::optional<std::int32_t> average_utilization;  // percent of the request
};

struct MetricIdentifier {
  std::string name;
  std::optional<LabelSelector> selector;
};

struct ObjectMetricSource {
  CrossVersionObjectReference described_object;
  MetricTarget target;
  MetricIdentifier metric;
};

struct PodsMetricSource {
  MetricIdentifier metric;
  MetricTarget target;
};

struct ResourceMetricSource {
  std::string name;
  MetricTarget target;
};

struct ContainerResourceMetricSource {
  std::string name;
  MetricTarget target;
  std::string container;
};

struct ExternalMetricSource {
  MetricIdentifier metric;
  MetricTarget target;
};

// Policy only.
struct PrometheusMetricSource {
  std::string source;  // a name that the installation defines
  std::string query;   // PromQL with the variables of query_template.h
  MetricTarget target;
};

struct MetricSpec {
  // "Resource", "ContainerResource", "Pods", "Object", "External"; policy only: "Prometheus"
  std::string type;
  Boxed<ObjectMetricSource> object;
  Boxed<PodsMetricSource> pods;
  Boxed<ResourceMetricSource> resource;
  Boxed<ContainerResourceMetricSource> container_resource;
  Boxed<ExternalMetricSource> external;
  Boxed<PrometheusMetricSource> prometheus;  // policy only
  // Policy only: an older sample counts as missing.
  std::optional<std::int32_t> max_sample_age_seconds;
};

struct ScalingPolicy {
  std::string type;  // "Pods", "Percent"
  std::int32_t value = 0;
  std::int32_t period_seconds = 0;
};

struct ScalingRules {
  std::optional<std::int32_t> stabilization_window_seconds;
  std::optional<std::string> select_policy;  // "Max", "Min", "Disabled"
  std::optional<std::vector<ScalingPolicy>> policies;
  std::optional<Quantity> tolerance;
};

struct Behavior {
  Boxed<ScalingRules> scale_up;
  Boxed<ScalingRules> scale_down;
};

// Policy only: overrides the installation's settings for this workload.
struct Readiness {
  std::optional<std::int32_t> cpu_initialization_period_seconds;
  std::optional<std::int32_t> initial_readiness_delay_seconds;
};

// metrics-server has a usable sample of a pod 30 to 120 s after its start.
inline constexpr std::int32_t kFirstSampleSeconds = 120;

// Policy only: what counts while no metric gives a value.
struct Fallback {
  std::optional<std::int32_t> after_seconds;  // absent: three periods, at least 120
  std::optional<std::int32_t> replicas;       // absent only with behavior CurrentReplicas
  // "Static" (also when absent), "CurrentReplicas", "CurrentReplicasIfHigher",
  // "CurrentReplicasIfLower"
  std::optional<std::string> behavior;
  bool allow_scale_in = false;
};

struct AutoscalerSpec {
  CrossVersionObjectReference scale_target_ref;
  std::optional<std::int32_t> min_replicas;
  std::int32_t max_replicas = 0;
  std::vector<MetricSpec> metrics;
  std::optional<Behavior> behavior;

  // Policy only.
  std::string mode;  // see mode.h
  std::optional<std::int32_t> sync_period_seconds;
  std::optional<Readiness> readiness;
  std::optional<std::string> pod_selection;  // "Selector" (also when absent), "Owned"
  Boxed<Fallback> fallback;
  PackedSchedules schedules;
};

struct MetricValueStatus {
  std::optional<Quantity> value;
  std::optional<Quantity> average_value;
  std::optional<std::int32_t> average_utilization;
};

// One entry of status.currentMetrics. The type of a metric that failed is empty.
struct MetricStatus {
  std::string type;
  std::string resource;            // Resource, ContainerResource: the resource's name
  std::string container;           // ContainerResource
  Boxed<MetricIdentifier> metric;  // Pods, Object, External
  Boxed<CrossVersionObjectReference> described_object;  // Object
  std::string source;                                   // Prometheus
  MetricValueStatus current;
};

struct AutoscalerStatus {
  std::optional<std::int64_t> observed_generation;
  std::optional<Time> last_scale_time;
  std::int32_t current_replicas = 0;
  std::int32_t desired_replicas = 0;
  std::vector<MetricStatus> current_metrics;
  std::vector<Condition> conditions;
  Boxed<ScheduleStatus> schedules;  // absent without spec.schedules
};

struct Autoscaler {
  std::string api_version;
  std::string kind;
  ObjectMeta metadata;
  AutoscalerSpec spec;
  AutoscalerStatus status;
  // Not encoded: who wrote the status last; who wrote the spec or an annotation last; a field of an
  // HPA's spec that this version does not know, if there is one ("spec.behavior.scaleUp.curve").
  std::optional<FieldManager> status_writer;
  std::optional<FieldManager> editor;
  std::string unknown_field;

  bool is_policy() const { return kind == kPolicyKind; }
  std::string Print() const;  // "hpa/NAMESPACE/NAME", as the log and the debug page name it
  Autoscaler With(const AutoscalerStatus& other) const;  // a copy with another status
  ObjectKey key() const { return {metadata.namespace_, metadata.name}; }
  ObjectReference reference() const { return {kind, metadata.namespace_, metadata.name}; }
};

// Whether both name the same target: group, kind and name. The version does not count, and the
// namespace is not compared.
bool SameTarget(const AutoscalerSpec& a, const AutoscalerSpec& b);

void Decode(const json::Cursor& in, Autoscaler& out);
void Decode(const json::Cursor& in, AutoscalerSpec& out);
void Encode(json::Writer& out, const Autoscaler& autoscaler);
void Encode(json::Writer& out, const AutoscalerSpec& spec);
void Encode(json::Writer& out, const MetricStatus& metric);
void Encode(json::Writer& out, const AutoscalerStatus& status);

}  // namespace ballast::api
