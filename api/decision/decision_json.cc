#include "api/decision/decision_json.h"

#include <algorithm>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/decision/snapshot_json.h"

namespace ballast::engine {
namespace {

void WriteConditions(json::Writer& out, const std::vector<api::Condition>& conditions) {
  std::vector<const api::Condition*> sorted;
  for (const api::Condition& condition : conditions) {
    sorted.push_back(&condition);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto* a, const auto* b) { return a->type < b->type; });
  out.Array("conditions", [&] {
    for (const api::Condition* condition : sorted) {
      out.Object([&] {
        out.Field("type", condition->type);
        out.Field("status", condition->status);
        out.Field("reason", condition->reason);
        out.Field("message", condition->message);
      });
    }
  });
}

void Write(json::Writer& out, const Event& event) {
  out.Object([&] {
    out.Field("type", event.type);
    out.Field("reason", event.reason);
    out.Field("message", event.message);
  });
}

}  // namespace

void Encode(json::Writer& out, const Step& step) {
  out.Object([&] {
    out.Field("rule", NameOf(step));
    out.Field("in", InputOf(step));
    out.Field("out", OutputOf(step));
    out.Field("binding", step.binding);
    out.Field("text", step.text);
  });
}

void Encode(json::Writer& out, std::string_view id, const Conclusion& conclusion) {
  out.Object([&] {
    if (!id.empty()) {
      out.Field("id", id);
    }
    out.Field("desiredReplicas", conclusion.status.desired_replicas);
    out.Field("rescale", conclusion.rescale);
    out.Field("dryRunReplicas", conclusion.dry_run_replicas);
    WriteConditions(out, conclusion.status.conditions);
    out.Array("currentMetrics", [&] {
      for (const api::MetricStatus& metric : conclusion.status.current_metrics) {
        api::Encode(out, metric);
      }
    });
    out.Array("events", [&] {
      for (const Event& event : conclusion.events) {
        Write(out, event);
      }
    });
    out.Key("memory");
    Encode(out, conclusion.memory);
    if (!conclusion.trace.empty()) {
      out.Array("trace", [&] {
        for (const Step& step : conclusion.trace) {
          Encode(out, step);
        }
      });
    }
  });
}

}  // namespace ballast::engine
