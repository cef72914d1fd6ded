// A T, which has threads (request_pool.h), for each of several APIs of which each may be slow or
// hang: that keeps only the threads of its own T waiting.
//
// The names may come from users. Those beyond the first kMost share one T, so that they cannot
// start threads without end.
//
// Thread-safety: any thread; the destructor as T's.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

#include "operator/process/clock.h"

namespace ballast::sources {

template <typename T>
class ByApi {
 public:
  static constexpr std::size_t kMost = 16;

  // `clock` must outlive the ByApi.
  explicit ByApi(const process::Clock& clock) : clock_(clock), rest_("rest", clock) {}

  // That API's T, which lives as long as the ByApi.
  T& Of(const std::string& api) {
    const std::lock_guard lock(mutex_);
    if (const auto found = all_.find(api); found != all_.end()) {
      return found->second;
    }
    return all_.size() < kMost ? all_.try_emplace(api, api, clock_).first->second : rest_;
  }

 private:
  const process::Clock& clock_;
  std::mutex mutex_;              // guards: all_, not what is in it
  std::map<std::string, T> all_;  // by API
  T rest_;
};

}  // namespace ballast::sources
