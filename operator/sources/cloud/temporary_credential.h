// A credential that somebody gives for a while: asked for when it is needed, and again before its
// end. While nobody gives another one, the present one is used until it ends.
//
// Thread-safety: any thread; who comes while it is asked for waits.
// Errors: Get: that of the last attempt. After one that failed there is none for ten seconds.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "api/base/result.h"
#include "api/base/time.h"
#include "operator/process/clock.h"

namespace ballast::sources {

template <typename T>
class TemporaryCredential {
 public:
  struct Given {
    T value;
    Time end;
  };
  using Ask = std::function<Result<Given>()>;

  // `clock` must outlive the TemporaryCredential.
  TemporaryCredential(const process::Clock& clock, Ask ask) : clock_(clock), ask_(std::move(ask)) {}

  Result<T> Get() {
    const std::lock_guard lock(mutex_);
    if (!given_ || clock_.Now() >= renew_) {
      if (!ask_again_ || clock_.Steady() >= *ask_again_) {
        Renew();
      }
    }
    if (given_ && clock_.Now() < given_->end) {
      return given_->value;
    }
    return error_;
  }

 private:
  static constexpr Duration kEarly = Duration::Seconds(300);
  static constexpr std::chrono::seconds kPause{10};

  void Renew() {
    auto given = ask_();
    if (!given.ok()) {
      error_ = given.error();
      ask_again_ = clock_.Steady() + kPause;
      return;
    }
    given_ = std::move(given).value();
    const Duration lasts = given_->end - clock_.Now();
    renew_ = given_->end - std::min(kEarly, Duration{lasts.nanoseconds / 4});
    ask_again_.reset();
  }

  const process::Clock& clock_;
  const Ask ask_;
  std::mutex mutex_;  // guards: everything below
  std::optional<Given> given_;
  Time renew_;
  std::optional<process::SteadyTime> ask_again_;
  Error error_{Code::kUnavailable, "the credential given has ended already"};
};

}  // namespace ballast::sources
