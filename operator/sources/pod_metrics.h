// Reads the resource metrics of pods (metrics.k8s.io) with one LIST for a whole namespace, shared
// by the policies that are evaluated at about the same time.
//
// A caller that wants a namespace while its request is under way, or within `max_age` afterwards,
// gets the same answer, also if that is an error. So a slow or failing API delays its callers once,
// not each in turn. Older answers are dropped.
//
// Thread-safety: any thread. Of several callers that want a namespace one sends the request and the
// others wait for it.
// Errors: the API server's (kNotFound or kUnavailable if no metrics API is installed or it is
// down).
#pragma once

#include <chrono>
#include <cstddef>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "api/base/result.h"
#include "api/kubernetes/metrics_apis.h"
#include "operator/kube/client.h"
#include "operator/runtime/clock.h"

namespace ballast::sources {

// By pod name.
using NamespaceMetrics = std::map<std::string, std::shared_ptr<const api::PodMetrics>>;

class PodMetricsReader {
 public:
  using Answer = Result<std::shared_ptr<const NamespaceMetrics>>;

  // `client` and `clock` must outlive the reader. An answer is reused until it is `max_age` old.
  PodMetricsReader(kube::Client& client, const runtime::Clock& clock,
                   std::chrono::milliseconds max_age = std::chrono::seconds(1))
      : client_(client), clock_(clock), max_age_(max_age) {}

  Answer Read(const std::string& namespace_);

  // Number of answers and requests kept.
  std::size_t size() const;

 private:
  struct Request {
    std::shared_future<Answer> answer;
    std::optional<runtime::SteadyTime> read_at;  // empty: under way
  };

  void DropOld();

  kube::Client& client_;
  const runtime::Clock& clock_;
  const std::chrono::milliseconds max_age_;
  mutable std::mutex mutex_;                 // guards: requests_; not held during requests
  std::map<std::string, Request> requests_;  // by namespace; under way or recently answered
};

}  // namespace ballast::sources
