#include "operator/sources/request_pool.h"

#include "operator/os/thread_name.h"

namespace ballast::sources {

RequestPool::~RequestPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    waiting_.Clear();
  }
  wake_.notify_all();
  threads_.clear();  // joins them
}

void RequestPool::Submit(const std::string& namespace_, std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  waiting_.Push(namespace_, std::move(work));
  if (waiting_.size() > idle_ && threads_.size() < max_threads_ && !stopping_) {
    threads_.emplace_back([this, number = threads_.size()] {
      os::NameThisThread(api_.substr(0, api_.find('.')) + "-" + std::to_string(number));
      Work();
    });
  }
  wake_.notify_one();
}

void RequestPool::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    --idle_;
    if (stopping_) {
      return;
    }
    const std::function<void()> work = waiting_.Pop();
    lock.unlock();
    work();
    lock.lock();
  }
}

telemetry::MetricsApiDebugState RequestPool::DebugState() const {
  const std::chrono::nanoseconds open = breaker_.OpenFor();
  const std::lock_guard lock(mutex_);
  return {api_, threads_.size() - idle_, waiting_.size(), open};
}

}  // namespace ballast::sources
