#include "operator/sources/resource_metrics.h"

#include <chrono>
#include <cstdint>
#include <utility>

#include "api/kubernetes/parse_selector.h"

namespace ballast::sources {
namespace {

Error NoPods(const std::string& selector, std::int32_t left_out) {
  if (left_out > 0) {
    return {Code::kNotFound, "the target owns none of the " + std::to_string(left_out) +
                                 " pods that match its selector \"" + selector +
                                 "\"; if they belong to another controller that manages them for "
                                 "it, set spec.podSelection to Selector"};
  }
  return {Code::kNotFound, "no pods match the target's selector \"" + selector +
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

PodsAnswer FailureOf(const std::string& selector, const Error& error) {
  return [selector, error](const TargetPods& pods) -> Result<engine::MetricAnswer> {
    return pods.pods.empty() ? NoPods(selector, pods.left_out) : error;
  };
}

}  // namespace

void ResourceMetrics::Start(const Query& query, const Done& done) {
  auto selector = api::ParseSelector(query.selector);
  if (!selector.ok()) {
    done(FailureOf(query.selector, selector.error()));
    return;
  }
  if (query.replicas == 0 || query.selector.empty()) {
    done(FailureOf(query.selector, NoPods(query.selector, 0)));
    return;
  }
  const auto asked = std::make_shared<const AskedPods>(
      AskedPods{{.namespace_ = query.namespace_,
                 .selector = query.selector,
                 .pods = static_cast<std::size_t>(query.replicas),
                 .period = std::chrono::nanoseconds(query.period.nanoseconds),
                 .max_age = query.max_age()},
                std::move(selector).value()});
  pods_.Start(asked->query, [this, asked, done](const auto& found) {
    done(found.ok() ? AnswerOf(asked, *found) : FailureOf(asked->query.selector, found.error()));
  });
}

PodsAnswer ResourceMetrics::AnswerOf(const AskedPointer& asked,
                                     const PodMetricsReader::FoundMetrics& found) const {
  return [this, asked, found](const TargetPods& pods) -> Result<engine::MetricAnswer> {
    if (pods.pods.empty()) {
      return NoPods(asked->query.selector, pods.left_out);
    }
    if (found.whole) {
      on_read_(asked->query.namespace_, found.metrics);
    }
    if (pods.owned || !found.metrics->has_labels()) {
      return engine::MetricAnswer(SelectByName(*found.metrics, pods.pods));
    }
    return engine::MetricAnswer(found.metrics->Select(asked->selector));
  };
}

}  // namespace ballast::sources
