#include "operator/sources/circuit_breaker.h"

#include <algorithm>

namespace ballast::sources {
namespace {

constexpr int kUnansweredInARow = 5;
constexpr std::chrono::seconds kFirstWait{1};
constexpr std::chrono::seconds kLongestWait{30};

}  // namespace

Status CircuitBreaker::Admit() {
  const std::lock_guard lock(mutex_);
  if (unanswered_ < kUnansweredInARow) {
    return Done{};
  }
  if (closed_at_ > clock_.Steady() || probing_) {
    return Error{Code::kUnavailable, "not asked, because " + api_ + " has not answered since " +
                                         Print(since_) + " (" + first_ + ")"};
  }
  probing_ = true;
  return Done{};
}

void CircuitBreaker::Record(const std::optional<Error>& error) {
  const std::lock_guard lock(mutex_);
  if (!error || !error->unanswered) {
    unanswered_ = 0;
    probing_ = false;
    wait_ = {};
    return;
  }
  if (++unanswered_ == 1) {
    since_ = clock_.Now();
    first_ = error->message;
  }
  if (unanswered_ < kUnansweredInARow || (closed_at_ > clock_.Steady() && !probing_)) {
    return;  // one that was sent before
  }
  probing_ = false;
  wait_ = std::clamp<std::chrono::nanoseconds>(wait_ * 2, kFirstWait, kLongestWait);
  closed_at_ = clock_.Steady() + wait_;
}

std::chrono::nanoseconds CircuitBreaker::OpenFor() const {
  const std::lock_guard lock(mutex_);
  if (unanswered_ < kUnansweredInARow) {
    return {};
  }
  return std::max<std::chrono::nanoseconds>(closed_at_ - clock_.Steady(),
                                            std::chrono::nanoseconds(1));
}

}  // namespace ballast::sources
