// A Transport without a network: the test says what comes of each call, and sees what was asked.
//
// Thread-safety: any thread; the functions given are called on the caller's thread, one at a time
// or not as the caller does it.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "operator/kube/transport.h"
#include "tests/support/channel.h"

namespace ballast::support {

// The query's value of that name; "-" when it has none.
inline std::string QueryOf(const kube::Request& request, const std::string& name) {
  for (const auto& [key, value] : request.query) {
    if (key == name) {
      return value;
    }
  }
  return "-";
}

// What a server says that can only list, not stream, when asked for a watch with initial events.
inline Status RefuseStream(const kube::Request& request) {
  if (QueryOf(request, "sendInitialEvents") == "true") {
    return Error{Code::kInvalid, "sendInitialEvents is forbidden"};
  }
  return Done{};
}

// As such a server with a watch in which nothing happens until it is stopped.
inline Status SilentStream(const kube::Request& request, const kube::LineSink&,
                           const std::stop_token& stop) {
  TRY(RefuseStream(request));
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait(lock, stop, [] { return false; });
  return Done{};
}

// As such a server with a watch that tells the lines which the test pushes.
inline Status PushedStream(Channel<std::string>& lines, const kube::Request& request,
                           const kube::LineSink& sink, const std::stop_token& stop) {
  TRY(RefuseStream(request));
  const std::stop_callback wake(stop, [&lines] { lines.Push(""); });
  while (!stop.stop_requested()) {
    if (const auto line = lines.Pop(); line && !line->empty()) {
      TRY(sink(*line));
    }
  }
  return Done{};
}

class FakeTransport final : public kube::Transport {
 public:
  using DoFunction = std::function<Result<kube::Response>(const kube::Request& request)>;
  using StreamFunction = std::function<Status(const kube::Request& request,
                                              const kube::LineSink& sink, std::stop_token stop)>;

  explicit FakeTransport(DoFunction on_do = {}, StreamFunction on_stream = {})
      : on_do_(std::move(on_do)), on_stream_(std::move(on_stream)) {}

  Result<kube::Response> Do(const kube::Request& request) override {
    Remember(request);
    return on_do_ ? on_do_(request)
                  : Result<kube::Response>(Error{Code::kUnavailable, "nobody answers"});
  }
  Status Stream(const kube::Request& request, const kube::LineSink& sink,
                std::stop_token stop) override {
    Remember(request);
    return on_stream_ ? on_stream_(request, sink, std::move(stop))
                      : Status(Error{Code::kUnavailable, "nobody answers"});
  }

  // Every call so far, in order.
  std::vector<kube::Request> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void Remember(const kube::Request& request) {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
  }

  DoFunction on_do_;
  StreamFunction on_stream_;
  mutable std::mutex mutex_;  // guards: requests_
  std::vector<kube::Request> requests_;
};

}  // namespace ballast::support
