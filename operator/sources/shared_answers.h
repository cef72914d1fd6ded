// Answers that several callers share: equal requests at about the same time are made once.
//
// A caller that wants what is being requested waits for that request. An answer is used again while
// it is younger than the caller allows, at most a second; a failure always for a second, so that a
// source that is slow or down is waited for once, not by each caller in turn.
//
// Thread-safety: any thread.
// Errors: in the answers. An exception of a request is passed to the caller that made it; those
// that wait get kInternal.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "api/base/result.h"
#include "operator/runtime/clock.h"

namespace ballast::sources {

template <typename T>
class SharedAnswers {
 public:
  using Answer = Result<T>;

  static constexpr std::chrono::seconds kLongest{1};

  // `clock` must outlive the SharedAnswers.
  explicit SharedAnswers(const runtime::Clock& clock) : clock_(clock) {}

  // Whether Get() would not make a request.
  bool Has(const std::string& key, std::chrono::nanoseconds max_age) const {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(key);
    return found != entries_.end() && Serves(*found->second, max_age);
  }

  // `request`: a function that returns an Answer.
  template <typename Request>
  Answer Get(const std::string& key, std::chrono::nanoseconds max_age, const Request& request) {
    std::unique_lock lock(mutex_);
    DropOld();
    std::shared_ptr<Entry>& kept = entries_[key];
    if (kept != nullptr && Serves(*kept, max_age)) {
      const std::shared_ptr<Entry> entry = kept;
      answered_.wait(lock, [&] { return entry->answer.has_value(); });
      return *entry->answer;
    }
    kept = std::make_shared<Entry>();
    const std::shared_ptr<Entry> entry = kept;
    lock.unlock();
    try {
      Answer answer = request();
      Keep(*entry, answer);
      return answer;
    } catch (...) {
      Keep(*entry, Error{Code::kInternal, "the request ended with an exception"});
      throw;
    }
  }

  // Number of answers and requests kept.
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return entries_.size();
  }

 private:
  struct Entry {
    std::optional<Answer> answer;  // absent: under way
    runtime::SteadyTime answered;
  };

  bool Serves(const Entry& entry, std::chrono::nanoseconds max_age) const {
    if (!entry.answer) {
      return true;
    }
    const std::chrono::nanoseconds limit =
        entry.answer->ok() ? std::min<std::chrono::nanoseconds>(max_age, kLongest) : kLongest;
    return clock_.Steady() - entry.answered < limit;
  }
  void Keep(Entry& entry, Answer answer) {
    {
      const std::lock_guard lock(mutex_);
      entry.answer = std::move(answer);
      entry.answered = clock_.Steady();
    }
    answered_.notify_all();
  }
  void DropOld() {
    std::erase_if(entries_, [this](const auto& entry) { return !Serves(*entry.second, kLongest); });
  }

  const runtime::Clock& clock_;
  mutable std::mutex mutex_;  // guards: the rest; not held during requests
  std::condition_variable answered_;
  std::map<std::string, std::shared_ptr<Entry>> entries_;
};

}  // namespace ballast::sources
