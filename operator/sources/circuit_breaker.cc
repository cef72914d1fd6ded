#include "operator/sources/circuit_breaker.h"

#include <algorithm>

namespace ballast::sources {
namespace {

constexpr int kUnansweredInARow = 5;
constexpr std::chrono::seconds kFirstWait{1};
constexpr std::chrono::seconds kLongestWait{30};
constexpr std::size_t kTrials = 4;
constexpr std::chrono::minutes kForgotten{10};

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

Result<CircuitBreaker::Permit> CircuitBreaker::Decide(const std::string& namespace_,
                                                      const std::string& key) {
  const process::SteadyTime now = clock_.Steady();
  const auto found = losers_.find(namespace_);
  Loser* const loser = found == losers_.end() ? nullptr : &found->second;
  if (loser != nullptr) {
    loser->asked = now;
    loser->keys.Ask(key, now);
    turns_.Ask(namespace_, now);
  }
  if (all_.open()) {
    if (loser == nullptr && trials_ < kTrials) {
      return Permit::kTrial;
    }
    if (loser != nullptr && all_.MayProbe(now) && turns_.IsNext(namespace_, now) &&
        loser->keys.IsNext(key, now)) {
      return Permit::kProbeForAll;
    }
    return NotAsked("", all_);
  }
  if (loser == nullptr || !loser->circuit.open()) {
    return Permit::kUsual;
  }
  if (loser->circuit.MayProbe(now) && loser->keys.IsNext(key, now)) {
    return Permit::kProbe;
  }
  return NotAsked(namespace_, loser->circuit);
}

Error CircuitBreaker::NotAsked(const std::string& namespace_, const Circuit& circuit) const {
  return {Code::kUnavailable, "not asked, because " + api_ + " has not answered " +
                                  (namespace_.empty() ? "" : "namespace " + namespace_ + " ") +
                                  "since " + Print(circuit.since) + " (" + circuit.first + ")"};
}

Result<CircuitBreaker::Permit> CircuitBreaker::Admit(const std::string& namespace_,
                                                     const std::string& key) {
  const std::lock_guard lock(mutex_);
  const Result<Permit> permit = Decide(namespace_, key);
  if (permit.ok()) {
    switch (*permit) {
      case Permit::kUsual:
        break;
      case Permit::kProbe:
        losers_.at(namespace_).circuit.probing = true;
        losers_.at(namespace_).keys.Take(key, clock_.Steady());
        break;
      case Permit::kProbeForAll:
        all_.probing = true;
        turns_.Take(namespace_, clock_.Steady());
        losers_.at(namespace_).keys.Take(key, clock_.Steady());
        break;
      case Permit::kTrial:
        ++trials_;
        break;
    }
  }
  return permit;
}

void CircuitBreaker::Skip(const std::string& namespace_, const std::string& key) {
  const std::lock_guard lock(mutex_);
  if (const auto loser = losers_.find(namespace_); loser != losers_.end()) {
    const process::SteadyTime now = clock_.Steady();
    turns_.Take(namespace_, now);
    loser->second.keys.Take(key, now);
  }
}

std::optional<Error> CircuitBreaker::Refusal(const std::string& namespace_,
                                             const std::string& key) {
  const std::lock_guard lock(mutex_);
  const Result<Permit> permit = Decide(namespace_, key);
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
  turns_.Forget(namespace_);
  if (all_.open()) {
    for (auto& [name, loser] : losers_) {
      loser.circuit.silent_until = now;
    }
  }
  all_ = {};
}

void CircuitBreaker::Unanswered(const std::string& namespace_, Permit permit,
                                const std::string& why) {
  const process::Instant now = process::ReadBoth(clock_);
  const auto [loser, is_new] = losers_.try_emplace(namespace_);
  loser->second.asked = now.steady;
  turns_.Ask(namespace_, now.steady);
  loser->second.circuit.Lose(why, permit == Permit::kProbe, now);
  if (is_new || (permit == Permit::kProbeForAll && all_.open())) {
    all_.Lose(why, permit == Permit::kProbeForAll, now);
  }
  std::erase_if(losers_, [&](const auto& entry) {
    return !entry.second.circuit.probing && now.steady - entry.second.asked > kForgotten;
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
  return static_cast<std::size_t>(std::ranges::count_if(
      losers_, [](const auto& entry) { return entry.second.circuit.open(); }));
}

}  // namespace ballast::sources
