#include "operator/sources/resource_metrics.h"

#include <chrono>

#include "api/kubernetes/parse_selector.h"

namespace ballast::sources {
namespace {

Error NoPods(const Query& query) {
  if (query.left_out > 0) {
    return {Code::kNotFound, "the target owns none of the " + std::to_string(query.left_out) +
                                 " pods that match its selector \"" + query.selector +
                                 "\"; if they belong to another controller that manages them for "
                                 "it, set spec.podSelection to Selector"};
  }
  return {Code::kNotFound, "no pods match the target's selector \"" + query.selector +
                               "\"; check that it has pods and that the labels of its pod "
                               "template match the selector"};
}

engine::PodMetricsList SelectByName(const NamespaceMetrics& metrics, const engine::PodList& pods) {
  engine::PodMetricsList selected;
  for (const auto& pod : pods) {
    const auto found = metrics.by_name().find(pod->metadata.name);
    if (found != metrics.by_name().end()) {
      selected.push_back(found->second);
    }
  }
  return selected;
}

PodMetricsQuery Asked(const Query& query) {
  return {.namespace_ = query.namespace_,
          .selector = query.selector,
          .pods = std::nullopt,
          .period = std::chrono::nanoseconds(query.period.nanoseconds),
          .max_age = query.max_age(),
          .since = query.since};
}

}  // namespace

bool ResourceMetrics::Prepare(const Query& query, const std::function<void()>& done) {
  return query.selector.empty() || pods_.Prepare(Asked(query), done);
}

Result<engine::MetricAnswer> ResourceMetrics::Fetch(const Query& query) {
  if (query.pods.empty()) {
    return NoPods(query);
  }
  ASSIGN_OR_RETURN(const api::Selector selector, api::ParseSelector(query.selector));
  PodMetricsQuery asked = Asked(query);
  asked.pods = query.pods.size();
  ASSIGN_OR_RETURN(const PodMetricsReader::FoundMetrics found, pods_.Read(asked));
  if (found.whole) {
    on_read_(query.namespace_, found.metrics);
  }
  if (query.owned || !found.metrics->has_labels()) {
    return engine::MetricAnswer(SelectByName(*found.metrics, query.pods));
  }
  return engine::MetricAnswer(found.metrics->Select(selector));
}

}  // namespace ballast::sources
