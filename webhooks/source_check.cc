#include "webhooks/source_check.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "api/autoscaling/mode.h"
#include "api/kubernetes/label_syntax.h"

namespace ballast::webhooks {
namespace {

bool Names(const api::Autoscaler& autoscaler, const std::string& source) {
  return std::ranges::any_of(autoscaler.spec.metrics, [&](const api::MetricSpec& metric) {
    return metric.prometheus && metric.prometheus->source == source;
  });
}

std::string Choices(const Facts& facts) {
  std::string names;
  for (const std::string& name : facts.metric_sources) {
    names += (names.empty() ? "there are " : ", ") + name;
  }
  return names.empty() ? "the installation has none; see the chart's value metricSources" : names;
}

}  // namespace

void CheckSources(const api::Autoscaler& autoscaler, const api::Autoscaler& old, const Facts& facts,
                  Verdict& verdict) {
  if (!autoscaler.is_policy()) {
    return;
  }
  const bool is_off = !api::ModeOf(autoscaler.spec).evaluates;
  for (std::size_t i = 0; i < autoscaler.spec.metrics.size(); ++i) {
    const auto& prometheus = autoscaler.spec.metrics[i].prometheus;
    if (!prometheus ||
        std::ranges::find(facts.metric_sources, prometheus->source) != facts.metric_sources.end()) {
      continue;
    }
    const api::FieldError error{"spec.metrics[" + std::to_string(i) + "].prometheus.source",
                                "is not a source for this namespace: " +
                                    api::Quote(prometheus->source) + "; " + Choices(facts)};
    if (is_off || Names(old, prometheus->source)) {
      verdict.warnings.push_back(Print(error));
    } else {
      verdict.errors.Add(error.field, error.message);
    }
  }
}

}  // namespace ballast::webhooks
