// Passes values from the threads under test to the test, which waits for them instead of sleeping.
//
// Thread-safety: any thread.
// Errors: none; see Pop().
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "tests/support/test_patience.h"

namespace ballast::support {

template <typename T>
class Channel {
 public:
  void Push(T value) {
    const std::lock_guard lock(mutex_);
    values_.push_back(std::move(value));
    wake_.notify_all();
  }

  // The next value; nullopt: none came within Patience(), which should fail an expectation.
  std::optional<T> Pop() {
    std::unique_lock lock(mutex_);
    if (!wake_.wait_for(lock, Patience(), [this] { return !values_.empty(); })) {
      return std::nullopt;
    }
    T value = std::move(values_.front());
    values_.pop_front();
    return value;
  }

  bool empty() const {
    const std::lock_guard lock(mutex_);
    return values_.empty();
  }

 private:
  mutable std::mutex mutex_;  // guards: values_
  std::condition_variable wake_;
  std::deque<T> values_;
};

}  // namespace ballast::support
