#include "operator/kube/http/connect.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include "api/base/printable.h"
#include "api/kubernetes/meta.h"
#include "operator/kube/auth/credentials.h"
#include "operator/kube/headers.h"
#include "operator/kube/http/api_endpoint.h"
#include "operator/kube/http/http_answer.h"
#include "operator/kube/http/kept_address.h"
#include "operator/kube/http/kept_connections.h"
#include "operator/kube/http/rest_client.h"
#include "operator/kube/http/send_once.h"
#include "operator/kube/http/stream_threads.h"
#include "operator/kube/http/tls.h"
#include "operator/kube/http/watch_stream.h"
#include "operator/kube/status_error.h"

namespace ballast::kube {
namespace {

using Milliseconds = std::chrono::milliseconds;
using SteadyTime = std::chrono::steady_clock::time_point;

constexpr Milliseconds kFirstRetry{100};    // doubled at each attempt
constexpr Milliseconds kLongestWait{2000};  // the caller waits longer ones
constexpr std::chrono::minutes kReadEvery{1};
constexpr const char* kEnding = "the program ends";
constexpr const char* kNoAnswer = "<error>";  // instead of a status code
constexpr std::size_t kMaxWarnings = 1000;    // that are remembered
constexpr std::size_t kMaxAuditId = 64;       // API servers generate shorter ones

bool IsWrite(const Request& request) { return request.method != Method::kGet; }

Milliseconds Until(SteadyTime deadline) {
  return std::max(
      std::chrono::duration_cast<Milliseconds>(deadline - std::chrono::steady_clock::now()),
      Milliseconds(0));
}

// How long to wait before sending the same GET again; nullopt if it must not be sent again.
std::optional<Milliseconds> Retry(const Result<HttpAnswer>& answer, int attempt) {
  if (!answer.ok()) {
    return answer.error().code == Code::kUnavailable ? std::optional(kFirstRetry * (1 << attempt))
                                                     : std::nullopt;
  }
  const auto wait = ParseRetryAfter(answer->retry_after);
  const bool repeatable = answer->status == 429 || answer->status >= 500;
  return repeatable && wait && *wait <= kLongestWait ? wait : std::nullopt;
}

class ClusterTransport final : public Transport {
 public:
  ClusterTransport(ApiEndpoint server, const ConnectOptions& options)
      : server_(std::move(server)),
        options_(options),
        credentials_(server_.config),
        kept_(*options.clock),
        slots_(static_cast<std::ptrdiff_t>(options.max_in_flight)) {}

  Result<Response> Do(const Request& request) override {
    if (options_.stop.stop_requested()) {
      return Describe(request, {IsWrite(request) ? Code::kNotSent : Code::kUnavailable, kEnding});
    }
    const SteadyTime deadline =
        std::min(std::chrono::steady_clock::now() + request.timeout, request.deadline);
    if (Until(deadline) == Milliseconds(0)) {
      return Describe(request, {IsWrite(request) ? Code::kNotSent : Code::kTimeout,
                                "there is no time left for it"});
    }
    if (!slots_.try_acquire_until(deadline)) {
      return Describe(request, {IsWrite(request) ? Code::kNotSent : Code::kTimeout,
                                "too many calls are under way"});
    }
    const auto release = [this](void*) { slots_.release(); };
    const std::unique_ptr<void, decltype(release)> slot(this, release);  // even if DoInSlot throws
    Answered answered;
    auto response = DoInSlot(request, deadline, answered);
    if (!response.ok()) {
      return Fail(request, response.error(), answered);
    }
    return response;
  }

  Status Stream(const Request& request, const LineSink& sink, std::stop_token stop) override {
    std::counting_semaphore<> changed(0);
    const std::function<void()> tell = [&changed] { changed.release(); };
    const auto stream = Begin(request, sink, std::move(stop), tell);
    for (;;) {
      if (const auto end = stream->End()) {
        return *end;
      }
      changed.acquire();
    }
  }

  std::unique_ptr<BegunStream> Begin(const Request& request, const LineSink& sink,
                                     std::stop_token stop,
                                     const std::function<void()>& changed) override {
    return std::make_unique<RunningStream>(*this, request, sink, std::move(stop), changed);
  }

 private:
  // The beginning of the server's last answer; status 0 if there was none.
  struct Answered {
    int status = 0;
    std::string audit_id;
  };

  // A stream, begun once more with other credentials if the server answers 401.
  class RunningStream final : public BegunStream {
   public:
    RunningStream(ClusterTransport& transport, const Request& request, const LineSink& sink,
                  std::stop_token stop, const std::function<void()>& changed)
        : transport_(transport),
          request_(request),
          sink_(sink),
          stop_(std::move(stop)),
          changed_(changed) {
      StartOnce();
    }

    std::optional<Status> End() override {
      {
        const std::lock_guard lock(mutex_);
        if (!end_) {
          return std::nullopt;
        }
      }
      if (answered_.status == 401 && !std::exchange(renewed_, true) &&
          transport_.credentials_.Renew(credentials_, Deadline())) {
        StartOnce();
        return End();
      }
      if (!end_->ok()) {
        return transport_.Fail(request_, end_->error(), answered_);
      }
      return *end_;
    }

   private:
    SteadyTime Deadline() const {
      return std::chrono::steady_clock::now() + transport_.options_.silence;
    }

    void StartOnce() {
      lines_.reset();
      end_.reset();
      answered_ = {};
      if (const Status started = TryToStart(); !started.ok()) {
        end_ = stop_.stop_requested() ? Status(Done{}) : started;
      }
    }

    Status TryToStart() {
      ASSIGN_OR_RETURN(credentials_, transport_.credentials_.Get(Deadline()));
      Status begun = Done{};
      try {
        begun = StartLines();
      } catch (const std::exception& problem) {
        begun = Error{Code::kInternal, std::string("the stream failed: ") + problem.what()};
      }
      return begun.ok() || stop_.stop_requested() ? begun : Unanswered(begun);
    }

    Status StartLines() {
      lines_.emplace(transport_.Threads(), transport_.ServerFor(credentials_),
                     StreamCall{request_, sink_, credentials_.token, transport_.options_.silence,
                                [this](int status, std::string_view audit_id) {
                                  answered_ = {status, std::string(audit_id)};
                                  transport_.CountStream(request_, std::to_string(status));
                                },
                                [this](Status end) { OnEnd(std::move(end)); }});
      return lines_->Start(stop_);
    }

    // Counts a stream without an answer, and names the server in its error.
    Status Unanswered(const Status& end) const {
      transport_.CountStream(request_, kNoAnswer);
      return end.error().In(transport_.server_.config.server);
    }

    void OnEnd(Status end) {
      if (!end.ok() && answered_.status == 0) {
        end = Unanswered(end);
      }
      {
        const std::lock_guard lock(mutex_);
        end_ = std::move(end);
      }
      changed_();
    }

    ClusterTransport& transport_;
    const Request& request_;
    const LineSink& sink_;
    const std::stop_token stop_;
    const std::function<void()>& changed_;
    bool renewed_ = false;
    Credentials credentials_;
    Answered answered_;  // of the stream's threads until it has ended
    std::mutex mutex_;   // guards: end_ while the stream runs
    std::optional<Status> end_;
    std::optional<LineStream> lines_;  // last: it calls OnEnd
  };

  StreamThreads& Threads() {
    const std::lock_guard lock(mutex_);
    if (threads_ == nullptr) {
      threads_ = std::make_unique<StreamThreads>();
    }
    return *threads_;
  }

  void CountStream(const Request& request, const std::string& code) const {
    options_.metrics.requests.With({code, Name(request.method), host_}).Add();
  }

  static std::string CallOf(const Request& request) {
    return std::string(Name(request.method)) + " " + request.path;
  }

  // Makes text from outside printable and names the call.
  static Error Describe(const Request& request, Error error) {
    error.message = Printable(error.message);
    return error.In(CallOf(request));
  }

  Error Fail(const Request& request, Error error, const Answered& answered) const {
    error = Describe(request, std::move(error));
    if (answered.status != 0) {
      options_.on_failure(
          {CallOf(request), answered.status, Printable(answered.audit_id, kMaxAuditId), error});
    }
    return error;
  }

  Result<Response> DoInSlot(const Request& request, SteadyTime deadline, Answered& answered) {
    bool renewed = false;
    for (int attempt = 0;; ++attempt) {
      const auto found = credentials_.Get(deadline);
      if (!found.ok()) {
        return IsWrite(request) ? Error{Code::kNotSent, found.error().message} : found.error();
      }
      const Credentials& credentials = *found;
      auto answer = Attempt(request, credentials, deadline);
      answered = answer.ok() ? Answered{answer->status, answer->audit_id} : Answered{};
      if (answer.ok() && answer->status == 401 && !renewed &&
          credentials_.Renew(credentials, deadline)) {
        renewed = true;
        continue;
      }
      const auto wait = IsWrite(request) ? std::nullopt : Retry(answer, attempt);
      if (wait && attempt + 1 < options_.max_attempts && *wait < Until(deadline) &&
          !options_.stop.stop_requested()) {
        options_.metrics.retries.With({CodeOf(answer), Name(request.method), host_}).Add();
        std::this_thread::sleep_for(*wait);
        continue;
      }
      if (!answer.ok()) {
        Error error = answer.error().In(server_.config.server);
        error.unanswered = error.code == Code::kTimeout || error.code == Code::kUnavailable;
        return error;
      }
      return Conclude(request, std::move(answer).value());
    }
  }

  // One exchange, counted and timed.
  Result<HttpAnswer> Attempt(const Request& request, const Credentials& credentials,
                             SteadyTime deadline) {
    const SteadyTime began = std::chrono::steady_clock::now();
    kept_.CloseOld();
    auto answer = IsWrite(request) ? Write(request, credentials, deadline)
                                   : Get(request, credentials, deadline);
    const std::chrono::duration<double> lasted = std::chrono::steady_clock::now() - began;
    options_.metrics.seconds.With({Name(request.method), host_}).Observe(lasted.count());
    options_.metrics.requests.With({CodeOf(answer), Name(request.method), host_}).Add();
    return answer;
  }

  // The lower one of the request's and the connection's.
  AnswerLimit Limit(const Request& request) const {
    AnswerLimit limit = request.limit;
    limit.bytes = std::min(limit.bytes, options_.max_response_bytes);
    return limit;
  }

  Result<HttpAnswer> Get(Request request, const Credentials& credentials, SteadyTime deadline) {
    ASSIGN_OR_RETURN(const auto address, server_.address->Get(deadline, options_.stop));
    const auto rest = RestFor(credentials, address.text);
    request.limit = Limit(request);
    auto answer = rest->Send(request, credentials.token, Until(deadline), options_.stop);
    if (!answer.ok()) {
      server_.address->Forget(address.text);
    }
    return answer;
  }

  Result<HttpAnswer> Write(Request request, const Credentials& credentials, SteadyTime deadline) {
    if (options_.api_server) {
      request.query.emplace_back("fieldManager", api::kFieldManager);
    }
    WriteCall call{request, credentials.token, deadline, options_.silence, Limit(request)};
    call.tells_time = options_.api_server;
    if (options_.before_write) {
      call.before_sending = options_.before_write;
    }
    return SendOnce(ServerFor(credentials), call, kept_);
  }

  static std::string CodeOf(const Result<HttpAnswer>& answer) {
    return answer.ok() ? std::to_string(answer->status) : kNoAnswer;
  }

  ApiEndpoint ServerFor(const Credentials& credentials) const {
    ApiEndpoint server = server_;
    server.config.client_certificate = credentials.client_certificate;
    server.config.client_key = credentials.client_key;
    return server;
  }

  // The client with connections to that address, made with the present certificates. If these
  // cannot be read or do not match, as in the middle of a rotation, the former client stays.
  std::shared_ptr<RestClient> RestFor(const Credentials& credentials, const std::string& address) {
    {
      const std::lock_guard lock(mutex_);
      if (rest_ != nullptr && address == rest_address_ &&
          credentials.client_certificate == certificate_ &&
          options_.clock->Steady() < read_again_) {
        return rest_;
      }
      read_again_ = options_.clock->Steady() + kReadEvery;  // meanwhile others use what there is
    }
    const ApiEndpoint server = ServerFor(credentials);
    const auto material = ReadTls(server.config);
    const std::lock_guard lock(mutex_);
    if (rest_ == nullptr || address != rest_address_ || (material.ok() && *material != material_)) {
      rest_ = std::make_shared<RestClient>(server, RestClientOptions{address, options_.silence});
      rest_address_ = address;
      certificate_ = credentials.client_certificate;
      material_ = material.ok() ? *material : "";
    }
    return rest_;
  }

  void Warn(const std::string& header) {
    for (const std::string& text : ParseWarnings(header)) {
      const std::string warning = Printable(text);
      const std::lock_guard lock(mutex_);
      if (warnings_.size() < kMaxWarnings && warnings_.insert(warning).second) {
        options_.on_warning(warning);
      }
    }
  }

  Result<Response> Conclude(const Request& request, HttpAnswer answer) {
    if (options_.on_warning) {
      Warn(answer.warning);
    }
    if (answer.status / 100 == 2 || request.any_status) {
      return Response{answer.status, std::move(answer.body)};
    }
    Error error = ErrorFromAnswer(answer.status, answer.body);
    if (const auto wait = ParseRetryAfter(answer.retry_after)) {
      error.retry_after = wait;
    }
    return error;
  }

  const ApiEndpoint server_;
  const ConnectOptions options_;
  const std::string host_ = server_.endpoint.Authority();
  CredentialSource credentials_;
  KeptConnections kept_;
  std::counting_semaphore<> slots_;

  std::mutex mutex_;  // guards: everything below
  std::shared_ptr<RestClient> rest_;
  Material certificate_;      // that rest_ was made with
  std::string material_;      // CA, certificate and key that rest_ was made with
  std::string rest_address_;  // the address that rest_ connects to
  SteadyTime read_again_{};   // certificates
  std::set<std::string> warnings_;
  std::unique_ptr<StreamThreads> threads_;  // null: there has been no stream
};

}  // namespace

Result<std::unique_ptr<Transport>> Connect(const ClusterConfig& config,
                                           const ConnectOptions& options) {
  ASSIGN_OR_RETURN(const Endpoint endpoint, ParseEndpoint(config.server));
  if (endpoint.tls) {
    TRY(ReadTls(config));
  }
  ApiEndpoint server{config, endpoint, std::nullopt, options.user_agent, nullptr};
  if (!config.proxy_url.empty()) {
    ASSIGN_OR_RETURN(server.proxy, ParseEndpoint(config.proxy_url));
  }
  server.address = std::make_shared<KeptAddress>(server.proxy.value_or(endpoint), options.resolve,
                                                 *options.clock);
  return std::unique_ptr<Transport>(std::make_unique<ClusterTransport>(std::move(server), options));
}

}  // namespace ballast::kube
