// Keeps a metrics API that does not answer from being waited for by everybody.
//
// After five requests in a row without an answer (Error::unanswered: silence, or a connection that
// is refused or breaks off) none is sent for a second; then one is, as a probe, and while that
// stays unanswered too the waits double, up to half a minute. Any answer ends it, also one that
// reports an error: an adapter that has no value for one autoscaler may have them for others, and
// errors that come at once delay nobody.
//
// Thread-safety: any thread.
// Errors: kUnavailable by Admit; the same text for as long as it lasts, because it becomes a
// condition's.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "api/base/result.h"
#include "api/base/time.h"
#include "operator/process/clock.h"

namespace ballast::sources {

class CircuitBreaker {
 public:
  // `clock` must outlive the CircuitBreaker. `api`: its name, for messages.
  CircuitBreaker(std::string api, const process::Clock& clock)
      : api_(std::move(api)), clock_(clock) {}

  // Whether a request may be sent now; each one that may is followed by Record().
  Status Admit();
  // How that request ended; nullopt: with an answer that is no error.
  void Record(const std::optional<Error>& error);

  // For how long nothing is sent; 0: requests are sent.
  std::chrono::nanoseconds OpenFor() const;

 private:
  const std::string api_;
  const process::Clock& clock_;
  mutable std::mutex mutex_;  // guards: the rest
  int unanswered_ = 0;        // in a row
  Time since_;                // when the first of them ended
  std::string first_;         // the first one's error
  std::chrono::nanoseconds wait_{0};
  process::SteadyTime closed_at_;  // nothing is sent before
  bool probing_ = false;
};

}  // namespace ballast::sources
