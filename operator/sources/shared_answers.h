// Answers that several callers share: equal requests at about the same time are made once.
//
// A caller that wants what is being requested waits for that request. An answer is used again while
// it is younger than the caller allows, at most a second, or if the caller has waited for it; a
// failure always for a second, so that a source that is slow or down is waited for once, not by
// each caller in turn.
//
// Prepare() makes the request on a thread of the API's lane (lane.h), so that no thread of the
// caller waits; Get() makes it on the caller's.
//
// Thread-safety: any thread.
// Errors: in the answers; kInternal if the request ended with an exception. kUnavailable also while
// the API's circuit breaker is open.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/base/result.h"
#include "operator/runtime/clock.h"
#include "operator/sources/lane.h"
#include "operator/sources/source.h"

namespace ballast::sources {

template <typename T>
class SharedAnswers {
 public:
  using Answer = Result<T>;

  static constexpr std::chrono::seconds kLongest{1};
  static constexpr std::chrono::seconds kKept{5};  // for those that have waited

  // `api`: its name. `clock` must outlive the SharedAnswers.
  SharedAnswers(std::string api, const runtime::Clock& clock)
      : clock_(clock), lane_(std::move(api), clock) {}

  // Whether Get() would not make a request.
  bool Has(const std::string& key, const Freshness& fresh) const {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(key);
    return found != entries_.end() && Serves(*found->second, fresh);
  }

  // `request`: a function that returns an Answer.
  template <typename Request>
  Answer Get(const std::string& key, const Freshness& fresh, const Request& request) {
    std::unique_lock lock(mutex_);
    DropOld();
    const auto [entry, is_new] = Find(key, fresh);
    if (!is_new) {
      answered_.wait(lock, [&, of = entry.get()] { return of->answer.has_value(); });
      return *entry->answer;
    }
    lock.unlock();
    return Ask(*entry, request);
  }

  // Whether Get() with `fresh` would return at once. Otherwise it will after `done` was called,
  // once, from another thread and maybe before this returns. `request` must own what it uses.
  template <typename Request>
  bool Prepare(const std::string& key, const Freshness& fresh, Request request,
               std::function<void()> done) {
    const std::lock_guard lock(mutex_);
    DropOld();
    const auto [entry, is_new] = Find(key, fresh);
    if (entry->answer) {
      return true;
    }
    entry->waiting.push_back(std::move(done));
    if (is_new) {
      lane_.Submit(
          [this, entry = entry, request = std::move(request)] { (void)Ask(*entry, request); });
    }
    return false;
  }

  telemetry::MetricsApiInside Inside() const { return lane_.Inside(); }
  // Number of answers and requests kept.
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return entries_.size();
  }

 private:
  struct Entry {
    std::optional<Answer> answer;  // absent: under way
    runtime::SteadyTime answered;
    std::vector<std::function<void()>> waiting;
  };

  bool Serves(const Entry& entry, const Freshness& fresh) const {
    if (!entry.answer || (fresh.since && entry.answered >= *fresh.since)) {
      return true;
    }
    const std::chrono::nanoseconds limit =
        entry.answer->ok() ? std::min<std::chrono::nanoseconds>(fresh.max_age, kLongest) : kLongest;
    return clock_.Steady() - entry.answered < limit;
  }
  // The entry that serves, or a new one that the caller has to fill.
  std::pair<std::shared_ptr<Entry>, bool> Find(const std::string& key, const Freshness& fresh) {
    std::shared_ptr<Entry>& kept = entries_[key];
    const bool is_new = kept == nullptr || !Serves(*kept, fresh);
    if (is_new) {
      kept = std::make_shared<Entry>();
    }
    return {kept, is_new};
  }
  template <typename Request>
  Answer Ask(Entry& entry, const Request& request) {
    try {
      Answer answer = lane_.Call(request);
      Keep(entry, answer);
      return answer;
    } catch (const std::exception& defect) {
      Error error{Code::kInternal,
                  std::string("the request ended with an exception: ") + defect.what()};
      Keep(entry, error);
      return error;
    }
  }
  void Keep(Entry& entry, Answer answer) {
    std::vector<std::function<void()>> waiting;
    {
      const std::lock_guard lock(mutex_);
      entry.answer = std::move(answer);
      entry.answered = clock_.Steady();
      waiting.swap(entry.waiting);
    }
    answered_.notify_all();
    for (const std::function<void()>& done : waiting) {
      done();
    }
  }
  void DropOld() {
    std::erase_if(entries_, [this](const auto& entry) {
      return entry.second->answer && clock_.Steady() - entry.second->answered >= kKept;
    });
  }

  const runtime::Clock& clock_;
  mutable std::mutex mutex_;  // guards: the rest; not held during requests
  std::condition_variable answered_;
  std::map<std::string, std::shared_ptr<Entry>> entries_;
  Lane lane_;  // last: its threads use the rest
};

}  // namespace ballast::sources
