#include "operator/process/backoff.h"

#include <algorithm>
#include <utility>

#include "operator/os/random.h"

namespace ballast::process {

Backoff::Backoff(const Clock& clock, const BackoffOptions& options, std::function<double()> random)
    : clock_(clock), options_(options), random_(random ? std::move(random) : os::SystemRandom()) {}

std::chrono::nanoseconds Backoff::Next() {
  const std::chrono::nanoseconds cap = options_.cap;
  const bool first = current_.count() == 0 || clock_.Steady() >= healthy_at_;
  current_ = first ? options_.initial : std::min(current_ * 2, cap);
  const std::chrono::nanoseconds jitter(
      static_cast<std::int64_t>(static_cast<double>(current_.count()) * random_()));
  healthy_at_ = clock_.Steady() + current_ + jitter + options_.reset_after;
  return current_ + jitter;
}

}  // namespace ballast::process
