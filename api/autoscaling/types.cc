#include "api/autoscaling/types.h"

#include "api/kubernetes/codec.h"

namespace ballast::api {

namespace {

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

Autoscaler Autoscaler::With(const AutoscalerStatus& other) const {
  // A field that is added does not compile here until it is copied, too.
  const auto& [served_as, of_kind, meta, wanted, before, writer, edited_by, unknown] = *this;
  return {served_as, of_kind, meta, wanted, other, writer, edited_by, unknown};
}

bool SameTarget(const AutoscalerSpec& a, const AutoscalerSpec& b) {
  const CrossVersionObjectReference& x = a.scale_target_ref;
  const CrossVersionObjectReference& y = b.scale_target_ref;
  return x.kind == y.kind && x.name == y.name && GroupOf(x.api_version) == GroupOf(y.api_version);
}

// ---- The members of each type, by their names in JSON. `f` reads or writes them; what is not
// Always there is left out if it is absent or empty.

void Fields(auto& f, Of<CrossVersionObjectReference> auto& v) {
  f("apiVersion", v.api_version);
  f.Always("kind", v.kind);
  f.Always("name", v.name);
}

void Fields(auto& f, Of<MetricTarget> auto& v) {
  f.Always("type", v.type);
  f("value", v.value);
  f("averageValue", v.average_value);
  f("averageUtilization", v.average_utilization);
}

void Fields(auto& f, Of<MetricIdentifier> auto& v) {
  f.Always("name", v.name);
  f("selector", v.selector);
}

void Fields(auto& f, Of<ObjectMetricSource> auto& v) {
  f.Always("describedObject", v.described_object);
  f.Always("target", v.target);
  f.Always("metric", v.metric);
}

void Fields(auto& f, Of<PodsMetricSource> auto& v) {
  f.Always("metric", v.metric);
  f.Always("target", v.target);
}

void Fields(auto& f, Of<ResourceMetricSource> auto& v) {
  f.Always("name", v.name);
  f.Always("target", v.target);
}

void Fields(auto& f, Of<ContainerResourceMetricSource> auto& v) {
  f.Always("name", v.name);
  f.Always("target", v.target);
  f.Always("container", v.container);
}

void Fields(auto& f, Of<ExternalMetricSource> auto& v) {
  f.Always("metric", v.metric);
  f.Always("target", v.target);
}

void Fields(auto& f, Of<PrometheusMetricSource> auto& v) {
  f.Always("source", v.source);
  f.Always("query", v.query);
  f.Always("target", v.target);
}

void Fields(auto& f, Of<MetricSpec> auto& v) {
  f.Always("type", v.type);
  f("object", v.object);
  f("pods", v.pods);
  f("resource", v.resource);
  f("containerResource", v.container_resource);
  f("external", v.external);
  f("prometheus", v.prometheus);
  f("maxSampleAgeSeconds", v.max_sample_age_seconds);
}

void Fields(auto& f, Of<ScalingPolicy> auto& v) {
  f.Always("type", v.type);
  f.Always("value", v.value);
  f.Always("periodSeconds", v.period_seconds);
}

void Fields(auto& f, Of<ScalingRules> auto& v) {
  f("stabilizationWindowSeconds", v.stabilization_window_seconds);
  f("selectPolicy", v.select_policy);
  f("policies", v.policies);
  f("tolerance", v.tolerance);
}

void Fields(auto& f, Of<Behavior> auto& v) {
  f("scaleUp", v.scale_up);
  f("scaleDown", v.scale_down);
}

void Fields(auto& f, Of<Readiness> auto& v) {
  f("cpuInitializationPeriodSeconds", v.cpu_initialization_period_seconds);
  f("initialReadinessDelaySeconds", v.initial_readiness_delay_seconds);
}

void Fields(auto& f, Of<Fallback> auto& v) {
  f("afterSeconds", v.after_seconds);
  f("replicas", v.replicas);
  f("behavior", v.behavior);
  f.Always("allowScaleIn", v.allow_scale_in);
}

void Fields(auto& f, Of<AutoscalerSpec> auto& v) {
  f.Always("scaleTargetRef", v.scale_target_ref);
  f("minReplicas", v.min_replicas);
  f.Always("maxReplicas", v.max_replicas);
  f("metrics", v.metrics);
  f("behavior", v.behavior);
  f("mode", v.mode);
  f("syncPeriodSeconds", v.sync_period_seconds);
  f("readiness", v.readiness);
  f("podSelection", v.pod_selection);
  f("fallback", v.fallback);
  f("schedules", v.schedules);
}

void Fields(auto& f, Of<MetricValueStatus> auto& v) {
  f("value", v.value);
  f("averageValue", v.average_value);
  f("averageUtilization", v.average_utilization);
}

void Fields(auto& f, Of<AutoscalerStatus> auto& v) {
  f("observedGeneration", v.observed_generation);
  f("lastScaleTime", v.last_scale_time);
  f.Always("currentReplicas", v.current_replicas);
  f.Always("desiredReplicas", v.desired_replicas);
  f("currentMetrics", v.current_metrics);
  f("conditions", v.conditions);
  f("schedules", v.schedules);
}

void Fields(auto& f, Of<Autoscaler> auto& v) {
  f.Always("apiVersion", v.api_version);
  f.Always("kind", v.kind);
  f.Always("metadata", v.metadata);
  f.Always("spec", v.spec);
  f.Always("status", v.status);
}

// ----

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

// Those of that member.
void SourceFields(auto& f, Of<MetricStatus> auto& v) {
  f("name", v.resource);
  f("container", v.container);
  f("metric", v.metric);
  f("describedObject", v.described_object);
  f("source", v.source);
  f.Always("current", v.current);
}

void Decode(const json::Cursor& in, MetricStatus& out) {
  in.Member("type").Read(out.type);
  if (const std::string source = SourceMember(out.type); !source.empty()) {
    const json::Cursor part = in.Member(source);
    const MemberReader reader{part};
    SourceFields(reader, out);
  }
}

void Encode(json::Writer& out, const MetricStatus& metric) {
  out.Object([&] {
    out.Field("type", metric.type);
    if (const std::string source = SourceMember(metric.type); !source.empty()) {
      const MemberWriter writer{out};
      out.Object(source, [&] { SourceFields(writer, metric); });
    }
  });
}

void Decode(const json::Cursor& in, AutoscalerSpec& out) { ReadFields(in, out); }
void Encode(json::Writer& out, const AutoscalerSpec& spec) { WriteFields(out, spec); }

void Encode(json::Writer& out, const AutoscalerStatus& status) { WriteFields(out, status); }

void Decode(const json::Cursor& in, Autoscaler& out) {
  ReadFields(in, out);
  out.status_writer = LastManager(in.Member("metadata"),
                                  [](const json::Cursor& entry) { return IsOfStatus(entry); });
  out.editor = LastManager(in.Member("metadata"), [](const json::Cursor& entry) {
    const json::Cursor fields = entry.Member("fieldsV1");
    return !IsOfStatus(entry) && (fields.Member("f:spec").present() ||
                                  fields.Member("f:metadata").Member("f:annotations").present());
  });
}
void Encode(json::Writer& out, const Autoscaler& autoscaler) { WriteFields(out, autoscaler); }

}  // namespace ballast::api
