#include "operator/controllers/status_report.h"

#include <chrono>
#include <utility>

#include "api/autoscaling/metric_source.h"
#include "api/json/json.h"
#include "operator/controllers/hpa/marks.h"
#include "operator/controllers/hpa/memory_object.h"

namespace ballast::controllers {
namespace {

constexpr std::chrono::minutes kDriftInterval{1};

std::string OrUnknown(const std::optional<Quantity>& value) {
  return value ? value->Print() : "<unknown>";
}

// "45%/60%" or "120m/100m".
std::string PrintTarget(const api::MetricTarget& target, const api::MetricValueStatus& current) {
  if (target.average_utilization) {
    return (current.average_utilization ? std::to_string(*current.average_utilization) + "%"
                                        : "<unknown>") +
           "/" + std::to_string(*target.average_utilization) + "%";
  }
  if (target.average_value) {
    return OrUnknown(current.average_value) + "/" + target.average_value->Print() + " (avg)";
  }
  return OrUnknown(current.value) + "/" + OrUnknown(target.value);
}

std::string PrintMetric(const api::MetricSpec& metric, const api::MetricValueStatus& current) {
  return api::VisitSource(
      metric,
      api::SourceVisitor{[&](const api::ResourceMetricSource& resource) {
                           return resource.name + ": " + PrintTarget(resource.target, current);
                         },
                         [&](const api::ContainerResourceMetricSource& resource) {
                           return resource.container + "/" + resource.name + ": " +
                                  PrintTarget(resource.target, current);
                         },
                         [&](const auto& custom) {
                           return custom.metric.name + ": " + PrintTarget(custom.target, current);
                         },
                         [](api::NoMetricSource) { return std::string("<unknown>"); }});
}

// All that is reported at once. Transition times follow from it.
std::string Telling(const api::AutoscalerStatus& status) {
  json::Writer w;
  w.Array([&] {
    w.Value(status.observed_generation.value_or(0));
    w.Value(status.current_replicas);
    w.Value(status.desired_replicas);
    w.Value(status.last_scale_time ? Print(*status.last_scale_time) : "");
    for (const api::Condition& condition : status.conditions) {
      w.Value(condition.type);
      w.Value(condition.status);
      w.Value(condition.reason);
      w.Value(condition.message);
    }
  });
  return w.Take();
}

std::string StatusPatch(const api::Autoscaler& autoscaler, const api::AutoscalerStatus& status,
                        const std::optional<LastDecision>& last_decision,
                        const std::optional<StatusMemory>& remembered) {
  const bool policy = autoscaler.is_policy();
  json::Writer w;
  w.Object([&] {
    w.Object("status", [&] {
      w.Field("observedGeneration", policy ? status.observed_generation : HeldMark(autoscaler));
      w.Field("currentReplicas", status.current_replicas);
      w.Field("desiredReplicas", status.desired_replicas);
      if (status.last_scale_time) {
        w.Field("lastScaleTime", Print(*status.last_scale_time));
      }
      if (policy) {
        w.Field("targets", PrintTargets(autoscaler.spec, status));
      }
      w.Array("currentMetrics", [&] {
        for (const api::MetricStatus& metric : status.current_metrics) {
          api::Encode(w, metric);
        }
      });
      w.Array("conditions", [&] {
        for (const api::Condition& condition : status.conditions) {
          api::Encode(w, condition);
        }
      });
      if (policy && last_decision) {
        w.Object("lastDecision", [&] {
          w.Field("id", std::to_string(last_decision->id));
          w.Field("time", Print(last_decision->time));
          w.Field("limit", last_decision->limit ? NameOf(*last_decision->limit) : "");
        });
      }
      if (policy && remembered) {
        w.Object("memory", [&] { EncodeStatusMemory(w, *remembered); });
      }
    });
  });
  return w.Take();
}

}  // namespace

std::string PrintTargets(const api::AutoscalerSpec& spec, const api::AutoscalerStatus& status) {
  std::string text;
  for (std::size_t i = 0; i < spec.metrics.size(); ++i) {
    const api::MetricValueStatus current = i < status.current_metrics.size()
                                               ? status.current_metrics[i].current
                                               : api::MetricValueStatus();
    text += (i == 0 ? "" : ", ") + PrintMetric(spec.metrics[i], current);
  }
  return text;
}

StatusReport::StatusReport(const api::AutoscalerStatus& stored) : telling_(Telling(stored)) {}

std::optional<StatusReport::Patch> StatusReport::Due(
    const api::Autoscaler& autoscaler, const api::AutoscalerStatus& status,
    const std::optional<LastDecision>& last_decision, const std::optional<StatusMemory>& remembered,
    runtime::SteadyTime now) {
  Patch patch{StatusPatch(autoscaler, status, last_decision, remembered), std::nullopt};
  if (remembered && !autoscaler.is_policy()) {
    patch.memory = EncodeMemoryEntry(autoscaler.metadata.uid, *remembered);
  }
  offered_telling_ = Telling(status);
  offered_all_ = patch.status + patch.memory.value_or("");
  offered_writer_ = remembered ? std::optional(remembered->writer) : writer_;
  const bool news = offered_telling_ != telling_ || (writer_ && offered_writer_ != writer_);
  const bool drift = offered_all_ != all_ && now - sent_at_ >= kDriftInterval;
  return news || drift ? std::optional(std::move(patch)) : std::nullopt;
}

void StatusReport::Sent(runtime::SteadyTime now) {
  telling_ = offered_telling_;
  all_ = offered_all_;
  writer_ = offered_writer_;
  sent_at_ = now;
}

}  // namespace ballast::controllers
