// The threads that wait for one metrics API, so that nobody else does: a few, which bounds how many
// requests are under way at a time. Namespaces take turns in the line for them, and share them as
// shared_lanes.h says: those whose requests hang do not keep the others waiting. Also the API's
// circuit breaker.
//
// The namespace "" is for what belongs to all.
//
// Thread-safety: any thread; the destructor waits for the requests under way and drops the others.
// Errors: as CircuitBreaker.
#pragma once

#include <chrono>
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
#include "operator/runtime/shared_lanes.h"
#include "operator/sources/circuit_breaker.h"
#include "operator/telemetry/debug_state.h"

namespace ballast::sources {

// The error of what has waited in the line of `api` for longer than RequestPool::kLongestInLine.
Error TooSlow(const std::string& api);

class RequestPool {
 public:
  static constexpr std::size_t kThreads = 4;
  static constexpr std::chrono::seconds kLongestInLine{30};
  static constexpr std::chrono::seconds kLookEvery{1};

  // `api`: "external.metrics.k8s.io". `clock` must outlive the RequestPool. `threads`: how many at
  // most.
  RequestPool(std::string api, const process::Clock& clock, std::size_t threads = kThreads)
      : api_(std::move(api)), clock_(clock), breaker_(api_, clock), lanes_(threads) {}
  ~RequestPool();
  RequestPool(const RequestPool&) = delete;
  RequestPool& operator=(const RequestPool&) = delete;

  // Returns whether it got what it asked for.
  using Work = std::function<bool()>;

  // Calls `work` on one of the threads, after what was submitted before for the same namespace; or
  // `expire`, if it has one, once it has waited for longer than kLongestInLine.
  void Submit(const std::string& namespace_, Work work, std::function<void()> expire = nullptr);

  // Calls `request`, which returns a Result, on this thread, if the circuit breaker admits it.
  // `key`: equal for equal requests.
  template <typename Request>
  auto Call(const std::string& namespace_, const std::string& key, const Request& request)
      -> decltype(request()) {
    const Result<CircuitBreaker::Permit> permit = breaker_.Admit(namespace_, key);
    if (!permit.ok()) {
      return permit.error();
    }
    const process::SteadyTime sent = clock_.Steady();
    try {
      auto answer = request();
      breaker_.Record(namespace_, *permit, sent,
                      answer.ok() ? std::nullopt : std::optional(answer.error()));
      return answer;
    } catch (...) {
      breaker_.Record(namespace_, *permit, sent, std::nullopt);  // a defect of this program
      throw;
    }
  }
  // In place of a Call() whose request cannot be made.
  void Skip(const std::string& namespace_, const std::string& key) {
    breaker_.Skip(namespace_, key);
  }
  // The error of a Call() now, if the circuit breaker would not admit it.
  std::optional<Error> Refusal(const std::string& namespace_, const std::string& key) {
    return breaker_.Refusal(namespace_, key);
  }

  telemetry::MetricsApiDebugState DebugState() const;

 private:
  struct Submitted {
    std::string namespace_;
    Work work;
    std::function<void()> expire;  // null: it waits for as long as it takes
    process::SteadyTime since;
  };
  void Run();
  // Has a thread take what has expired or may begin, if one is free or may be started. Under the
  // lock, as is TakeExpired.
  void Wake();
  std::optional<Submitted> TakeExpired(process::SteadyTime now);

  const std::string api_;
  const process::Clock& clock_;
  CircuitBreaker breaker_;
  mutable std::mutex mutex_;  // guards: the rest
  std::condition_variable wake_;
  runtime::FairQueue<Submitted> waiting_;
  runtime::SharedLanes lanes_;
  std::size_t idle_ = 0;
  process::SteadyTime look_at_;  // for what has waited for too long
  bool stopping_ = false;
  std::vector<std::jthread> threads_;  // started when they are needed
};

}  // namespace ballast::sources
