// The resource metrics of pods (metrics.k8s.io), read with one LIST for a whole namespace and
// shared by the policies that are evaluated at about the same time.
//
// Thread-safety: any thread; callers that want the same namespace wait for one request. Errors are
// the API server's (kNotFound or kUnavailable when no metrics API is installed or it is down).
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "api/metrics.h"
#include "api/result.h"
#include "operator/kube/client.h"
#include "operator/runtime/clock.h"

namespace ballast::metrics {

// By the pods' names.
using NamespaceMetrics = std::map<std::string, std::shared_ptr<const api::PodMetrics>>;

class PodMetricsReader {
 public:
  // `client` and `clock` must outlive this. An answer is used again until it is `max_age` old.
  PodMetricsReader(kube::Client& client, const runtime::Clock& clock,
                   std::chrono::milliseconds max_age = std::chrono::seconds(1))
      : client_(client), clock_(clock), max_age_(max_age) {}

  Result<std::shared_ptr<const NamespaceMetrics>> Read(const std::string& namespace_);

 private:
  struct Answer {
    std::mutex mutex;  // guards: the rest; held while the request runs
    runtime::SteadyTime read_at;
    std::shared_ptr<const NamespaceMetrics> metrics;  // null: never read
  };

  kube::Client& client_;
  const runtime::Clock& clock_;
  const std::chrono::milliseconds max_age_;
  std::mutex mutex_;  // guards: answers_
  std::map<std::string, std::shared_ptr<Answer>> answers_;
};

}  // namespace ballast::metrics
