#include "operator/controllers/write_queue.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>
#include <variant>

#include "operator/controllers/attempt.h"

namespace ballast::controllers {
namespace {

// So long that it only matters while the API server hardly answers.
constexpr std::chrono::minutes kLongestWaitOfStatus{1};

// From 1 to 3 is more urgent than from 10 to 20; from 0, where nothing serves, is the most urgent.
double SurplusOf(const WriteScale& scale) {
  const double from = scale.change.from;
  const double to = scale.change.to;
  return from == 0 ? -std::numeric_limits<double>::infinity() : (from - to) / from;
}

bool IsStatus(const Request& request) { return std::holds_alternative<WriteStatus>(request); }

}  // namespace

// By either clock: the steady one stands still while the machine sleeps.
std::optional<Answer> WriteQueue::Write::Expired(const process::Instant& now) const {
  const std::chrono::nanoseconds wall((now.wall - submitted.wall).nanoseconds);
  const auto waited = std::max<std::chrono::nanoseconds>(wall, now.steady - submitted.steady);
  if (waited <= (IsStatus(request) ? kLongestWaitOfStatus : kLongestWait)) {
    return std::nullopt;
  }
  return Refused(request, "the API server was too slow with more urgent writes", now.steady);
}

void WriteQueue::Submit(Write write) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto* scale = std::get_if<WriteScale>(&write.request)) {
      const Rank rank{SurplusOf(*scale), ++submitted_};
      scales_.emplace(rank, std::move(write));
    } else {
      statuses_.push_back(std::move(write));
    }
  }
  takeable_.notify_one();
}

void WriteQueue::WaitForRoom() {
  std::unique_lock lock(mutex_);
  roomy_.wait(lock, [this] { return scales_.size() < limits_.scales_waiting; });
}

bool WriteQueue::MayTake() const {
  return !scales_.empty() ||
         (!statuses_.empty() && statuses_under_way_ < limits_.statuses_under_way);
}

WriteQueue::Write WriteQueue::TakeNext() {
  if (scales_.empty()) {
    Write status = std::move(statuses_.front());
    statuses_.pop_front();
    ++statuses_under_way_;
    return status;
  }
  const process::Instant now = process::ReadBoth(clock_);
  auto next = std::ranges::find_if(
      scales_, [&](const auto& item) { return item.second.Expired(now).has_value(); });
  if (next == scales_.end()) {
    next = scales_.begin();
  }
  Write scale = std::move(next->second);
  scales_.erase(next);
  return scale;
}

std::optional<WriteQueue::Write> WriteQueue::Take() {
  std::unique_lock lock(mutex_);
  takeable_.wait(lock, [this] { return MayTake() || (closed_ && IsIdle()); });
  if (!MayTake()) {
    return std::nullopt;
  }
  Write write = TakeNext();
  ++under_way_;
  lock.unlock();
  roomy_.notify_all();
  return write;
}

void WriteQueue::Done(const Write& write) {
  {
    const std::lock_guard lock(mutex_);
    --under_way_;
    if (IsStatus(write.request)) {
      --statuses_under_way_;
    }
  }
  takeable_.notify_all();
  roomy_.notify_all();
}

void WriteQueue::Seal() {
  std::unique_lock lock(mutex_);
  roomy_.wait(lock, [this] { return IsIdle(); });
  sealed_ = true;
}

bool WriteQueue::sealed() const {
  const std::lock_guard lock(mutex_);
  return sealed_;
}

void WriteQueue::Close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  takeable_.notify_all();
}

}  // namespace ballast::controllers
