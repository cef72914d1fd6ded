#include "operator/sources/resource_metrics.h"

#include <utility>

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

}  // namespace

Result<engine::MetricAnswer> ResourceMetrics::Fetch(const Query& query) {
  if (query.pods.empty()) {
    return NoPods(query);
  }
  ASSIGN_OR_RETURN(const auto all, pods_.Read(query.namespace_));
  on_read_(query.namespace_, all);
  engine::PodMetricsList selected;
  for (const auto& pod : query.pods) {
    if (const auto found = all->find(pod->metadata.name); found != all->end()) {
      selected.push_back(found->second);
    }
  }
  return engine::MetricAnswer(std::move(selected));
}

}  // namespace ballast::sources
