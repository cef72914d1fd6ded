#include "operator/kube/connect.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <semaphore>
#include <thread>
#include <utility>

#include "operator/kube/headers.h"
#include "operator/kube/rest_client.h"
#include "operator/kube/server.h"
#include "operator/kube/status_error.h"
#include "operator/kube/tls.h"
#include "operator/kube/token_source.h"
#include "operator/kube/watch_stream.h"

namespace ballast::kube {
namespace {

using Milliseconds = std::chrono::milliseconds;
using SteadyTime = std::chrono::steady_clock::time_point;

constexpr int kMaxAttempts = 4;
constexpr Milliseconds kFirstRetry{100};    // doubled at each attempt
constexpr Milliseconds kLongestWait{2000};  // longer ones are the caller's to wait

Milliseconds Until(SteadyTime deadline) {
  return std::max(
      std::chrono::duration_cast<Milliseconds>(deadline - std::chrono::steady_clock::now()),
      Milliseconds(0));
}

// How long to wait before the same request is sent again; nullopt: it must not be.
std::optional<Milliseconds> RetryUnanswered(const Request& request, const Error& error,
                                            int attempt) {
  if (request.method != Method::kGet || error.code != Code::kUnavailable) {
    return std::nullopt;
  }
  return kFirstRetry * (1 << attempt);
}

std::optional<Milliseconds> RetryRefused(const Request& request, const RestClient::Answer& answer) {
  const bool undone = answer.status == 429;
  const bool repeatable = request.method == Method::kGet && answer.status >= 500;
  const auto wait = ParseRetryAfter(answer.retry_after);
  return (undone || repeatable) && wait && *wait <= kLongestWait ? wait : std::nullopt;
}

class ClusterTransport final : public Transport {
 public:
  ClusterTransport(Server server, const ConnectOptions& options)
      : server_(std::move(server)),
        on_warning_(options.on_warning),
        tokens_(server_.config.token),
        slots_(static_cast<std::ptrdiff_t>(options.max_in_flight)),
        rest_(server_, options.max_response_bytes) {}

  Result<Response> Do(const Request& request) override {
    const SteadyTime deadline = std::chrono::steady_clock::now() + request.timeout;
    if (!slots_.try_acquire_until(deadline)) {
      return Describe(request, {Code::kTimeout, "too many calls are under way"});
    }
    auto response = DoInSlot(request, deadline);
    slots_.release();
    if (!response.ok()) {
      return Describe(request, response.error());
    }
    return response;
  }

  Status Stream(const Request& request, const LineSink& sink, std::stop_token stop) override {
    auto token = tokens_.Get();
    if (!token.ok()) {
      return Describe(request, token.error());
    }
    Status status = StreamLines(server_, request, *token, sink, stop);
    if (!status.ok() && status.error().code == Code::kUnauthorized && tokens_.Renew(*token)) {
      token = tokens_.Get();
      status = token.ok() ? StreamLines(server_, request, *token, sink, stop) : token.error();
    }
    if (!status.ok()) {
      return Describe(request, status.error());
    }
    return status;
  }

 private:
  static Error Describe(const Request& request, const Error& error) {
    return error.In(std::string(Name(request.method)) + " " + request.path);
  }

  Result<Response> DoInSlot(const Request& request, SteadyTime deadline) {
    bool renewed = false;
    for (int attempt = 0;; ++attempt) {
      ASSIGN_OR_RETURN(const std::string token, tokens_.Get());
      auto answer = rest_.Send(request, token, Until(deadline));
      if (answer.ok() && answer->status == 401 && !renewed && tokens_.Renew(token)) {
        renewed = true;
        continue;
      }
      const auto wait = answer.ok() ? RetryRefused(request, *answer)
                                    : RetryUnanswered(request, answer.error(), attempt);
      if (wait && attempt + 1 < kMaxAttempts && *wait < Until(deadline)) {
        std::this_thread::sleep_for(*wait);
        continue;
      }
      if (!answer.ok()) {
        return answer.error().In(server_.config.server);
      }
      return Conclude(std::move(answer).value());
    }
  }

  Result<Response> Conclude(RestClient::Answer answer) const {
    if (on_warning_) {
      for (const std::string& warning : ParseWarnings(answer.warning)) {
        on_warning_(warning);
      }
    }
    if (answer.status / 100 == 2) {
      return Response{answer.status, std::move(answer.body)};
    }
    Error error = ErrorFromAnswer(answer.status, answer.body);
    if (const auto wait = ParseRetryAfter(answer.retry_after)) {
      error.retry_after = wait;
    }
    return error;
  }

  const Server server_;
  const std::function<void(const std::string&)> on_warning_;
  TokenSource tokens_;
  std::counting_semaphore<> slots_;
  RestClient rest_;
};

}  // namespace

Result<std::unique_ptr<Transport>> Connect(const ClusterConfig& config,
                                           const ConnectOptions& options) {
  ASSIGN_OR_RETURN(const Endpoint endpoint, ParseEndpoint(config.server));
  if (endpoint.host.find(':') != std::string::npos) {
    return Error{Code::kInvalid, config.server +
                                     ": an IPv6 address cannot be used; give the server a name "
                                     "(tls-server-name is then the name in its certificate)"};
  }
  if (endpoint.tls) {
    TRY(CheckTls(config));
  }
  return std::unique_ptr<Transport>(
      std::make_unique<ClusterTransport>(Server{config, endpoint, options.user_agent}, options));
}

}  // namespace ballast::kube
