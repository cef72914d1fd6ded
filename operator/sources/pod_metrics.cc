#include "operator/sources/pod_metrics.h"

#include <exception>
#include <utility>

namespace ballast::sources {
namespace {

const kube::Resource kPodMetrics{
    .group = "metrics.k8s.io", .version = "v1beta1", .plural = "pods", .kind = "PodMetrics"};

PodMetricsReader::Answer List(kube::Client& client, const std::string& namespace_) {
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

PodMetricsReader::Answer PodMetricsReader::Read(const std::string& namespace_) {
  std::promise<Answer> promise;
  std::shared_future<Answer> answer;
  bool mine = false;
  {
    const std::lock_guard lock(mutex_);
    DropOld();
    Request& request = requests_[namespace_];
    mine = !request.answer.valid();
    if (mine) {
      request.answer = promise.get_future().share();
    }
    answer = request.answer;
  }
  if (mine) {
    try {
      promise.set_value(List(client_, namespace_));
    } catch (...) {
      // An exception is a defect; passed on, so that the other callers do not wait for ever.
      promise.set_exception(std::current_exception());
    }
    const std::lock_guard lock(mutex_);
    requests_[namespace_].read_at = clock_.Steady();
  }
  return answer.get();
}

void PodMetricsReader::DropOld() {
  const runtime::SteadyTime now = clock_.Steady();
  std::erase_if(requests_, [&](const auto& entry) {
    return entry.second.read_at && now - *entry.second.read_at >= max_age_;
  });
}

std::size_t PodMetricsReader::size() const {
  const std::lock_guard lock(mutex_);
  return requests_.size();
}

}  // namespace ballast::sources
