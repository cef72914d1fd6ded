#include "operator/session/attempt.h"

#include <utility>

namespace ballast::session {

void Attempts::Begin(Attempt attempt) { attempts_.push_back(std::move(attempt)); }

void Attempts::Sent(process::SteadyTime at) {
  attempts_.back().sent = at;
  attempts_.back().deadline = at + kSettleTime;
}

Attempt Attempts::End(std::size_t index) {
  Attempt ended = std::move(attempts_[index]);
  attempts_.erase(attempts_.begin() + static_cast<std::ptrdiff_t>(index));
  return ended;
}

}  // namespace ballast::session
