#include "operator/kube/connect.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <semaphore>
#include <set>
#include <thread>
#include <utility>

#include "operator/kube/answer.h"
#include "operator/kube/credentials.h"
#include "operator/kube/headers.h"
#include "operator/kube/rest_client.h"
#include "operator/kube/send_once.h"
#include "operator/kube/server.h"
#include "operator/kube/status_error.h"
#include "operator/kube/tls.h"
#include "operator/kube/watch_stream.h"

namespace ballast::kube {
namespace {

using Milliseconds = std::chrono::milliseconds;
using SteadyTime = std::chrono::steady_clock::time_point;

constexpr int kMaxAttempts = 4;
constexpr Milliseconds kFirstRetry{100};    // doubled at each attempt
constexpr Milliseconds kLongestWait{2000};  // longer ones are the caller's to wait
constexpr std::chrono::minutes kCertificateCheck{1};
constexpr const char* kNoAnswer = "<error>";  // instead of a status code
constexpr std::size_t kMaxWarnings = 1000;    // that are remembered

bool IsWrite(const Request& request) { return request.method != Method::kGet; }

Milliseconds Until(SteadyTime deadline) {
  return std::max(
      std::chrono::duration_cast<Milliseconds>(deadline - std::chrono::steady_clock::now()),
      Milliseconds(0));
}

// How long to wait before the same request is sent again; nullopt: it must not be.
std::optional<Milliseconds> RetryUnanswered(const Request& request, const Error& error,
                                            int attempt) {
  if (IsWrite(request) || error.code != Code::kUnavailable) {
    return std::nullopt;
  }
  return kFirstRetry * (1 << attempt);
}

std::optional<Milliseconds> RetryRefused(const Request& request, const Answer& answer) {
  const bool undone = answer.status == 429;
  const bool repeatable = !IsWrite(request) && answer.status >= 500;
  const auto wait = ParseRetryAfter(answer.retry_after);
  return (undone || repeatable) && wait && *wait <= kLongestWait ? wait : std::nullopt;
}

class ClusterTransport final : public Transport {
 public:
  ClusterTransport(Server server, const ConnectOptions& options)
      : server_(std::move(server)),
        options_(options),
        credentials_(server_.config),
        slots_(static_cast<std::ptrdiff_t>(options.max_in_flight)) {}

  Result<Response> Do(const Request& request) override {
    const SteadyTime deadline = std::chrono::steady_clock::now() + request.timeout;
    if (!slots_.try_acquire_until(deadline)) {
      return Describe(request, {IsWrite(request) ? Code::kNotSent : Code::kTimeout,
                                "too many calls are under way"});
    }
    auto response = DoInSlot(request, deadline);
    slots_.release();
    if (!response.ok()) {
      return Describe(request, response.error());
    }
    return response;
  }

  Status Stream(const Request& request, const LineSink& sink, std::stop_token stop) override {
    auto credentials = credentials_.Get();
    if (!credentials.ok()) {
      return Describe(request, credentials.error());
    }
    const auto run = [&]() -> Status {
      return credentials.ok() ? StreamOnce(request, *credentials, sink, stop) : credentials.error();
    };
    Status status = run();
    if (!status.ok() && status.error().code == Code::kUnauthorized &&
        credentials_.Renew(*credentials)) {
      credentials = credentials_.Get();
      status = run();
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
      const auto found = credentials_.Get();
      if (!found.ok()) {
        return IsWrite(request) ? Error{Code::kNotSent, found.error().message} : found.error();
      }
      const Credentials& credentials = *found;
      auto answer = Attempt(request, credentials, deadline);
      if (answer.ok() && answer->status == 401 && !renewed && credentials_.Renew(credentials)) {
        renewed = true;
        continue;
      }
      const auto wait = answer.ok() ? RetryRefused(request, *answer)
                                    : RetryUnanswered(request, answer.error(), attempt);
      if (wait && attempt + 1 < kMaxAttempts && *wait < Until(deadline)) {
        options_.metrics.retries.With({CodeOf(answer), Name(request.method), host_}).Add();
        std::this_thread::sleep_for(*wait);
        continue;
      }
      if (!answer.ok()) {
        return answer.error().In(server_.config.server);
      }
      return Conclude(std::move(answer).value());
    }
  }

  // Counted when the server begins to answer.
  Status StreamOnce(const Request& request, const Credentials& credentials, const LineSink& sink,
                    const std::stop_token& stop) {
    bool answered = false;
    const auto count = [&](const std::string& code) {
      options_.metrics.requests.With({code, Name(request.method), host_}).Add();
    };
    Status status = StreamLines(ServerFor(credentials),
                                {request, credentials.token, sink,
                                 [&](int code) {
                                   answered = true;
                                   count(std::to_string(code));
                                 }},
                                stop);
    if (!answered && !status.ok()) {
      count(kNoAnswer);
    }
    return status;
  }

  // One exchange, counted.
  Result<Answer> Attempt(const Request& request, const Credentials& credentials,
                         SteadyTime deadline) {
    const SteadyTime began = std::chrono::steady_clock::now();
    auto answer = IsWrite(request)
                      ? Write(request, credentials, deadline)
                      : RestFor(credentials)->Send(request, credentials.token, Until(deadline));
    const std::chrono::duration<double> lasted = std::chrono::steady_clock::now() - began;
    options_.metrics.seconds.With({Name(request.method), host_}).Observe(lasted.count());
    options_.metrics.requests.With({CodeOf(answer), Name(request.method), host_}).Add();
    return answer;
  }

  Result<Answer> Write(Request request, const Credentials& credentials, SteadyTime deadline) {
    request.query.emplace_back("fieldManager", kFieldManager);
    WriteCall call{request, credentials.token, deadline, options_.max_response_bytes};
    if (options_.before_write) {
      call.before_sending = options_.before_write;
    }
    return SendOnce(ServerFor(credentials), call);
  }

  static std::string CodeOf(const Result<Answer>& answer) {
    return answer.ok() ? std::to_string(answer->status) : kNoAnswer;
  }

  Server ServerFor(const Credentials& credentials) const {
    Server server = server_;
    server.config.client_certificate = credentials.client_certificate;
    server.config.client_key = credentials.client_key;
    return server;
  }

  // The client whose connections were made with the present certificates. What cannot be read or
  // does not fit together, as in the middle of a rotation, changes nothing.
  std::shared_ptr<RestClient> RestFor(const Credentials& credentials) {
    const std::lock_guard lock(mutex_);
    if (rest_ != nullptr && credentials.client_certificate == certificate_ &&
        options_.now() < look_again_) {
      return rest_;
    }
    look_again_ = options_.now() + kCertificateCheck;
    const Server server = ServerFor(credentials);
    const auto material = ReadTls(server.config);
    if (rest_ == nullptr || (material.ok() && *material != material_)) {
      rest_ = std::make_shared<RestClient>(server, options_.max_response_bytes);
      certificate_ = credentials.client_certificate;
      material_ = material.ok() ? *material : "";
    }
    return rest_;
  }

  void Warn(const std::string& header) {
    for (const std::string& warning : ParseWarnings(header)) {
      const std::lock_guard lock(mutex_);
      if (warnings_.size() < kMaxWarnings && warnings_.insert(warning).second) {
        options_.on_warning(warning);
      }
    }
  }

  Result<Response> Conclude(Answer answer) {
    if (options_.on_warning) {
      Warn(answer.warning);
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
  const ConnectOptions options_;
  const std::string host_ = server_.endpoint.Authority();
  CredentialSource credentials_;
  std::counting_semaphore<> slots_;

  std::mutex mutex_;  // guards: everything below
  std::shared_ptr<RestClient> rest_;
  Material certificate_;  // that rest_ was made with
  std::string material_;  // CA, certificate and key that rest_ was made with
  SteadyTime look_again_{};
  std::set<std::string> warnings_;
};

}  // namespace

Result<std::unique_ptr<Transport>> Connect(const ClusterConfig& config,
                                           const ConnectOptions& options) {
  ASSIGN_OR_RETURN(const Endpoint endpoint, ParseEndpoint(config.server));
  if (endpoint.tls) {
    TRY(ReadTls(config));
  }
  Server server{config, endpoint, std::nullopt, options.user_agent};
  if (!config.proxy_url.empty()) {
    ASSIGN_OR_RETURN(server.proxy, ParseEndpoint(config.proxy_url));
  }
  return std::unique_ptr<Transport>(std::make_unique<ClusterTransport>(std::move(server), options));
}

}  // namespace ballast::kube
