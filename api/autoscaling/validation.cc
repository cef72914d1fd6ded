#include "api/autoscaling/validation.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "api/autoscaling/metric_source.h"
#include "api/autoscaling/mode.h"
#include "api/autoscaling/query_template.h"
#include "api/autoscaling/schedule_validation.h"
#include "api/autoscaling/take_over_annotation.h"
#include "api/kubernetes/label_syntax.h"

namespace ballast::api {

namespace {

constexpr std::int32_t kMaxPeriodSeconds = 1800;
constexpr std::int32_t kMaxWindowSeconds = 3600;
constexpr std::int32_t kMaxSampleAgeSeconds = 86400;
constexpr std::int32_t kMaxReadinessSeconds = 86400;
constexpr std::int32_t kMaxFallbackSeconds = 86400;

// Whether the API group may be left out, as for kinds of the core group.
enum class EmptyGroup { kRefused, kAllowed };

std::string Number(std::int64_t number) { return std::to_string(number); }

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> choices) {
  return std::find(choices.begin(), choices.end(), text) != choices.end();
}

class SpecCheck {
 public:
  FieldErrors errors;

  void Check(const AutoscalerSpec& spec, bool is_policy) {
    is_policy_ = is_policy;
    CheckBounds(spec);
    const EmptyGroup empty_group = spec.scale_target_ref.kind == "ReplicationController"
                                       ? EmptyGroup::kAllowed
                                       : EmptyGroup::kRefused;
    CheckReference(spec.scale_target_ref, "spec.scaleTargetRef", empty_group);
    CheckMetrics(spec);
    if (spec.behavior) {
      CheckRules(spec.behavior->scale_up, "spec.behavior.scaleUp");
      CheckRules(spec.behavior->scale_down, "spec.behavior.scaleDown");
    }
    if (is_policy) {
      CheckPolicy(spec);
    }
  }

 private:
  void Add(std::string field, std::string message, Later later = Later::kStaysWrong) {
    errors.Add(std::move(field), std::move(message), later);
  }

  // `text` must be one of the choices.
  void CheckChoice(const std::string& text, const std::string& field,
                   const std::vector<std::string>& choices, Later later = Later::kMayBeRight) {
    if (std::ranges::count(choices, text) == 0) {
      Add(field, NoChoice(text, choices), later);
    }
  }

  void CheckBounds(const AutoscalerSpec& spec) {
    if (spec.min_replicas && *spec.min_replicas < 0) {
      Add("spec.minReplicas", "must be 0 or more, is " + Number(*spec.min_replicas));
    }
    if (spec.max_replicas == 0) {
      Add("spec.maxReplicas", "must be set, and greater than 0");
    } else if (spec.max_replicas < 0) {
      Add("spec.maxReplicas", "must be 1 or more, is " + Number(spec.max_replicas));
    }
    if (spec.min_replicas && spec.max_replicas < *spec.min_replicas) {
      Add("spec.maxReplicas", "must not be less than minReplicas: " + Number(spec.max_replicas) +
                                  " is less than " + Number(*spec.min_replicas));
    }
  }

  // A name that becomes part of a URL's path.
  void CheckPathName(const std::string& name, const std::string& field, const char* what) {
    if (name.empty()) {
      Add(field, std::string("must be set to ") + what);
    }
    for (const std::string& complaint : CheckPathSegment(name)) {
      Add(field, complaint + ": " + Quote(name));
    }
  }

  void CheckReference(const CrossVersionObjectReference& reference, const std::string& field,
                      EmptyGroup empty_group) {
    CheckPathName(reference.kind, field + ".kind", "the object's kind, like Deployment");
    CheckPathName(reference.name, field + ".name", "the object's name");
    const std::string& version = reference.api_version;
    const auto slashes = std::count(version.begin(), version.end(), '/');
    const bool has_group = slashes == 1 && version.front() != '/';
    if (slashes > 1) {
      Add(field + ".apiVersion", "must be group/version, is " + Quote(version), Later::kMayBeRight);
    } else if (!has_group && empty_group == EmptyGroup::kRefused) {
      Add(field + ".apiVersion", "must name the API group, as in apps/v1, is " + Quote(version),
          Later::kMayBeRight);
    }
  }

  void CheckMetrics(const AutoscalerSpec& spec) {
    bool can_wake = false;
    for (std::size_t i = 0; i < spec.metrics.size(); ++i) {
      CheckMetric(spec.metrics[i], "spec.metrics[" + std::to_string(i) + "]");
      can_wake = can_wake || IsOneOf(spec.metrics[i].type, {"Object", "External"}) ||
                 (is_policy_ && spec.metrics[i].type == "Prometheus");
    }
    if (spec.min_replicas == 0 && !can_wake) {
      Add("spec.metrics",
          std::string("must have a metric of type ") +
              (is_policy_ ? "Object, External or Prometheus" : "Object or External") +
              " when minReplicas is 0, because no other can wake a target without pods; add one, "
              "or set minReplicas to 1",
          Later::kMayBeRight);
    }
  }

  void CheckMetric(const MetricSpec& metric, const std::string& field) {
    const struct {
      std::string_view type;
      std::string_view member;
      bool present;
    } kSources[] = {
        {"Object", "object", metric.object.has_value()},
        {"External", "external", metric.external.has_value()},
        {"Pods", "pods", metric.pods.has_value()},
        {"Resource", "resource", metric.resource.has_value()},
        {"ContainerResource", "containerResource", metric.container_resource.has_value()},
        {"Prometheus", "prometheus", metric.prometheus.has_value()}};
    const auto expected =
        std::find_if(std::begin(kSources), std::end(kSources), [&](const auto& source) {
          return source.type == metric.type && (is_policy_ || source.type != "Prometheus");
        });
    if (expected == std::end(kSources)) {
      std::vector<std::string> types = {"Resource", "ContainerResource", "Pods", "Object",
                                        "External"};
      if (is_policy_) {
        types.emplace_back("Prometheus");
      }
      CheckChoice(metric.type, field + ".type", types);
    } else if (!expected->present) {
      Add(field + "." + std::string(expected->member),
          "must be set, because the metric's type is " + metric.type);
    }
    CheckRange(metric.max_sample_age_seconds, 1, kMaxSampleAgeSeconds,
               field + ".maxSampleAgeSeconds");
    // If several sources are set, only the first is checked, as upstream does.
    if (metric.object) {
      CheckObject(*metric.object, field + ".object");
    } else if (metric.external) {
      CheckExternal(*metric.external, field + ".external");
    } else if (metric.pods) {
      CheckPods(*metric.pods, field + ".pods");
    } else if (metric.resource) {
      CheckResource(metric.resource->name, metric.resource->target, field + ".resource");
    } else if (metric.container_resource) {
      CheckContainerResource(*metric.container_resource, field + ".containerResource");
    } else if (metric.prometheus) {
      CheckPrometheus(*metric.prometheus, field + ".prometheus");
    }
    if (std::count_if(std::begin(kSources), std::end(kSources),
                      [](const auto& source) { return source.present; }) > 1) {
      for (const auto& source : kSources) {
        if (source.present && source.type != metric.type) {
          Add(field + "." + std::string(source.member),
              "must not be set beside another source; make it a metric of its own");
        }
      }
    }
  }

  void CheckTarget(const MetricTarget& target, const std::string& field) {
    CheckChoice(target.type, field + ".type", {"Utilization", "Value", "AverageValue"});
    if (target.value && target.value->Sign() <= 0) {
      Add(field + ".value", "must be greater than 0, is " + target.value->Print());
    }
    if (target.average_value && target.average_value->Sign() <= 0) {
      Add(field + ".averageValue", "must be greater than 0, is " + target.average_value->Print());
    }
    if (target.average_utilization && *target.average_utilization < 1) {
      Add(field + ".averageUtilization",
          "must be 1 (percent) or more, is " + Number(*target.average_utilization));
    }
  }

  void CheckIdentifier(const MetricIdentifier& metric, const std::string& field) {
    CheckPathName(metric.name, field + ".name", "the metric's name");
  }

  void CheckObject(const ObjectMetricSource& source, const std::string& field) {
    CheckReference(source.described_object, field + ".describedObject", EmptyGroup::kAllowed);
    CheckIdentifier(source.metric, field + ".metric");
    CheckTarget(source.target, field + ".target");
    if (!source.target.value && !source.target.average_value) {
      Add(field + ".target.averageValue", "must be set, or else value");
    }
  }

  void CheckExternal(const ExternalMetricSource& source, const std::string& field) {
    CheckIdentifier(source.metric, field + ".metric");
    CheckTarget(source.target, field + ".target");
    if (!source.target.value && !source.target.average_value) {
      Add(field + ".target.averageValue", "must be set, or else value");
    }
    if (source.target.value && source.target.average_value) {
      Add(field + ".target.value", "must not be set beside averageValue; keep one of them");
    }
  }

  void CheckPods(const PodsMetricSource& source, const std::string& field) {
    CheckIdentifier(source.metric, field + ".metric");
    CheckTarget(source.target, field + ".target");
    if (!source.target.average_value) {
      Add(field + ".target.averageValue", "must be set: a Pods metric is averaged over the pods");
    }
  }

  void CheckResource(const std::string& name, const MetricTarget& target,
                     const std::string& field) {
    if (name.empty()) {
      Add(field + ".name", "must be set to the resource's name, like cpu");
    }
    CheckTarget(target, field + ".target");
    if (!target.average_utilization && !target.average_value) {
      Add(field + ".target.averageUtilization", "must be set, or else averageValue");
    }
    if (target.average_utilization && target.average_value) {
      Add(field + ".target.averageValue",
          "must not be set beside averageUtilization; keep one of them");
    }
  }

  void CheckContainerResource(const ContainerResourceMetricSource& source,
                              const std::string& field) {
    CheckResource(source.name, source.target, field);
    if (!source.name.empty() && !IsContainerResource(source.name)) {
      Add(field + ".name",
          "must be a resource that containers have, like cpu or memory, is " + Quote(source.name),
          Later::kMayBeRight);
    }
    if (source.container.empty()) {
      Add(field + ".container", "must be set to the container's name");
    } else {
      for (const std::string& complaint : CheckDns1123Label(source.container)) {
        Add(field + ".container", complaint, Later::kMayBeRight);
      }
    }
  }

  void CheckPrometheus(const PrometheusMetricSource& source, const std::string& field) {
    if (source.source.empty()) {
      Add(field + ".source", "must be set to the name of a source that the installation defines");
    }
    if (source.query.empty()) {
      Add(field + ".query", "must be set");
    } else if (const Status query = CheckQuery(source.query); !query.ok()) {
      Add(field + ".query", query.error().message);
    }
    CheckTarget(source.target, field + ".target");
    if (!source.target.value && !source.target.average_value) {
      Add(field + ".target.averageValue", "must be set, or else value");
    }
    if (source.target.value && source.target.average_value) {
      Add(field + ".target.value", "must not be set beside averageValue; keep one of them");
    }
  }

  // A standard resource, huge pages, or a qualified name ("example.com/gpu").
  static bool IsContainerResource(const std::string& name) {
    constexpr std::string_view kRequests = "requests.";
    if (!CheckLabelKey(name).empty()) {
      return false;
    }
    if (name.find('/') == std::string::npos) {
      return IsOneOf(name, {"cpu", "memory", "ephemeral-storage"}) ||
             name.starts_with("hugepages-");
    }
    return name.find("kubernetes.io/") != std::string::npos ||
           (!name.starts_with(kRequests) && CheckLabelKey(std::string(kRequests) + name).empty());
  }

  void CheckRules(const Boxed<ScalingRules>& rules, const std::string& field) {
    if (!rules) {
      return;
    }
    CheckRange(rules->stabilization_window_seconds, 0, kMaxWindowSeconds,
               field + ".stabilizationWindowSeconds");
    if (rules->select_policy) {
      CheckChoice(*rules->select_policy, field + ".selectPolicy", {"Max", "Min", "Disabled"});
    }
    if (!rules->policies || rules->policies->empty()) {
      Add(field + ".policies",
          "must have at least one policy; leave the list out for the default, or set selectPolicy "
          "to Disabled to switch this direction off");
    } else {
      for (std::size_t i = 0; i < rules->policies->size(); ++i) {
        CheckScalingPolicy((*rules->policies)[i], field + ".policies[" + std::to_string(i) + "]");
      }
    }
    if (rules->tolerance && rules->tolerance->Sign() < 0) {
      Add(field + ".tolerance", "must be 0 or more, is " + rules->tolerance->Print());
    }
  }

  void CheckScalingPolicy(const ScalingPolicy& policy, const std::string& field) {
    CheckChoice(policy.type, field + ".type", {"Pods", "Percent"});
    if (policy.value <= 0) {
      Add(field + ".value", "must be greater than 0, is " + Number(policy.value));
    }
    CheckRange(policy.period_seconds, 1, kMaxPeriodSeconds, field + ".periodSeconds");
  }

  void CheckRange(std::optional<std::int32_t> value, std::int32_t low, std::int32_t high,
                  const std::string& field) {
    if (value && (*value < low || *value > high)) {
      Add(field,
          "must be between " + Number(low) + " and " + Number(high) + " (seconds), is " +
              Number(*value),
          *value > high ? Later::kMayBeRight : Later::kStaysWrong);
    }
  }

  void CheckPolicy(const AutoscalerSpec& spec) {
    CheckChoice(spec.mode, "spec.mode", PolicyModeNames(), Later::kStaysWrong);
    CheckRange(spec.sync_period_seconds, 1, kMaxSyncPeriodSeconds, "spec.syncPeriodSeconds");
    if (spec.readiness) {
      CheckRange(spec.readiness->cpu_initialization_period_seconds, 0, kMaxReadinessSeconds,
                 "spec.readiness.cpuInitializationPeriodSeconds");
      CheckRange(spec.readiness->initial_readiness_delay_seconds, 0, kMaxReadinessSeconds,
                 "spec.readiness.initialReadinessDelaySeconds");
    }
    if (spec.pod_selection) {
      CheckChoice(*spec.pod_selection, "spec.podSelection", {"Selector", "Owned"},
                  Later::kStaysWrong);
    }
    if (spec.fallback) {
      CheckFallback(*spec.fallback, spec);
    }
  }

  void CheckFallback(const Fallback& fallback, const AutoscalerSpec& spec) {
    const std::string behavior = fallback.behavior.value_or("Static");
    CheckRange(fallback.after_seconds, 1, kMaxFallbackSeconds, "spec.fallback.afterSeconds");
    CheckChoice(behavior, "spec.fallback.behavior",
                {"Static", "CurrentReplicas", "CurrentReplicasIfHigher", "CurrentReplicasIfLower"},
                Later::kStaysWrong);
    const std::int32_t least = std::max(spec.min_replicas.value_or(1), 1);
    if (!fallback.replicas) {
      if (behavior != "CurrentReplicas") {
        Add("spec.fallback.replicas", "must be set, unless behavior is CurrentReplicas");
      }
    } else if (least <= spec.max_replicas &&
               (*fallback.replicas < least || *fallback.replicas > spec.max_replicas)) {
      Add("spec.fallback.replicas", "must be between " + Number(least) + " and " +
                                        Number(spec.max_replicas) + " (maxReplicas), is " +
                                        Number(*fallback.replicas));
    }
  }

  bool is_policy_ = false;
};

}  // namespace

FieldErrors ValidateSpec(const Autoscaler& autoscaler, const ZoneCheck& zones) {
  SpecCheck check;
  check.Check(autoscaler.spec, autoscaler.is_policy());
  if (autoscaler.is_policy()) {
    check.errors.Add(CheckSchedules(autoscaler.spec, zones));
  }
  return std::move(check.errors);
}

namespace {

// Whether an HPA at zero never leaves it: the controller takes a percentage of no replicas.
bool StaysAtZero(const Autoscaler& autoscaler) {
  const AutoscalerSpec& spec = autoscaler.spec;
  if (autoscaler.is_policy() || spec.min_replicas != 0 || !spec.behavior ||
      !spec.behavior->scale_up || !spec.behavior->scale_up->policies) {
    return false;
  }
  const auto is_percent = [](const ScalingPolicy& policy) { return policy.type == "Percent"; };
  const auto& policies = *spec.behavior->scale_up->policies;
  return spec.behavior->scale_up->select_policy == "Min"
             ? std::ranges::any_of(policies, is_percent)
             : !policies.empty() && std::ranges::all_of(policies, is_percent);
}

// The apiVersion under which servers have this kind of Kubernetes' own, if `reference` names a
// group that has it on none; empty if it is right, or not known. (Of the apiVersion only the group
// counts.)
std::string RightVersion(const CrossVersionObjectReference& reference) {
  constexpr std::pair<const char*, const char*> kKinds[] = {{"Deployment", "apps/v1"},
                                                            {"StatefulSet", "apps/v1"},
                                                            {"ReplicaSet", "apps/v1"},
                                                            {"ReplicationController", "v1"}};
  const std::string named = GroupOf(reference.api_version);
  if (named.find('.') != std::string::npos) {
    return "";  // somebody else's kind of the same name
  }
  const auto* const kind = std::ranges::find(
      kKinds, reference.kind, [](const auto& known) { return std::string(known.first); });
  const bool known = kind != std::end(kKinds);
  return known && named != GroupOf(kind->second) ? kind->second : "";
}

}  // namespace

std::vector<std::string> Warnings(const Autoscaler& autoscaler) {
  const AutoscalerSpec& spec = autoscaler.spec;
  std::vector<std::string> warnings;
  const ServingMode& mode = ModeOf(spec);
  const bool is_mode = mode.name == spec.mode;  // what is none counts as one, but is an error
  if (is_mode && mode.kind == ServingMode::Kind::kDisabled) {
    warnings.emplace_back("spec.mode is Disabled: nothing is scaled until it is set to Active");
  }
  if (is_mode && mode.kind == ServingMode::Kind::kDryRun) {
    warnings.emplace_back("spec.mode is DryRun: decisions are recorded, nothing is scaled");
  }
  if (spec.behavior) {
    const auto disabled = [](const Boxed<ScalingRules>& rules) {
      return rules && rules->select_policy == "Disabled";
    };
    if (disabled(spec.behavior->scale_up)) {
      warnings.emplace_back(
          "spec.behavior.scaleUp.selectPolicy is Disabled: never scaled up, whatever the metrics "
          "say");
    }
    if (disabled(spec.behavior->scale_down)) {
      warnings.emplace_back("spec.behavior.scaleDown.selectPolicy is Disabled: never scaled down");
    }
  }
  if (const std::string right = RightVersion(spec.scale_target_ref); !right.empty()) {
    warnings.push_back("spec.scaleTargetRef.apiVersion: no server has a " +
                       spec.scale_target_ref.kind + " in this group; use " + right);
  }
  if (StaysAtZero(autoscaler)) {
    warnings.emplace_back(
        "spec.behavior.scaleUp allows a percentage only, and of zero replicas that is none: it "
        "stays at zero");
  }
  if (spec.fallback && spec.fallback->behavior == "CurrentReplicasIfLower" &&
      !spec.fallback->allow_scale_in) {
    warnings.emplace_back(
        "spec.fallback never changes the count: CurrentReplicasIfLower needs allowScaleIn: true");
  }
  const bool of_pods = std::ranges::any_of(spec.metrics, [](const MetricSpec& metric) {
    return IsResourceMetric(metric) || metric.pods;
  });
  if (spec.fallback && of_pods &&
      spec.fallback->after_seconds.value_or(kFirstSampleSeconds) < kFirstSampleSeconds) {
    warnings.emplace_back(
        "spec.fallback.afterSeconds: new pods may have no metrics for two minutes: a new workload "
        "gets the fallback");
  }
  if (TakesOverIsMalformed(autoscaler) && autoscaler.is_policy()) {
    warnings.push_back(std::string("annotation ") + kTakesOver + " has no effect: it must be " +
                       kHpaKind + "/NAME");
  }
  if (HpaModeIsMalformed(autoscaler) && !autoscaler.is_policy()) {
    std::string modes;
    for (const ServingMode& known : kHpaModes) {
      modes += (modes.empty() ? "" : ", ") + std::string(known.name);
    }
    warnings.push_back(std::string("annotation ") + kHpaMode + " is none of " + modes +
                       ", and counts as " + std::string(kHpaModes.front().name));
  }
  if (spec.min_replicas == spec.max_replicas) {
    warnings.emplace_back("minReplicas equals maxReplicas: the number of replicas is fixed");
  }
  return warnings;
}

}  // namespace ballast::api
