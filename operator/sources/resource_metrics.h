// metrics.k8s.io: Resource and ContainerResource metrics, from one list of a namespace's pods that
// its autoscalers share (pod_metrics.h).
//
// Thread-safety: Fetch from any thread, as source.h says; OnRead once, before the first Fetch.
// Errors: as source.h says; kNotFound also when the target has no pods.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "operator/kube/client.h"
#include "operator/runtime/clock.h"
#include "operator/sources/pod_metrics.h"
#include "operator/sources/source.h"

namespace ballast::sources {

class ResourceMetrics final : public MetricSource {
 public:
  // Receives the whole list of a namespace whenever Fetch has used one: it includes pods that no
  // query was about.
  using ReadHandler = std::function<void(const std::string& namespace_,
                                         const std::shared_ptr<const NamespaceMetrics>& metrics)>;

  // The arguments must outlive the ResourceMetrics.
  ResourceMetrics(kube::Client& client, const runtime::Clock& clock) : pods_(client, clock) {}

  void OnRead(ReadHandler handler) { on_read_ = std::move(handler); }

  // The metrics of those of `query.pods` that have any. kNotFound: `query.pods` is empty.
  Result<engine::MetricAnswer> Fetch(const Query& query) override;

 private:
  PodMetricsReader pods_;
  ReadHandler on_read_ = [](const auto&, const auto&) {};
};

}  // namespace ballast::sources
