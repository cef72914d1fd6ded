#include "operator/sources/circuit_breaker.h"

#include <algorithm>

namespace ballast::sources {
namespace {

constexpr int kUnansweredInARow = 5;
constexpr std::chrono::seconds kFirstWait{1};
constexpr std::chrono::seconds kLongestWait{30};
constexpr std::size_t kTrials = 4;
constexpr std::chrono::minutes kForgotten{10};
constexpr std::chrono::minutes kStillAsks{1};

}  // namespace

bool CircuitBreaker::Circuit::open() const { return unanswered >= kUnansweredInARow; }

void CircuitBreaker::Circuit::Lose(const std::string& why, bool probe,
                                   const process::Instant& now) {
  if (++unanswered == 1) {
    since = now.wall;
    first = why;
  }
  if (!probe && unanswered != kUnansweredInARow) {
    return;  // fewer, or one that was sent before
  }
  probing = false;
  wait = std::clamp<std::chrono::nanoseconds>(wait * 2, kFirstWait, kLongestWait);
  silent_until = now.steady + wait;
}

// Whether no other that still asks has waited longer for its turn to probe for all.
bool CircuitBreaker::IsNextToProbe(const Circuit& loser, process::SteadyTime now) const {
  return std::ranges::none_of(losers_, [&](const auto& entry) {
    return entry.second.probed_for_all < loser.probed_for_all &&
           now - entry.second.asked < kStillAsks;
  });
}

Result<CircuitBreaker::Permit> CircuitBreaker::Decide(const std::string& namespace_) {
  const auto loser = losers_.find(namespace_);
  const process::SteadyTime now = clock_.Steady();
  if (loser != losers_.end()) {
    loser->second.asked = now;
  }
  if (all_.open()) {
    if (loser == losers_.end() && trials_ < kTrials) {
      return Permit::kTrial;
    }
    if (loser != losers_.end() && all_.MayProbe(now) && IsNextToProbe(loser->second, now)) {
      return Permit::kProbeForAll;
    }
    return NotAsked("", all_);
  }
  if (loser == losers_.end() || !loser->second.open()) {
    return Permit::kUsual;
  }
  if (loser->second.MayProbe(now)) {
    return Permit::kProbe;
  }
  return NotAsked(namespace_, loser->second);
}

Error CircuitBreaker::NotAsked(const std::string& namespace_, const Circuit& circuit) const {
  return {Code::kUnavailable, "not asked, because " + api_ + " has not answered " +
                                  (namespace_.empty() ? "" : "namespace " + namespace_ + " ") +
                                  "since " + Print(circuit.since) + " (" + circuit.first + ")"};
}

Result<CircuitBreaker::Permit> CircuitBreaker::Admit(const std::string& namespace_) {
  const std::lock_guard lock(mutex_);
  const Result<Permit> permit = Decide(namespace_);
  if (permit.ok()) {
    switch (*permit) {
      case Permit::kUsual:
        break;
      case Permit::kProbe:
        losers_.at(namespace_).probing = true;
        break;
      case Permit::kProbeForAll:
        all_.probing = true;
        losers_.at(namespace_).probed_for_all = clock_.Steady();
        break;
      case Permit::kTrial:
        ++trials_;
        break;
    }
  }
  return permit;
}

std::optional<Error> CircuitBreaker::Refusal(const std::string& namespace_) {
  const std::lock_guard lock(mutex_);
  const Result<Permit> permit = Decide(namespace_);
  return permit.ok() ? std::nullopt : std::optional(permit.error());
}

void CircuitBreaker::Record(const std::string& namespace_, Permit permit, process::SteadyTime sent,
                            const std::optional<Error>& error) {
  const std::lock_guard lock(mutex_);
  if (permit == Permit::kTrial) {
    --trials_;
  }
  if (!error || !error->unanswered) {
    Answered(namespace_);
  } else if (const auto answered = answered_.find(namespace_);
             answered == answered_.end() || answered->second <= sent) {
    Unanswered(namespace_, permit, error->message);
  }
}

void CircuitBreaker::Answered(const std::string& namespace_) {
  const process::SteadyTime now = clock_.Steady();
  std::erase_if(answered_, [now](const auto& entry) { return now - entry.second > kForgotten; });
  answered_[namespace_] = now;
  losers_.erase(namespace_);
  if (all_.open()) {
    for (auto& [name, loser] : losers_) {
      loser.silent_until = now;
    }
  }
  all_ = {};
}

void CircuitBreaker::Unanswered(const std::string& namespace_, Permit permit,
                                const std::string& why) {
  const process::Instant now = process::ReadBoth(clock_);
  const auto [loser, is_new] = losers_.try_emplace(namespace_);
  loser->second.asked = now.steady;
  loser->second.Lose(why, permit == Permit::kProbe, now);
  if (is_new || (permit == Permit::kProbeForAll && all_.open())) {
    all_.Lose(why, permit == Permit::kProbeForAll, now);
  }
  std::erase_if(losers_, [&](const auto& entry) {
    return !entry.second.probing && now.steady - entry.second.asked > kForgotten;
  });
}

std::chrono::nanoseconds CircuitBreaker::OpenFor() const {
  const std::lock_guard lock(mutex_);
  if (!all_.open()) {
    return {};
  }
  return std::max<std::chrono::nanoseconds>(all_.silent_until - clock_.Steady(),
                                            std::chrono::nanoseconds(1));
}

std::size_t CircuitBreaker::LeftAlone() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::ranges::count_if(losers_, [](const auto& entry) { return entry.second.open(); }));
}

}  // namespace ballast::sources
