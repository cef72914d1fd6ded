#include "operator/controllers/write_queue.h"

#include <limits>
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

std::optional<ScaleAnswer> WriteQueue::Write::Expired(runtime::SteadyTime now) const {
  if (!std::holds_alternative<WriteScale>(request) || now - submitted <= kLongestWait) {
    return std::nullopt;
  }
  return ScaleAnswer{
      .outcome = engine::Outcome{engine::Outcome::Kind::kFailed,
                                 "not sent: the API server was too slow with more urgent writes"},
      .sent = now};
}

void WriteQueue::Submit(Write write) {
  {
    const std::lock_guard lock(mutex_);
    WriteRank rank = RankOf(write.request);
    rank.sequence = ++submitted_;
    waiting_.emplace(rank, std::move(write));
  }
  changed_.notify_all();
}

void WriteQueue::WaitForRoom() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.size() < room_; });
}

std::optional<WriteQueue::Write> WriteQueue::Take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !waiting_.empty() || (closed_ && under_way_ == 0); });
  if (waiting_.empty()) {
    return std::nullopt;
  }
  Write write = std::move(waiting_.begin()->second);
  waiting_.erase(waiting_.begin());
  ++under_way_;
  lock.unlock();
  changed_.notify_all();
  return write;
}

void WriteQueue::Done() {
  {
    const std::lock_guard lock(mutex_);
    --under_way_;
  }
  changed_.notify_all();
}

void WriteQueue::Close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

}  // namespace ballast::controllers
