#include "operator/runtime/event_correlator.h"

#include <algorithm>
#include <utility>

namespace ballast::runtime {
namespace {

constexpr std::chrono::seconds kRetryAfter{10};
constexpr int kTries = 12;
constexpr std::chrono::seconds kDrainTime{2};  // after Stop(), for all that is left
constexpr std::chrono::minutes kSeriesEnds{6};
constexpr std::chrono::minutes kSeriesRefresh{5};
constexpr std::chrono::minutes kLookOver{1};
constexpr double kBurst = 25;
constexpr std::chrono::minutes kRefill{5};

bool IsWorthRetrying(const Error& error) {
  return error.code == Code::kUnavailable || error.code == Code::kTimeout ||
         error.code == Code::kNotSent || error.code == Code::kThrottled;
}

}  // namespace

void EventCorrelator::Record(ClusterEvent event) {
  if (over_ || queue_.size() >= max_queue_) {
    ++dropped_;
    return;
  }
  queue_.push_back(std::move(event));
}

EventStep EventCorrelator::Step(process::Instant now, const std::optional<Status>& answer) {
  if (answer) {
    TakeAnswer(now, *answer);
  }
  // The two seconds do not include the call that was under way.
  if (phase_ == SendPhase::kIdle && stopping_ && !drain_ends_) {
    drain_ends_ = now.steady + kDrainTime;
  }
  while (phase_ == SendPhase::kIdle && Advance(now)) {
  }
  return {std::exchange(request_, std::nullopt), WakeAt(), std::exchange(given_up_, {})};
}

// Does one thing that is due; false if nothing is.
bool EventCorrelator::Advance(process::Instant now) {
  if (draft_) {
    if (!stopping_ && now.steady < draft_->due) {
      return false;
    }
    Try(now);
    return true;
  }
  if (!stopping_) {
    EndSeries(now.steady);
  } else if (queue_.empty()) {
    EndAllSeries();
  }
  if (!ended_.empty() && (!stopping_ || queue_.empty()) && !IsTooLate(now.steady)) {
    Raise(SendPhase::kEnd, ended_.front());
    return true;
  }
  if (!queue_.empty()) {
    draft_ = {.event = std::move(queue_.front())};
    queue_.pop_front();
    return true;
  }
  over_ = stopping_;
  return false;
}

process::SteadyTime EventCorrelator::WakeAt() const {
  if (phase_ != SendPhase::kIdle || over_) {
    return process::SteadyTime::max();
  }
  if (draft_) {
    return draft_->due;
  }
  return series_.empty() ? process::SteadyTime::max() : look_over_at_;
}

// Whether the time after Stop() is over.
bool EventCorrelator::IsTooLate(process::SteadyTime now) const {
  return drain_ends_ && now >= *drain_ends_;
}

void EventCorrelator::Try(process::Instant now) {
  if (IsTooLate(now.steady)) {
    OnFailed(now.steady, {Code::kTimeout, "the program ends"});
    return;
  }
  ++draft_->tries;
  const auto known = series_.find(draft_->event);
  if (known == series_.end()) {
    Create(now);
    return;
  }
  EventSeries& series = known->second;
  ++series.count;
  series.last_time = now.wall;
  series.last_seen = now.steady;
  if (series.count > 2 && series.last_seen - series.last_sent < kSeriesRefresh) {
    draft_.reset();
    return;
  }
  Raise(SendPhase::kRaise, series);
}

void EventCorrelator::Create(process::Instant now) {
  if (draft_->object.name.empty()) {
    if (!TakeAllowance(draft_->event.regarding, now.steady)) {
      OnFailed(now.steady, {Code::kFull, "too many events of one object"});
      return;
    }
    draft_->time = now.wall;
    draft_->object = NameEvent(draft_->event.regarding, now.wall);
  }
  phase_ = SendPhase::kPost;
  request_ = PostEvent{draft_->event, draft_->object, draft_->time};
}

// Sends the count to the API server.
void EventCorrelator::Raise(SendPhase phase, const EventSeries& series) {
  phase_ = phase;
  request_ = RaiseCount{series.object, series.count, series.last_time};
}

void EventCorrelator::TakeAnswer(process::Instant now, const Status& answer) {
  switch (std::exchange(phase_, SendPhase::kIdle)) {
    case SendPhase::kIdle:
      return;
    case SendPhase::kPost:
      return OnPosted(now, answer);
    case SendPhase::kRaise:
      return OnRaised(now, answer);
    case SendPhase::kEnd:
      ended_.pop_front();  // best effort: not tried again
      if (stopping_ && !answer.ok()) {
        ended_.clear();
      }
      return;
  }
}

void EventCorrelator::OnPosted(process::Instant now, const Status& answer) {
  // An earlier try that got no answer may have created it.
  const bool made = answer.ok() || (draft_->tries > 1 && answer.error().code == Code::kConflict);
  if (!made) {
    OnFailed(now.steady, answer.error());
    return;
  }
  if (series_.empty()) {
    look_over_at_ = now.steady + kLookOver;
  }
  series_[draft_->event] = {.object = draft_->object,
                            .last_time = draft_->time,
                            .last_seen = now.steady,
                            .last_sent = now.steady};
  draft_.reset();
}

void EventCorrelator::OnRaised(process::Instant now, const Status& answer) {
  const auto known = series_.find(draft_->event);
  if (!answer.ok() && answer.error().code == Code::kNotFound) {
    series_.erase(known);  // the Event object was deleted
    Create(now);
    return;
  }
  if (answer.ok()) {
    known->second.told = known->second.count;
    known->second.last_sent = now.steady;
  }  // else the next count contains it
  draft_.reset();
}

void EventCorrelator::OnFailed(process::SteadyTime now, const Error& error) {
  if (IsWorthRetrying(error) && draft_->tries < kTries && !stopping_) {
    draft_->due = now + kRetryAfter;
    return;
  }
  given_up_.push_back({std::move(draft_->event), error});
  draft_.reset();
  ++dropped_;
  if (stopping_ && error.code != Code::kFull) {
    dropped_ += queue_.size();
    queue_.clear();
  }
}

bool EventCorrelator::TakeAllowance(const InvolvedObject& regarding, process::SteadyTime now) {
  Allowance& allowance = allowances_.try_emplace(regarding, Allowance{kBurst, now}).first->second;
  const std::chrono::duration<double> since = now - allowance.at;
  allowance.events = std::min(kBurst, allowance.events + since / kRefill);
  allowance.at = now;
  if (allowance.events < 1) {
    return false;
  }
  allowance.events -= 1;
  return true;
}

void EventCorrelator::EndSeries(process::SteadyTime now) {
  if (now < look_over_at_) {
    return;
  }
  look_over_at_ = now + kLookOver;
  for (auto at = series_.begin(); at != series_.end();) {
    if (now - at->second.last_seen <= kSeriesEnds) {
      ++at;
      continue;
    }
    if (at->second.told != at->second.count) {
      ended_.push_back(std::move(at->second));
    }
    at = series_.erase(at);
  }
  std::erase_if(allowances_, [&](const auto& entry) {
    return now - entry.second.at > kRefill * static_cast<int>(kBurst);
  });
}

void EventCorrelator::EndAllSeries() {
  for (auto& [event, series] : std::exchange(series_, {})) {
    if (series.told != series.count) {
      ended_.push_back(std::move(series));
    }
  }
}

}  // namespace ballast::runtime
