#include "operator/metrics/pod_metrics.h"

#include <utility>

namespace ballast::metrics {
namespace {

const kube::Resource kPodMetrics{
    .group = "metrics.k8s.io", .version = "v1beta1", .plural = "pods", .kind = "PodMetrics"};

Result<std::shared_ptr<const NamespaceMetrics>> List(kube::Client& client,
                                                     const std::string& namespace_) {
  auto metrics = std::make_shared<NamespaceMetrics>();
  TRY(client.List(kPodMetrics, {.namespace_ = namespace_}, [&](const json::Cursor& item) -> Status {
    auto pod = std::make_shared<api::PodMetrics>();
    api::Decode(item, *pod);
    metrics->insert_or_assign(pod->name, std::move(pod));
    return Done{};
  }));
  return std::shared_ptr<const NamespaceMetrics>(std::move(metrics));
}

}  // namespace

Result<std::shared_ptr<const NamespaceMetrics>> PodMetricsReader::Read(
    const std::string& namespace_) {
  std::shared_ptr<Answer> answer;
  {
    const std::lock_guard lock(mutex_);
    auto& slot = answers_[namespace_];
    if (!slot) {
      slot = std::make_shared<Answer>();
    }
    answer = slot;
  }
  const std::lock_guard lock(answer->mutex);
  if (!answer->metrics || clock_.Steady() - answer->read_at >= max_age_) {
    ASSIGN_OR_RETURN(answer->metrics, List(client_, namespace_));
    answer->read_at = clock_.Steady();
  }
  return answer->metrics;
}

}  // namespace ballast::metrics
