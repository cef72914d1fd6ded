// A Transport without a network: the test supplies the answers and sees the requests.
//
// Thread-safety: any thread, if the test's functions allow it: they run on the caller's thread, and
// concurrently if calls are concurrent.
// Errors: those of the test's functions; kUnavailable where there is none.
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

// The value of that query parameter; "-" if there is none.
inline std::string QueryOf(const kube::Request& request, const std::string& name) {
  for (const auto& [key, value] : request.query) {
    if (key == name) {
      return value;
    }
  }
  return "-";
}

// How a server without watch-list answers a watch with initial events: kInvalid. Done for any
// other.
inline Status RefuseStream(const kube::Request& request) {
  if (QueryOf(request, "sendInitialEvents") == "true") {
    return Error{Code::kInvalid, "sendInitialEvents is forbidden"};
  }
  return Done{};
}

// The same, with a watch in which nothing happens until it is stopped.
inline Status SilentStream(const kube::Request& request, const kube::LineSink&,
                           const std::stop_token& stop) {
  TRY(RefuseStream(request));
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait(lock, stop, [] { return false; });
  return Done{};
}

// The same, with a watch that delivers the lines that the test pushes, one or several at a time.
inline Status PushedStream(Channel<std::string>& lines, const kube::Request& request,
                           const kube::LineSink& sink, const std::stop_token& stop) {
  TRY(RefuseStream(request));
  const std::stop_callback wake(stop, [&lines] { lines.Push(""); });
  while (!stop.stop_requested()) {
    const std::string pushed = lines.Pop().value_or("");
    for (std::size_t end = 0, begin = 0; begin < pushed.size(); begin = end + 1) {
      end = std::min(pushed.find('\n', begin), pushed.size());
      TRY(sink(std::string_view(pushed).substr(begin, end - begin)));
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

  // All calls so far, in order.
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
