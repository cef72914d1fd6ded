// Answers that several callers share: equal requests at about the same time are made once.
//
// A caller that wants what is being requested waits for that request. An answer is used again while
// it is younger than the caller allows, at most a second; a failure always for a second, so that a
// source that is slow or down is waited for once, not by each caller in turn. Callers with the same
// period use it for that long, each once, so that equal requests within a period are made once,
// however many slots of it the callers have. A caller that has waited, also for other answers, gets
// what was fresh when it began to, or newer.
//
// Prepare() makes the request on a thread of the API's request pool (request_pool.h), so that no
// thread of the caller waits; Get() makes it on the caller's. In the request pool the callers'
// namespaces take turns, so a key belongs to one of them, or to all (""): who shares an answer
// waits in the line of whoever asked first. What waits there for longer than kLongestInLine is not
// requested any more: an autoscaler is told in time that the API is too slow.
//
// Bounded: the answers that are kept take twice kMostKept bytes at most, shared by namespace. One
// for which there is no room is an error.
//
// Thread-safety: any thread.
// Errors: in the answers; kInternal if the request ended with an exception. kCorrupt also if there
// is no room for the answer. kUnavailable also while
// the API's circuit breaker does not admit the namespace's requests, and if it was too slow for the
// request to be made.
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
#include "operator/process/clock.h"
#include "operator/sources/kept_bytes.h"
#include "operator/sources/request_pool.h"
#include "operator/sources/source.h"

namespace ballast::sources {

template <typename T>
class SharedAnswers {
 public:
  using Answer = Result<T>;

  static constexpr std::chrono::seconds kLongest{1};
  static constexpr std::chrono::seconds kLongestInLine = RequestPool::kLongestInLine;
  // For those that have waited for other answers too: these may take so long, and a little more.
  // Besides for its period.
  static constexpr std::chrono::seconds kKept =
      kLongestInLine + kDeadline + std::chrono::seconds(5);

  static constexpr std::size_t kMostKept = 64 << 20;

  // How many bytes of memory an answer takes.
  using Weigh = std::function<std::size_t(const T&)>;

  // `api`: its name. `clock` must outlive the SharedAnswers. `threads`: how many requests
  // Prepare() makes at a time. `weigh`: null if answers are small, or few.
  SharedAnswers(std::string api, const process::Clock& clock,
                std::size_t threads = RequestPool::kThreads, Weigh weigh = nullptr)
      : api_(std::move(api)),
        clock_(clock),
        weigh_(std::move(weigh)),
        request_pool_(api_, clock, threads) {}

  // Whether Get() would return at once.
  bool Has(const std::string& key, const Freshness& fresh) const {
    return Look(key, fresh, [](const SharedAnswer& entry) { return entry.answer.has_value(); });
  }
  // The same, and no failure.
  bool HasValue(const std::string& key, const Freshness& fresh) const {
    return Look(key, fresh,
                [](const SharedAnswer& entry) { return entry.answer && entry.answer->ok(); });
  }
  // Whether Get() would not make a request.
  bool Shares(const std::string& key, const Freshness& fresh) const {
    return Look(key, fresh, [](const SharedAnswer&) { return true; });
  }

  // `request`: a function that returns an Answer; it asks the API by Call().
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
  // `namespace_`: whose turn in the request pool it takes, or "" if the answer is for all.
  template <typename Request>
  bool Prepare(const std::string& key, const Freshness& fresh, Request request,
               std::function<void()> done, const std::string& namespace_) {
    const std::lock_guard lock(mutex_);
    DropOld();
    const auto [entry, is_new] = Find(key, fresh);
    if (entry->answer) {
      return true;
    }
    if (is_new) {
      if (auto refusal = request_pool_.Refusal(namespace_, key)) {
        entry->answer = *std::move(refusal);
        entry->answered = clock_.Steady();
        return true;
      }
    }
    entry->waiting.push_back(std::move(done));
    if (is_new) {
      entry->namespace_ = namespace_;
      request_pool_.Submit(
          namespace_,
          [this, entry = entry, request = std::move(request)] { return Ask(*entry, request).ok(); },
          [this, entry = entry] { Keep(*entry, TooSlow(api_)); });
    }
    return false;
  }

  // Calls `request`, which asks the API, as RequestPool::Call does. What may fail before the API is
  // asked stays outside, and is followed by Skip() then: the API is neither to blame for it, nor
  // has it answered.
  template <typename Request>
  auto Call(const std::string& namespace_, const std::string& key, const Request& request) {
    return request_pool_.Call(namespace_, key, request);
  }
  void Skip(const std::string& namespace_, const std::string& key) {
    request_pool_.Skip(namespace_, key);
  }

  telemetry::MetricsApiDebugState DebugState() const { return request_pool_.DebugState(); }
  // Number of answers and requests kept.
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return entries_.size();
  }

 private:
  struct SharedAnswer {
    std::optional<Answer> answer;  // absent: under way
    process::SteadyTime answered;
    std::chrono::nanoseconds period = {};  // of who asked
    std::string namespace_;                // the same; empty: of all
    std::optional<KeptBytes::Share> share;
    std::vector<std::function<void()>> waiting;
  };

  // Of one key.
  struct Kept {
    std::shared_ptr<SharedAnswer> newest;
    // The last answer, while the newest is under way or has failed: it serves who waited for it.
    std::shared_ptr<SharedAnswer> before;
  };

  bool IsFresh(const SharedAnswer& entry, const Freshness& fresh) const {
    const std::chrono::nanoseconds limit =
        entry.answer->ok() ? std::min<std::chrono::nanoseconds>(fresh.max_age, kLongest) : kLongest;
    const std::chrono::nanoseconds age = fresh.since.value_or(clock_.Steady()) - entry.answered;
    const bool is_of_this_period = entry.answer->ok() && fresh.last &&
                                   entry.answered > *fresh.last && entry.period == fresh.period &&
                                   age < fresh.period;
    return age < limit || is_of_this_period;
  }
  // What serves: a value rather than a failure, and that rather than a request under way. Null:
  // nothing.
  std::shared_ptr<SharedAnswer> Serving(const Kept& kept, const Freshness& fresh) const {
    std::shared_ptr<SharedAnswer> failure;
    for (const std::shared_ptr<SharedAnswer>& entry : {kept.newest, kept.before}) {
      if (entry == nullptr || !entry->answer || !IsFresh(*entry, fresh)) {
        continue;
      }
      if (entry->answer->ok()) {
        return entry;
      }
      failure = failure ? failure : entry;
    }
    if (failure) {
      return failure;
    }
    return kept.newest != nullptr && !kept.newest->answer ? kept.newest : nullptr;
  }
  // Whether something serves, and is so.
  template <typename Test>
  bool Look(const std::string& key, const Freshness& fresh, const Test& test) const {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(key);
    const auto entry = found == entries_.end() ? nullptr : Serving(found->second, fresh);
    return entry != nullptr && test(*entry);
  }
  // The entry that serves, or a new one that the caller has to fill.
  std::pair<std::shared_ptr<SharedAnswer>, bool> Find(const std::string& key,
                                                      const Freshness& fresh) {
    Kept& kept = entries_[key];
    if (auto entry = Serving(kept, fresh)) {
      return {std::move(entry), false};
    }
    kept.before = std::exchange(kept.newest, std::make_shared<SharedAnswer>());
    kept.newest->period = fresh.period;
    return {kept.newest, true};
  }
  static Error NoRoom(const std::string& namespace_) {
    return {Code::kCorrupt,
            "the answer is dropped, because those of namespace " + namespace_ +
                " take too much memory; let selectors of its metrics choose fewer series"};
  }
  template <typename Request>
  Answer Ask(SharedAnswer& entry, const Request& request) {
    try {
      Answer answer = request();
      Keep(entry, answer);
      return answer;
    } catch (const std::exception& defect) {
      Error error{Code::kInternal,
                  std::string("the request ended with an exception: ") + defect.what()};
      Keep(entry, error);
      return error;
    }
  }
  void Keep(SharedAnswer& entry, Answer answer) {
    if (answer.ok() && weigh_) {
      if (auto share = kept_.Take(entry.namespace_, weigh_(*answer))) {
        entry.share.emplace(std::move(*share));
      } else {
        answer = NoRoom(entry.namespace_);
      }
    }
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
    const process::SteadyTime now = clock_.Steady();
    if (dropped_at_ && now - *dropped_at_ < kLongest) {
      return;
    }
    dropped_at_ = now;
    for (auto& [key, kept] : entries_) {
      if (kept.newest->answer && kept.newest->answer->ok()) {
        kept.before.reset();
      }
    }
    std::erase_if(entries_, [now](const auto& entry) {
      const SharedAnswer& newest = *entry.second.newest;
      return newest.answer && now - newest.answered >= kKept + newest.period;
    });
  }

  const std::string api_;
  const process::Clock& clock_;
  const Weigh weigh_;
  KeptBytes kept_{kMostKept};
  mutable std::mutex mutex_;  // guards: the rest; not held during requests
  std::condition_variable answered_;
  std::optional<process::SteadyTime> dropped_at_;
  std::map<std::string, Kept> entries_;
  RequestPool request_pool_;  // last: its threads use the rest
};

}  // namespace ballast::sources
