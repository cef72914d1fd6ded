#include "api/autoscaling/types.h"

#include "api/kubernetes/codec.h"

namespace ballast::api {

namespace {

void EncodeMember(json::Writer& out, std::string_view name, const auto& value) {
  out.Key(name);
  Encode(out, value);
}

// Whether the entry of managedFields is about writes of the status.
bool IsOfStatus(const json::Cursor& entry) {
  return entry.Member("subresource").Text() == "status";
}

}  // namespace

std::string PrintName(const std::string& kind, const std::string& name) {
  return (kind == kPolicyKind ? "asp/" : "hpa/") + name;
}

std::string PrintName(const ObjectReference& autoscaler) {
  return PrintName(autoscaler.kind, autoscaler.key().Print());
}

std::string Autoscaler::Print() const { return PrintName(kind, key().Print()); }

bool SameTarget(const AutoscalerSpec& a, const AutoscalerSpec& b) {
  const CrossVersionObjectReference& x = a.scale_target_ref;
  const CrossVersionObjectReference& y = b.scale_target_ref;
  return x.kind == y.kind && x.name == y.name && GroupOf(x.api_version) == GroupOf(y.api_version);
}

void Decode(const json::Cursor& in, CrossVersionObjectReference& out) {
  in.Member("apiVersion").Read(out.api_version);
  in.Member("kind").Read(out.kind);
  in.Member("name").Read(out.name);
}

void Decode(const json::Cursor& in, MetricTarget& out) {
  in.Member("type").Read(out.type);
  Decode(in.Member("value"), out.value);
  Decode(in.Member("averageValue"), out.average_value);
  in.Member("averageUtilization").Read(out.average_utilization);
}

void Decode(const json::Cursor& in, MetricIdentifier& out) {
  in.Member("name").Read(out.name);
  Decode(in.Member("selector"), out.selector);
}

void Decode(const json::Cursor& in, ObjectMetricSource& out) {
  Decode(in.Member("describedObject"), out.described_object);
  Decode(in.Member("target"), out.target);
  Decode(in.Member("metric"), out.metric);
}

void Decode(const json::Cursor& in, PodsMetricSource& out) {
  Decode(in.Member("metric"), out.metric);
  Decode(in.Member("target"), out.target);
}

void Decode(const json::Cursor& in, ResourceMetricSource& out) {
  in.Member("name").Read(out.name);
  Decode(in.Member("target"), out.target);
}

void Decode(const json::Cursor& in, ContainerResourceMetricSource& out) {
  in.Member("name").Read(out.name);
  Decode(in.Member("target"), out.target);
  in.Member("container").Read(out.container);
}

void Decode(const json::Cursor& in, ExternalMetricSource& out) {
  Decode(in.Member("metric"), out.metric);
  Decode(in.Member("target"), out.target);
}

void Decode(const json::Cursor& in, PrometheusMetricSource& out) {
  in.Member("source").Read(out.source);
  in.Member("query").Read(out.query);
  Decode(in.Member("target"), out.target);
}

void Decode(const json::Cursor& in, MetricSpec& out) {
  in.Member("type").Read(out.type);
  Decode(in.Member("object"), out.object);
  Decode(in.Member("pods"), out.pods);
  Decode(in.Member("resource"), out.resource);
  Decode(in.Member("containerResource"), out.container_resource);
  Decode(in.Member("external"), out.external);
  Decode(in.Member("prometheus"), out.prometheus);
  in.Member("maxSampleAgeSeconds").Read(out.max_sample_age_seconds);
}

void Decode(const json::Cursor& in, ScalingPolicy& out) {
  in.Member("type").Read(out.type);
  in.Member("value").Read(out.value);
  in.Member("periodSeconds").Read(out.period_seconds);
}

void Decode(const json::Cursor& in, ScalingRules& out) {
  in.Member("stabilizationWindowSeconds").Read(out.stabilization_window_seconds);
  in.Member("selectPolicy").Read(out.select_policy);
  Decode(in.Member("policies"), out.policies);
  Decode(in.Member("tolerance"), out.tolerance);
}

void Decode(const json::Cursor& in, Behavior& out) {
  Decode(in.Member("scaleUp"), out.scale_up);
  Decode(in.Member("scaleDown"), out.scale_down);
}

void Decode(const json::Cursor& in, Readiness& out) {
  in.Member("cpuInitializationPeriodSeconds").Read(out.cpu_initialization_period_seconds);
  in.Member("initialReadinessDelaySeconds").Read(out.initial_readiness_delay_seconds);
}

void Decode(const json::Cursor& in, Fallback& out) {
  in.Member("afterSeconds").Read(out.after_seconds);
  in.Member("replicas").Read(out.replicas);
  in.Member("behavior").Read(out.behavior);
  in.Member("allowScaleIn").Read(out.allow_scale_in);
}

void Decode(const json::Cursor& in, AutoscalerSpec& out) {
  Decode(in.Member("scaleTargetRef"), out.scale_target_ref);
  in.Member("minReplicas").Read(out.min_replicas);
  in.Member("maxReplicas").Read(out.max_replicas);
  Decode(in.Member("metrics"), out.metrics);
  Decode(in.Member("behavior"), out.behavior);
  in.Member("mode").Read(out.mode);
  in.Member("syncPeriodSeconds").Read(out.sync_period_seconds);
  Decode(in.Member("readiness"), out.readiness);
  in.Member("podSelection").Read(out.pod_selection);
  Decode(in.Member("fallback"), out.fallback);
  Decode(in.Member("schedules"), out.schedules);
}

void Decode(const json::Cursor& in, MetricValueStatus& out) {
  Decode(in.Member("value"), out.value);
  Decode(in.Member("averageValue"), out.average_value);
  in.Member("averageUtilization").Read(out.average_utilization);
}

// The member that holds the source of an entry of that type ("containerResource" for
// "ContainerResource"); empty for an unknown type.
std::string SourceMember(const std::string& type) {
  for (const char* known :
       {"Resource", "ContainerResource", "Pods", "Object", "External", "Prometheus"}) {
    if (type == known) {
      std::string member = type;
      member[0] = static_cast<char>(member[0] | 0x20);
      return member;
    }
  }
  return {};
}

void Decode(const json::Cursor& in, MetricStatus& out) {
  in.Member("type").Read(out.type);
  const std::string source = SourceMember(out.type);
  if (source.empty()) {
    return;
  }
  const json::Cursor part = in.Member(source);
  part.Member("name").Read(out.resource);
  part.Member("container").Read(out.container);
  Decode(part.Member("metric"), out.metric);
  Decode(part.Member("describedObject"), out.described_object);
  part.Member("source").Read(out.source);
  Decode(part.Member("current"), out.current);
}

void Decode(const json::Cursor& in, AutoscalerStatus& out) {
  in.Member("observedGeneration").Read(out.observed_generation);
  Decode(in.Member("lastScaleTime"), out.last_scale_time);
  in.Member("currentReplicas").Read(out.current_replicas);
  in.Member("desiredReplicas").Read(out.desired_replicas);
  Decode(in.Member("currentMetrics"), out.current_metrics);
  Decode(in.Member("conditions"), out.conditions);
  Decode(in.Member("schedules"), out.schedules);
}

void Decode(const json::Cursor& in, Autoscaler& out) {
  in.Member("apiVersion").Read(out.api_version);
  in.Member("kind").Read(out.kind);
  Decode(in.Member("metadata"), out.metadata);
  Decode(in.Member("spec"), out.spec);
  Decode(in.Member("status"), out.status);
  out.status_writer = LastManager(in.Member("metadata"),
                                  [](const json::Cursor& entry) { return IsOfStatus(entry); });
  out.editor = LastManager(in.Member("metadata"), [](const json::Cursor& entry) {
    const json::Cursor fields = entry.Member("fieldsV1");
    return !IsOfStatus(entry) && (fields.Member("f:spec").present() ||
                                  fields.Member("f:metadata").Member("f:annotations").present());
  });
}

void Encode(json::Writer& out, const CrossVersionObjectReference& reference) {
  out.Object([&] {
    EncodeField(out, "apiVersion", reference.api_version);
    out.Field("kind", reference.kind);
    out.Field("name", reference.name);
  });
}

void Encode(json::Writer& out, const MetricTarget& target) {
  out.Object([&] {
    out.Field("type", target.type);
    EncodeField(out, "value", target.value);
    EncodeField(out, "averageValue", target.average_value);
    EncodeField(out, "averageUtilization", target.average_utilization);
  });
}

void Encode(json::Writer& out, const MetricIdentifier& metric) {
  out.Object([&] {
    out.Field("name", metric.name);
    EncodeField(out, "selector", metric.selector);
  });
}

void Encode(json::Writer& out, const ObjectMetricSource& source) {
  out.Object([&] {
    EncodeMember(out, "describedObject", source.described_object);
    EncodeMember(out, "target", source.target);
    EncodeMember(out, "metric", source.metric);
  });
}

void Encode(json::Writer& out, const PodsMetricSource& source) {
  out.Object([&] {
    EncodeMember(out, "metric", source.metric);
    EncodeMember(out, "target", source.target);
  });
}

void Encode(json::Writer& out, const ResourceMetricSource& source) {
  out.Object([&] {
    out.Field("name", source.name);
    EncodeMember(out, "target", source.target);
  });
}

void Encode(json::Writer& out, const ContainerResourceMetricSource& source) {
  out.Object([&] {
    out.Field("name", source.name);
    EncodeMember(out, "target", source.target);
    out.Field("container", source.container);
  });
}

void Encode(json::Writer& out, const ExternalMetricSource& source) {
  out.Object([&] {
    EncodeMember(out, "metric", source.metric);
    EncodeMember(out, "target", source.target);
  });
}

void Encode(json::Writer& out, const PrometheusMetricSource& source) {
  out.Object([&] {
    out.Field("source", source.source);
    out.Field("query", source.query);
    EncodeMember(out, "target", source.target);
  });
}

void Encode(json::Writer& out, const MetricSpec& metric) {
  out.Object([&] {
    out.Field("type", metric.type);
    EncodeField(out, "object", metric.object);
    EncodeField(out, "pods", metric.pods);
    EncodeField(out, "resource", metric.resource);
    EncodeField(out, "containerResource", metric.container_resource);
    EncodeField(out, "external", metric.external);
    EncodeField(out, "prometheus", metric.prometheus);
    EncodeField(out, "maxSampleAgeSeconds", metric.max_sample_age_seconds);
  });
}

void Encode(json::Writer& out, const ScalingPolicy& policy) {
  out.Object([&] {
    out.Field("type", policy.type);
    out.Field("value", policy.value);
    out.Field("periodSeconds", policy.period_seconds);
  });
}

void Encode(json::Writer& out, const ScalingRules& rules) {
  out.Object([&] {
    EncodeField(out, "stabilizationWindowSeconds", rules.stabilization_window_seconds);
    EncodeField(out, "selectPolicy", rules.select_policy);
    EncodeField(out, "policies", rules.policies);
    EncodeField(out, "tolerance", rules.tolerance);
  });
}

void Encode(json::Writer& out, const Behavior& behavior) {
  out.Object([&] {
    EncodeField(out, "scaleUp", behavior.scale_up);
    EncodeField(out, "scaleDown", behavior.scale_down);
  });
}

void Encode(json::Writer& out, const Readiness& readiness) {
  out.Object([&] {
    EncodeField(out, "cpuInitializationPeriodSeconds", readiness.cpu_initialization_period_seconds);
    EncodeField(out, "initialReadinessDelaySeconds", readiness.initial_readiness_delay_seconds);
  });
}

void Encode(json::Writer& out, const Fallback& fallback) {
  out.Object([&] {
    EncodeField(out, "afterSeconds", fallback.after_seconds);
    EncodeField(out, "replicas", fallback.replicas);
    EncodeField(out, "behavior", fallback.behavior);
    out.Field("allowScaleIn", fallback.allow_scale_in);
  });
}

void Encode(json::Writer& out, const AutoscalerSpec& spec) {
  out.Object([&] {
    EncodeMember(out, "scaleTargetRef", spec.scale_target_ref);
    EncodeField(out, "minReplicas", spec.min_replicas);
    out.Field("maxReplicas", spec.max_replicas);
    EncodeField(out, "metrics", spec.metrics);
    EncodeField(out, "behavior", spec.behavior);
    EncodeField(out, "mode", spec.mode);
    EncodeField(out, "syncPeriodSeconds", spec.sync_period_seconds);
    EncodeField(out, "readiness", spec.readiness);
    EncodeField(out, "podSelection", spec.pod_selection);
    EncodeField(out, "fallback", spec.fallback);
    EncodeField(out, "schedules", spec.schedules);
  });
}

void Encode(json::Writer& out, const MetricValueStatus& value) {
  out.Object([&] {
    EncodeField(out, "value", value.value);
    EncodeField(out, "averageValue", value.average_value);
    EncodeField(out, "averageUtilization", value.average_utilization);
  });
}

void Encode(json::Writer& out, const MetricStatus& metric) {
  out.Object([&] {
    out.Field("type", metric.type);
    const std::string source = SourceMember(metric.type);
    if (source.empty()) {
      return;
    }
    out.Object(source, [&] {
      EncodeField(out, "name", metric.resource);
      EncodeField(out, "container", metric.container);
      EncodeField(out, "metric", metric.metric);
      EncodeField(out, "describedObject", metric.described_object);
      EncodeField(out, "source", metric.source);
      EncodeMember(out, "current", metric.current);
    });
  });
}

void Encode(json::Writer& out, const AutoscalerStatus& status) {
  out.Object([&] {
    out.Field("observedGeneration", status.observed_generation);
    EncodeField(out, "lastScaleTime", status.last_scale_time);
    out.Field("currentReplicas", status.current_replicas);
    out.Field("desiredReplicas", status.desired_replicas);
    EncodeField(out, "currentMetrics", status.current_metrics);
    EncodeField(out, "conditions", status.conditions);
    EncodeField(out, "schedules", status.schedules);
  });
}

void Encode(json::Writer& out, const Autoscaler& autoscaler) {
  out.Object([&] {
    out.Field("apiVersion", autoscaler.api_version);
    out.Field("kind", autoscaler.kind);
    EncodeMember(out, "metadata", autoscaler.metadata);
    EncodeMember(out, "spec", autoscaler.spec);
    EncodeMember(out, "status", autoscaler.status);
  });
}

}  // namespace ballast::api
