// metrics.k8s.io: Resource and ContainerResource metrics, from lists of pods that autoscalers share
// (pod_metrics.h).
//
// Thread-safety: OnRead and CountPods once, before the first Start; the rest: any thread.
// Errors: as source.h says; kNotFound also when the target has no pods.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "api/kubernetes/label_selector.h"
#include "operator/kube/client.h"
#include "operator/process/clock.h"
#include "operator/sources/pod_metrics.h"
#include "operator/sources/source.h"
#include "operator/sources/source_metrics.h"

namespace ballast::sources {

class ResourceMetrics final : public MetricSource {
 public:
  // Receives the metrics of all pods of a namespace whenever such an answer is used: it
  // includes pods that no query was about.
  using ReadHandler = std::function<void(const std::string& namespace_,
                                         const std::shared_ptr<const NamespaceMetrics>& metrics)>;

  // `client` and `clock` must outlive the ResourceMetrics.
  ResourceMetrics(kube::Client& client, const process::Clock& clock,
                  const PodMetricsOptions& options = {}, const SourceMetrics& metrics = {})
      : pods_(client, clock, options, metrics) {}

  void OnRead(ReadHandler handler) { on_read_ = std::move(handler); }
  void CountPods(PodMetricsReader::PodCount count) { pods_.CountPods(std::move(count)); }

  const PodMetricsReader& pods() const { return pods_; }
  process::SteadyTime LookAtSamples() { return pods_.LookAtSamples(); }

  // The metrics of the pods that the selector matches by their labels in the API's answer, as a
  // request with the selector would have them: also of pods that the watch of pods does not know
  // yet, or no longer. If they are `owned`, or the API's pods have no labels, the metrics of
  // those of the target's pods that have any. kNotFound: it has none.
  void Start(const Query& query, const Done& done) override;

 private:
  struct AskedPods {
    PodMetricsQuery query;
    api::Selector selector;  // as parsed
  };
  // Shared, since functions that have it are copied.
  using AskedPointer = std::shared_ptr<const AskedPods>;

  PodsAnswer AnswerOf(const AskedPointer& asked, const PodMetricsReader::FoundMetrics& found) const;

  PodMetricsReader pods_;
  ReadHandler on_read_ = [](const auto&, const auto&) {};
};

}  // namespace ballast::sources
