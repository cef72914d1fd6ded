#include "operator/sources/request_pool.h"

#include "operator/os/thread_name.h"

namespace ballast::sources {

Error TooSlow(const std::string& api) {
  return {Code::kUnavailable,
          "not asked, because " + api +
              " answers too slowly: the request waited in line for longer than " +
              std::to_string(RequestPool::kLongestInLine.count()) + "s"};
}

RequestPool::~RequestPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    waiting_.Clear();
  }
  wake_.notify_all();
  threads_.clear();  // joins them
}

void RequestPool::Submit(const std::string& namespace_, Work work, std::function<void()> expire) {
  const std::lock_guard lock(mutex_);
  const process::SteadyTime now = clock_.Steady();
  lanes_.Ask(namespace_, now);
  waiting_.Push(namespace_, {namespace_, std::move(work), std::move(expire), now});
  Wake();
}

void RequestPool::Wake() {
  if (waiting_.size() > idle_ && threads_.size() < lanes_.lanes() && !stopping_) {
    threads_.emplace_back([this, number = threads_.size()] {
      os::NameThisThread(api_.substr(0, api_.find('.')) + "-" + std::to_string(number));
      Run();
    });
  }
  wake_.notify_one();
}

std::optional<RequestPool::Submitted> RequestPool::TakeExpired(process::SteadyTime now) {
  if (now < look_at_) {
    return std::nullopt;
  }
  auto expired = waiting_.Extract([now](const Submitted& waiting) {
    return waiting.expire != nullptr && now - waiting.since > kLongestInLine;
  });
  if (!expired) {
    look_at_ = now + kLookEvery;
  }
  return expired;
}

void RequestPool::Run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const process::SteadyTime now = clock_.Steady();
    if (const auto expired = TakeExpired(now)) {
      lock.unlock();
      expired->expire();
      lock.lock();
      continue;
    }
    lanes_.Look(now);
    const auto next =
        waiting_.PopIf([this](const std::string& namespace_) { return lanes_.May(namespace_); });
    if (!next) {
      ++idle_;
      wake_.wait(lock);
      --idle_;
      continue;
    }
    const auto lane = lanes_.Begin(next->namespace_, now);
    if (!waiting_.empty()) {
      Wake();
    }
    lock.unlock();
    const bool served = next->work();
    lock.lock();
    using LaneOutcome = runtime::SharedLanes::LaneOutcome;
    lanes_.End(lane, served ? LaneOutcome::kServed : LaneOutcome::kRefused, clock_.Steady());
  }
}

telemetry::MetricsApiDebugState RequestPool::DebugState() const {
  const std::chrono::nanoseconds open = breaker_.OpenFor();
  const std::size_t left_alone = breaker_.LeftAlone();
  const std::lock_guard lock(mutex_);
  return {api_, lanes_.held(), lanes_.slow(), waiting_.size(), open, left_alone};
}

}  // namespace ballast::sources
