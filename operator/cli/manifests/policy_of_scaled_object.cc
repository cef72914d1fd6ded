#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "api/autoscaling/query_template.h"
#include "api/autoscaling/rewrite.h"
#include "api/autoscaling/schema.h"
#include "api/autoscaling/strict_fields.h"
#include "api/autoscaling/types.h"
#include "api/json/json_writer.h"
#include "api/kubernetes/codec.h"
#include "api/kubernetes/quantity.h"
#include "operator/cli/manifests/keda_cron.h"
#include "operator/cli/manifests/keda_fields.h"
#include "operator/cli/manifests/policy_metadata.h"
#include "operator/cli/manifests/policy_of.h"

namespace ballast::cli {
namespace {

// KEDA's defaults.
constexpr const char* kApiVersion = "apps/v1";
constexpr const char* kKind = "Deployment";
// The period of the HPA that KEDA makes, whatever pollingInterval says, and a policy's default.
constexpr std::int32_t kHpaPeriodSeconds = 15;

// How KEDA reads an annotation that is a switch: whatever is not false is true.
bool IsOn(std::string_view text) {
  constexpr std::array<std::string_view, 6> kOff = {"0", "f", "F", "false", "False", "FALSE"};
  return std::ranges::count(kOff, text) == 0;
}

struct Pauses {
  bool both = false;
  bool in = false;
  bool out = false;
};

AnnotationVerdict Judge(std::string_view name, std::string_view text, Pauses& pauses) {
  const auto turn_on = [&](bool& pause) {
    pause = pause || IsOn(text);
    return AnnotationVerdict{AnnotationDisposition::kConverted, ""};
  };
  if (name == "autoscaling.keda.sh/paused") {
    return turn_on(pauses.both);
  }
  if (name == "autoscaling.keda.sh/paused-scale-in" ||
      name == "autoscaling.keda.sh/paused-scale-down") {  // its name before KEDA 2.18
    return turn_on(pauses.in);
  }
  if (name == "autoscaling.keda.sh/paused-scale-out") {
    return turn_on(pauses.out);
  }
  if (name == "autoscaling.keda.sh/paused-replicas") {
    pauses.both = true;
    return {AnnotationDisposition::kLost,
            "the policy is Disabled and leaves the count as it is; KEDA sets "
            "it to " +
                std::string(text) + " first"};
  }
  if (name.find("keda.sh/") != std::string_view::npos) {
    return {AnnotationDisposition::kLost, "only KEDA reads it"};
  }
  return {};
}

// The target of a trigger of type cpu or memory: its type and value, checked.
struct ResourceTarget {
  std::string type;
  std::string value;
};

// kInvalid: KEDA does not take the trigger either.
Result<ResourceTarget> TargetOf(const json::Cursor& trigger) {
  const json::Cursor metadata = trigger.Member("metadata");
  const std::string old_type = TextOf(metadata.Member("type"));
  const std::string new_type = TextOf(trigger.Member("metricType"));
  if (old_type.empty() == new_type.empty()) {
    return Error{Code::kInvalid, "must have either metricType or metadata.type"};
  }
  ResourceTarget target{old_type + new_type, TextOf(metadata.Member("value"))};
  if (target.type == "Utilization") {
    if (!WholeNumber(target.value)) {
      return Error{Code::kInvalid, "metadata.value \"" + target.value +
                                       "\" is not a whole number, as Utilization needs"};
    }
  } else if (target.type == "AverageValue") {
    if (const auto quantity = ParseQuantity(target.value); !quantity.ok()) {
      return quantity.error().In("metadata.value \"" + target.value + "\"");
    }
  } else {
    return Error{Code::kInvalid, "has the metric type " + target.type +
                                     "; cpu and memory have Utilization and AverageValue"};
  }
  return target;
}

void WriteResourceMetric(json::Writer& out, const json::Cursor& trigger,
                         const ResourceTarget& target) {
  const std::string container = TextOf(trigger.Member("metadata").Member("containerName"));
  out.Object([&] {
    out.Field("type", container.empty() ? "Resource" : "ContainerResource");
    out.Object(container.empty() ? "resource" : "containerResource", [&] {
      out.Field("name", trigger.Member("type").Text());
      if (!container.empty()) {
        out.Field("container", container);
      }
      out.Object("target", [&] {
        out.Field("type", target.type);
        if (target.type == "Utilization") {
          out.Field("averageUtilization", *WholeNumber(target.value));
        } else {
          out.Field("averageValue", target.value);
        }
      });
    });
  });
}

// Why a trigger of type prometheus cannot become a metric; empty: it can.
std::string ProblemOf(const json::Cursor& trigger) {
  const std::string type = TextOf(trigger.Member("metricType"));
  const std::string threshold = TextOf(trigger.Member("metadata").Member("threshold"));
  if (!type.empty() && type != "AverageValue" && type != "Value") {
    return "has the metric type " + type + "; prometheus has AverageValue and Value";
  }
  if (const auto quantity = ParseQuantity(threshold); !quantity.ok()) {
    return "metadata.threshold \"" + threshold + "\": " + quantity.error().message;
  }
  return "";
}

void WritePrometheusMetric(json::Writer& out, const json::Cursor& trigger,
                           const std::string& source) {
  const json::Cursor metadata = trigger.Member("metadata");
  const std::string type = TextOf(trigger.Member("metricType"));
  out.Object([&] {
    out.Field("type", "Prometheus");
    out.Object("prometheus", [&] {
      out.Field("source", source);
      out.Field("query", api::LiteralQuery(TextOf(metadata.Member("query"))));
      out.Object("target", [&] {
        out.Field("type", type.empty() ? "AverageValue" : type);  // KEDA's default
        out.Field(type == "Value" ? "value" : "averageValue", TextOf(metadata.Member("threshold")));
      });
    });
  });
}

void ListPrometheusLosses(const json::Cursor& trigger, const std::string& path,
                          const std::string& source, std::vector<Loss>& losses) {
  ListLost(
      trigger, path, {"type", "metricType", "metadata"},
      {{"name", "the metrics of a policy have no names"},
       {"useCachedMetrics", "a policy's query is put at each evaluation"},
       {"authenticationRef", "credentials are those of the source, which the installation has"}},
      losses);
  const json::Cursor metadata = trigger.Member("metadata");
  if (const std::string address = TextOf(metadata.Member("serverAddress")); !address.empty()) {
    losses.push_back(
        {path + ".metadata.serverAddress",
         address + " is not asked, but the source " + source + ": it must have the same metrics"});
  }
  if (IsOn(TextOf(metadata.Member("ignoreNullValues")))) {
    losses.push_back({path + ".metadata.ignoreNullValues",
                      "is true (KEDA's default): a query without a value is 0 to KEDA; to a policy "
                      "it is a metric that fails, unless the query ends with `or on() vector(0)`"});
  }
  constexpr std::string_view kOfSource = "is a matter of the source, which the installation has";
  ListLost(metadata, path + ".metadata",
           {"query", "threshold", "serverAddress", "ignoreNullValues"},
           {{"activationThreshold",
             "concerns only KEDA's step to zero, which the policy never "
             "takes"},
            {"metricName", "the metrics of a policy have no names"},
            {"namespace", kOfSource},
            {"queryParameters", kOfSource},
            {"customHeaders", kOfSource},
            {"authModes", kOfSource},
            {"unsafeSsl", kOfSource},
            {"timeout", kOfSource},
            {"awsRegion", kOfSource},
            {"identityOwner", kOfSource}},
           losses);
}

// Why a trigger of that type becomes no metric.
std::string WithoutCounterpart(const std::string& type) {
  return "only KEDA serves the metric of a trigger of type " + (type.empty() ? "\"\"" : type) +
         ", and only while the ScaledObject exists; " +
         (type == "prometheus" ? "a metric of type Prometheus can put its query to a source that "
                                 "the installation defines (--prometheus-source)"
                               : "an adapter can serve it to a metric of type External or Object");
}

// What the triggers become.
struct Metrics {
  std::string json;  // an array
  std::vector<api::Schedule> schedules;
  int converted = 0;
  int lost = 0;                // of either kind
  bool leads_to_zero = false;  // a converted one is of those with which KEDA goes to zero

  bool none() const { return converted == 0 && schedules.empty(); }
};

Metrics MetricsOf(const json::Cursor& triggers, const std::string& prometheus_source,
                  const ReplicaRange& range, std::vector<Loss>& losses) {
  Metrics metrics;
  json::Writer out;
  out.Array([&] {
    int i = 0;
    for (const json::Cursor& trigger : triggers.Elements()) {
      const int index = i++;
      const std::string path = "spec.triggers[" + std::to_string(index) + "]";
      const std::string type = TextOf(trigger.Member("type"));
      if (type == "cron") {
        if (auto schedule = ScheduleOfTrigger(trigger, index, range, losses)) {
          metrics.schedules.push_back(*std::move(schedule));
        } else {
          ++metrics.lost;
        }
        continue;
      }
      if (type == "prometheus" && !prometheus_source.empty()) {
        if (const std::string problem = ProblemOf(trigger); !problem.empty()) {
          ++metrics.lost;
          losses.push_back({path, problem});
          continue;
        }
        ++metrics.converted;
        metrics.leads_to_zero = true;
        WritePrometheusMetric(out, trigger, prometheus_source);
        ListPrometheusLosses(trigger, path, prometheus_source, losses);
        continue;
      }
      if (type != "cpu" && type != "memory") {
        ++metrics.lost;
        losses.push_back({path, WithoutCounterpart(type)});
        continue;
      }
      const auto target = TargetOf(trigger);
      if (!target.ok()) {
        ++metrics.lost;
        losses.push_back({path, target.error().message});
        continue;
      }
      ++metrics.converted;
      WriteResourceMetric(out, trigger, *target);
      ListLost(trigger, path, {"type", "metricType", "metadata"},
               {{"name", "the metrics of a policy have no names"},
                {"useCachedMetrics", "has no effect on cpu and memory"},
                {"authenticationRef", "has no effect on cpu and memory"}},
               losses);
      ListLost(trigger.Member("metadata"), path + ".metadata", {"type", "value", "containerName"},
               {}, losses);
    }
  });
  metrics.json = out.Take();
  return metrics;
}

void WriteTarget(json::Writer& out, const json::Cursor& target, std::vector<Loss>& losses) {
  const auto text = [&](const char* name, const char* otherwise) {
    const std::string given = TextOf(target.Member(name));
    out.Field(name, given.empty() ? std::string(otherwise) : given);
  };
  out.Object("scaleTargetRef", [&] {
    text("apiVersion", kApiVersion);
    text("kind", kKind);
    text("name", "");
  });
  ListLost(target, "spec.scaleTargetRef", {"apiVersion", "kind", "name"},
           {{"envSourceContainerName", "only triggers that read the environment need it"}}, losses);
}

ReplicaRange RangeOf(const json::Cursor& spec) {
  ReplicaRange range;
  spec.Member("minReplicaCount").Read(range.min);
  spec.Member("maxReplicaCount").Read(range.max);
  return range;
}

void WriteReplicas(json::Writer& out, const ReplicaRange& range, const Metrics& metrics,
                   std::vector<Loss>& losses) {
  const std::int32_t min = range.min;
  out.Field("minReplicas", min == 0 ? 1 : min);
  out.Field("maxReplicas", range.max);
  if (min == 0 && metrics.lost == 0 && !metrics.schedules.empty()) {
    losses.push_back(
        {"spec.minReplicaCount",
         "is 0 (KEDA's default), and minReplicas 1: outside of its windows KEDA goes "
         "to zero if no other trigger is active; a schedule with maxReplicas 0 does so"});
    return;
  }
  // With cpu and memory alone KEDA does not go to zero either.
  if (min == 0 && metrics.lost == 0 && metrics.leads_to_zero) {
    losses.push_back({"spec.minReplicaCount",
                      "is 0 (KEDA's default), and minReplicas 1: write 0 by hand if the target may "
                      "stop while the query gives 0"});
  }
  if (min == 0 && metrics.lost > 0) {
    losses.push_back(
        {"spec.minReplicaCount",
         "is 0 (KEDA's default), and minReplicas 1: without the missing trigger nothing "
         "would scale the target from zero"});
  }
}

void WritePeriod(json::Writer& out, const json::Cursor& spec, std::vector<Loss>& losses) {
  const json::Cursor interval = spec.Member("pollingInterval");
  std::int32_t seconds = 0;
  if (!interval.present() || !interval.Read(seconds)) {
    return;
  }
  if (seconds <= kHpaPeriodSeconds) {
    out.Field("syncPeriodSeconds", seconds);
    return;
  }
  losses.push_back({"spec.pollingInterval", "KEDA's HPA evaluates cpu and memory every " +
                                                std::to_string(kHpaPeriodSeconds) +
                                                " s whatever it says, and so does the "
                                                "policy; syncPeriodSeconds would change that"});
}

// Whether a formula makes one metric of those of the triggers.
bool HasFormula(const json::Cursor& spec) {
  const json::Members modifiers = spec.Member("advanced").Member("scalingModifiers").Members();
  return modifiers.begin() != modifiers.end();
}

void WriteMode(json::Writer& out, const Pauses& pauses, const Metrics& metrics, bool formula,
               std::vector<Loss>& losses) {
  if (metrics.none()) {
    return;  // there is no policy
  }
  const bool whole = metrics.lost == 0 && metrics.converted > 0;
  if (pauses.both || !whole || formula) {
    out.Field("mode", pauses.both ? "Disabled" : "DryRun");
  }
  if (metrics.lost > 0) {
    losses.push_back(
        {"spec.triggers", "the policy lacks " + std::to_string(metrics.lost) + " of " +
                              std::to_string(metrics.lost + metrics.converted +
                                             static_cast<int>(metrics.schedules.size())) +
                              ": add what is missing before its mode is Active"});
  }
  if (metrics.converted == 0) {
    losses.push_back({"spec.triggers",
                      "has no metric for the policy, and one without scales by the CPU: give it "
                      "metrics before its mode is Active, or keep that one"});
  }
}

void WriteRules(json::Writer& out, const char* name, const json::Cursor& rules, bool paused,
                std::vector<Loss>& losses) {
  if (!rules.present() && !paused) {
    return;
  }
  out.Object(name, [&] {
    for (const auto& [key, value] : rules.Members()) {
      if (!paused || key != "selectPolicy") {
        out.Key(key);
        out.Raw(value.Print());
      }
    }
    if (paused) {  // which is how KEDA pauses one direction
      out.Field("selectPolicy", "Disabled");
    }
  });
  const std::string given = TextOf(rules.Member("selectPolicy"));
  if (paused && !given.empty() && given != "Disabled") {
    losses.push_back({"spec.advanced.horizontalPodAutoscalerConfig.behavior." + std::string(name) +
                          ".selectPolicy",
                      "is " + given + ", and Disabled in the policy while this direction is " +
                          "paused: write it back to resume"});
  }
}

// What of `given` is not known, or not as Kubernetes has it.
void ListStrange(const json::Cursor& given, const api::SchemaField& schema, const std::string& path,
                 std::vector<Loss>& losses) {
  if (given.present()) {
    for (const api::FieldError& error : api::CheckFields(given, schema, api::Origin::kBuiltIn)) {
      losses.push_back({path + (error.field.empty() ? "" : "." + error.field), error.message});
    }
  }
}

const api::SchemaField& BehaviorSchema() {
  return *api::PolicySchema().Find("spec")->Find("behavior");
}

void WriteBehavior(json::Writer& out, const json::Cursor& given, const Pauses& pauses,
                   std::vector<Loss>& losses) {
  if (!given.present() && !pauses.in && !pauses.out) {
    return;
  }
  const auto known = json::Parse(api::Rewrite(given, BehaviorSchema(), api::Unknown::kDropped));
  json::Decoder decoder(*known);
  const json::Cursor behavior = decoder.root();
  out.Object("behavior", [&] {
    WriteRules(out, "scaleUp", behavior.Member("scaleUp"), pauses.out, losses);
    WriteRules(out, "scaleDown", behavior.Member("scaleDown"), pauses.in, losses);
  });
}

void ListAdvanced(const json::Cursor& spec, std::vector<Loss>& losses) {
  const std::string path = "spec.advanced";
  const json::Cursor advanced = spec.Member("advanced");
  ListLost(advanced, path,
           {"horizontalPodAutoscalerConfig", "restoreToOriginalReplicaCount", "scalingModifiers"},
           {}, losses);
  if (bool restores = false;
      advanced.Member("restoreToOriginalReplicaCount").Read(restores) && restores) {
    losses.push_back({path + ".restoreToOriginalReplicaCount",
                      "who deletes a policy leaves the count as it is"});
  }
  if (HasFormula(spec)) {
    losses.push_back(
        {path + ".scalingModifiers",
         "a policy has no formulas: each of its metrics counts by itself, so its mode is "
         "not Active before somebody has looked at that"});
  }
  const json::Cursor hpa = advanced.Member("horizontalPodAutoscalerConfig");
  ListLost(hpa, path + ".horizontalPodAutoscalerConfig", {"behavior"},
           {{"name", "there is no HPA that could have it"}}, losses);
  ListStrange(hpa.Member("behavior"), BehaviorSchema(),
              path + ".horizontalPodAutoscalerConfig.behavior", losses);
}

void ListOthers(const json::Cursor& spec, std::vector<Loss>& losses) {
  constexpr const char* kToZero = "concerns only KEDA's step to zero, which the policy never takes";
  ListLost(spec, "spec",
           {"scaleTargetRef", "minReplicaCount", "maxReplicaCount", "pollingInterval", "triggers",
            "advanced"},
           {{"cooldownPeriod", kToZero},
            {"initialCooldownPeriod", kToZero},
            {"idleReplicaCount", "a policy has no second minimum for when no trigger is active"},
            {"fallback",
             "KEDA's counts while one trigger fails; a policy's (spec.fallback, to be written by "
             "hand) only while no metric gives a value"}},
           losses);
  ListAdvanced(spec, losses);
}

}  // namespace

ConvertedPolicy PolicyOfScaledObject(const json::Cursor& object,
                                     const std::string& prometheus_source) {
  ConvertedPolicy converted;
  std::vector<Loss>& losses = converted.losses;
  if (const std::string twice = SetTwice(object); !twice.empty()) {
    losses.push_back({twice, "is set twice; keep one"});
    return converted;
  }
  const json::Cursor spec = object.Member("spec");
  Pauses pauses;
  Metrics metrics;
  json::Writer out;
  ListStrange(object.Member("metadata"), *api::PolicySchema().Find("metadata"), "metadata", losses);
  out.Object([&] {
    out.Field("apiVersion", api::kPolicyApiVersion);
    out.Field("kind", api::kPolicyKind);
    WritePolicyMetadata(
        out, object.Member("metadata"),
        [&](std::string_view name, std::string_view text) { return Judge(name, text, pauses); },
        losses);
    out.Object("spec", [&] {
      WriteTarget(out, spec.Member("scaleTargetRef"), losses);
      const ReplicaRange range = RangeOf(spec);
      metrics = MetricsOf(spec.Member("triggers"), prometheus_source, range, losses);
      WriteReplicas(out, range, metrics, losses);
      if (metrics.converted > 0) {
        out.Key("metrics");
        out.Raw(metrics.json);
      }
      api::EncodeField(out, "schedules", metrics.schedules);
      WriteBehavior(
          out, spec.Member("advanced").Member("horizontalPodAutoscalerConfig").Member("behavior"),
          pauses, losses);
      WritePeriod(out, spec, losses);
      WriteMode(out, pauses, metrics, HasFormula(spec), losses);
    });
  });
  ListLost(object, "", {"apiVersion", "kind", "metadata", "spec", "status"}, {}, losses);
  ListOthers(spec, losses);
  if (metrics.none()) {
    // Without metrics of its own a policy would scale by the default, the CPU.
    losses.push_back({"", "there is no policy, since no trigger has a counterpart"});
    return converted;
  }
  converted.policy = out.Take();
  return converted;
}

}  // namespace ballast::cli
