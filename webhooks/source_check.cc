#include "webhooks/source_check.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "api/autoscaling/mode.h"
#include "api/kubernetes/label_syntax.h"

namespace ballast::webhooks {
namespace {

bool IsOn(const api::Autoscaler& policy) { return api::ModeOf(policy.spec).evaluates; }

bool Uses(const api::Autoscaler& policy, const std::string& source) {
  return IsOn(policy) &&
         std::ranges::any_of(policy.spec.metrics, [&](const api::MetricSpec& metric) {
           return metric.prometheus && metric.prometheus->source == source;
         });
}

std::string Choices(const Facts& facts) {
  std::string names;
  for (const std::string& name : facts.metric_sources) {
    names += (names.empty() ? "there are " : ", ") + name;
  }
  return names.empty() ? "there is none; see the chart's value metricSources" : names;
}

}  // namespace

void CheckSources(const api::Autoscaler& autoscaler, const api::Autoscaler& old, const Facts& facts,
                  Verdict& verdict) {
  if (!autoscaler.is_policy()) {
    return;
  }
  for (std::size_t i = 0; i < autoscaler.spec.metrics.size(); ++i) {
    const auto& prometheus = autoscaler.spec.metrics[i].prometheus;
    if (!prometheus ||
        std::ranges::find(facts.metric_sources, prometheus->source) != facts.metric_sources.end()) {
      continue;
    }
    const api::FieldError error{"spec.metrics[" + std::to_string(i) + "].prometheus.source",
                                "is not a source for this namespace: " +
                                    api::Quote(prometheus->source) + "; " + Choices(facts)};
    if (!IsOn(autoscaler) || Uses(old, prometheus->source)) {
      verdict.warnings.push_back(Print(error));
    } else {
      verdict.errors.Add(error.field, error.message);
    }
  }
}

}  // namespace ballast::webhooks
