// Answers that several callers share: equal requests at about the same time are made once.
//
// A caller that wants what is being requested waits for that request. An answer is used again while
// it is younger than the caller allows, at most a second; a failure always for a second, so that a
// source that is slow or down is waited for once, not by each caller in turn. Callers with the same
// period use it for that long, each once, so that equal requests within a period are made once,
// however many slots of it the callers have.
//
// Requests are made on the threads of the API's request pool (request_pool.h), so that no thread of
// a caller waits. There the callers' namespaces take turns, so a key belongs to one of them, or to
// all (""): who shares an answer waits in the line of whoever asked first. What waits there for
// longer than RequestPool::kLongestInLine is not requested any more: an autoscaler is told in time
// that the API is too slow.
//
// Bounded: the answers that are kept, here or by who asked, take twice kMostKept bytes at most,
// shared by namespace. One for which there is no room is an error.
//
// Thread-safety: any thread. An answer may outlive the SharedAnswers: the thread of another API's
// request may have it last.
// Errors: in the answers; kInternal if the request ended with an exception. kCorrupt also if there
// is no room for the answer. kUnavailable also while the API's circuit breaker does not admit the
// namespace's requests, and if it was too slow for the request to be made.
#pragma once

#include <algorithm>
#include <chrono>
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

enum class AnswerState { kNone, kUnderWay, kThere };

template <typename T>
class SharedAnswers {
 public:
  using Answer = Result<T>;
  using AnswerPointer = std::shared_ptr<const Answer>;  // never null
  using Done = std::function<void(const AnswerPointer& answer)>;

  static constexpr std::chrono::seconds kLongest{1};
  static constexpr std::size_t kMostKept = 64 << 20;

  // How many bytes of memory an answer takes.
  using Weigh = std::function<std::size_t(const T&)>;

  // `api`: its name. `clock` must outlive the SharedAnswers. `threads`: how many requests
  // are under way at a time. `weigh`: null if answers are small, or few.
  SharedAnswers(std::string api, const process::Clock& clock,
                std::size_t threads = RequestPool::kThreads, Weigh weigh = nullptr)
      : api_(std::move(api)),
        clock_(clock),
        weigh_(std::move(weigh)),
        request_pool_(api_, clock, threads) {}

  // Of an answer that serves.
  AnswerState StateOf(const std::string& key, const Freshness& fresh) const {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end() || !Serves(*found->second, fresh)) {
      return AnswerState::kNone;
    }
    return found->second->answer ? AnswerState::kThere : AnswerState::kUnderWay;
  }

  // `request`: a function that returns an Answer and owns what it uses; it asks the API by Call().
  // `namespace_`: whose turn in the request pool it takes, or "" if the answer is for all. `done`
  // is called once: at once if the answer is there, else from another thread, maybe before this
  // returns.
  template <typename Request>
  void Start(const std::string& key, const Freshness& fresh, Request request,
             const std::string& namespace_, Done done) {
    std::shared_ptr<SharedAnswer> entry;
    {
      const std::lock_guard lock(mutex_);
      DropOld();
      std::shared_ptr<SharedAnswer>& kept = entries_[key];
      const bool is_new = kept == nullptr || !Serves(*kept, fresh);
      if (is_new) {
        kept = std::make_shared<SharedAnswer>();
        kept->period = fresh.period;
        kept->namespace_ = namespace_;
        if (auto refusal = request_pool_.Refusal(namespace_, key)) {
          kept->answer = *std::move(refusal);
          kept->answered = clock_.Steady();
        }
      }
      entry = kept;
      if (!entry->answer) {
        entry->waiting.push_back(std::move(done));
        if (is_new) {
          Submit(entry, std::move(request));
        }
        return;
      }
    }
    done(AnswerOf(entry));
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
    std::vector<Done> waiting;
  };

  static AnswerPointer AnswerOf(const std::shared_ptr<SharedAnswer>& entry) {
    return {entry, &*entry->answer};
  }
  bool Serves(const SharedAnswer& entry, const Freshness& fresh) const {
    if (!entry.answer) {
      return true;
    }
    const std::chrono::nanoseconds limit =
        entry.answer->ok() ? std::min<std::chrono::nanoseconds>(fresh.max_age, kLongest) : kLongest;
    const std::chrono::nanoseconds age = clock_.Steady() - entry.answered;
    const bool is_of_this_period = entry.answer->ok() && fresh.last &&
                                   entry.answered > *fresh.last && entry.period == fresh.period &&
                                   age < fresh.period;
    return age < limit || is_of_this_period;
  }
  // Under the lock.
  template <typename Request>
  void Submit(const std::shared_ptr<SharedAnswer>& entry, Request request) {
    request_pool_.Submit(
        entry->namespace_,
        [this, entry, request = std::move(request)] {
          Answer answer = Ask(request);
          const bool served = answer.ok();
          Keep(entry, std::move(answer));
          return served;
        },
        [this, entry] { Keep(entry, TooSlow(api_)); });
  }
  static Error NoRoom(const std::string& namespace_) {
    return {Code::kCorrupt,
            "the answer is dropped, because those of namespace " + namespace_ +
                " take too much memory; let selectors of its metrics choose fewer series"};
  }
  template <typename Request>
  static Answer Ask(const Request& request) {
    try {
      return request();
    } catch (const std::exception& defect) {
      return Error{Code::kInternal,
                   std::string("the request ended with an exception: ") + defect.what()};
    }
  }
  void Keep(const std::shared_ptr<SharedAnswer>& entry, Answer answer) {
    if (answer.ok() && weigh_) {
      if (auto share = kept_.Take(entry->namespace_, weigh_(*answer))) {
        entry->share.emplace(std::move(*share));
      } else {
        answer = NoRoom(entry->namespace_);
      }
    }
    std::vector<Done> waiting;
    {
      const std::lock_guard lock(mutex_);
      entry->answer = std::move(answer);
      entry->answered = clock_.Steady();
      waiting.swap(entry->waiting);
    }
    for (const Done& done : waiting) {
      done(AnswerOf(entry));
    }
  }
  void DropOld() {
    const process::SteadyTime now = clock_.Steady();
    if (dropped_at_ && now - *dropped_at_ < kLongest) {
      return;
    }
    dropped_at_ = now;
    std::erase_if(entries_, [now](const auto& item) {
      const SharedAnswer& entry = *item.second;
      return entry.answer && now - entry.answered >= kLongest + entry.period;
    });
  }

  const std::string api_;
  const process::Clock& clock_;
  const Weigh weigh_;
  KeptBytes kept_{kMostKept};
  mutable std::mutex mutex_;  // guards: the rest; not held during requests
  std::optional<process::SteadyTime> dropped_at_;
  std::map<std::string, std::shared_ptr<SharedAnswer>> entries_;
  RequestPool request_pool_;  // last: its threads use the rest
};

}  // namespace ballast::sources
