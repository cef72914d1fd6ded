// The threads that wait for one metrics API, so that nobody else does: a few, which bounds how many
// requests are under way at a time. Namespaces take turns in the line for them. Also the API's
// circuit breaker.
//
// Thread-safety: any thread; the destructor waits for the requests under way and drops the others.
// Errors: as CircuitBreaker.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "api/base/result.h"
#include "operator/process/clock.h"
#include "operator/runtime/fair_queue.h"
#include "operator/sources/circuit_breaker.h"
#include "operator/telemetry/debug_state.h"

namespace ballast::sources {

class RequestPool {
 public:
  static constexpr std::size_t kThreads = 4;

  // `api`: "external.metrics.k8s.io". `clock` must outlive the RequestPool. `threads`: how many at
  // most.
  RequestPool(std::string api, const process::Clock& clock, std::size_t threads = kThreads)
      : api_(std::move(api)), max_threads_(threads), breaker_(api_, clock) {}
  ~RequestPool();
  RequestPool(const RequestPool&) = delete;
  RequestPool& operator=(const RequestPool&) = delete;

  // Calls `work` on one of the threads, after what was submitted before for the same namespace.
  void Submit(const std::string& namespace_, std::function<void()> work);

  // Calls `request`, which returns a Result, on this thread, if the circuit breaker admits it.
  template <typename Request>
  auto Call(const Request& request) -> decltype(request()) {
    if (const Status admitted = breaker_.Admit(); !admitted.ok()) {
      return admitted.error();
    }
    try {
      auto answer = request();
      breaker_.Record(answer.ok() ? std::nullopt : std::optional(answer.error()));
      return answer;
    } catch (...) {
      breaker_.Record(std::nullopt);  // a defect of this program
      throw;
    }
  }

  telemetry::MetricsApiDebugState DebugState() const;

 private:
  void Work();

  const std::string api_;
  const std::size_t max_threads_;
  CircuitBreaker breaker_;
  mutable std::mutex mutex_;  // guards: the rest
  std::condition_variable wake_;
  runtime::FairQueue<std::function<void()>> waiting_;
  std::size_t idle_ = 0;
  bool stopping_ = false;
  std::vector<std::jthread> threads_;  // started when they are needed
};

}  // namespace ballast::sources
