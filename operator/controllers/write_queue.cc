#include "operator/controllers/write_queue.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>
#include <variant>

#include "operator/controllers/attempt.h"

namespace ballast::controllers {

WriteRank RankOf(const Request& request) {
  const auto* scale = std::get_if<WriteScale>(&request);
  if (scale == nullptr) {
    return {.is_status = true};
  }
  const double from = scale->change.from;
  const double to = scale->change.to;
  return {.surplus = from == 0 ? -std::numeric_limits<double>::infinity() : (from - to) / from};
}

// By either clock: the steady one stands still while the machine sleeps.
std::optional<ScaleAnswer> WriteQueue::Write::Expired(const runtime::Instant& now) const {
  const std::chrono::nanoseconds wall((now.wall - submitted.wall).nanoseconds);
  if (!std::holds_alternative<WriteScale>(request) ||
      std::max<std::chrono::nanoseconds>(wall, now.steady - submitted.steady) <= kLongestWait) {
    return std::nullopt;
  }
  return NotWritten("not sent: the API server was too slow with more urgent writes", now.steady);
}

void WriteQueue::Submit(Write write) {
  {
    const std::lock_guard lock(mutex_);
    WriteRank rank = RankOf(write.request);
    rank.sequence = ++submitted_;
    waiting_.emplace(rank, std::move(write));
  }
  takeable_.notify_one();
}

void WriteQueue::WaitForRoom() {
  std::unique_lock lock(mutex_);
  roomy_.wait(lock, [this] { return waiting_.size() < room_; });
}

std::optional<WriteQueue::Write> WriteQueue::Take() {
  std::unique_lock lock(mutex_);
  takeable_.wait(lock, [this] { return !waiting_.empty() || (closed_ && under_way_ == 0); });
  if (waiting_.empty()) {
    return std::nullopt;
  }
  const runtime::Instant now = runtime::ReadBoth(clock_);
  auto next = std::ranges::find_if(
      waiting_, [&](const auto& item) { return item.second.Expired(now).has_value(); });
  if (next == waiting_.end()) {
    next = waiting_.begin();
  }
  Write write = std::move(next->second);
  waiting_.erase(next);
  ++under_way_;
  lock.unlock();
  roomy_.notify_all();
  return write;
}

void WriteQueue::Done() {
  {
    const std::lock_guard lock(mutex_);
    --under_way_;
  }
  takeable_.notify_all();
  roomy_.notify_all();
}

void WriteQueue::Seal() {
  std::unique_lock lock(mutex_);
  roomy_.wait(lock, [this] { return waiting_.empty() && under_way_ == 0; });
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
