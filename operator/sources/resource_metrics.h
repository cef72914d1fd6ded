// metrics.k8s.io: Resource and ContainerResource metrics, from one list of the pods of a namespace
// that its autoscalers share (pod_metrics.h).
//
// Thread-safety and errors: see source.h; OnRead is called once, before all else.
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
  // Told of the list of a namespace whenever one is used: it also speaks of pods that nobody asked
  // about.
  using ReadHandler = std::function<void(const std::string& namespace_,
                                         const std::shared_ptr<const NamespaceMetrics>& metrics)>;

  // Both must outlive this.
  ResourceMetrics(kube::Client& client, const runtime::Clock& clock) : pods_(client, clock) {}

  void OnRead(ReadHandler handler) { on_read_ = std::move(handler); }

  // The metrics of `query.pods`, as far as there are any. kNotFound: there are no such pods.
  Result<engine::MetricAnswer> Fetch(const Query& query) override;

 private:
  PodMetricsReader pods_;
  ReadHandler on_read_ = [](const auto&, const auto&) {};
};

}  // namespace ballast::sources
