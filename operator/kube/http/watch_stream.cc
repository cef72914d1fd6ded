#include "operator/kube/http/watch_stream.h"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <mutex>
#include <utility>

#include "operator/kube/headers.h"
#include "operator/kube/http/answer_parser.h"
#include "operator/kube/http/beast_message.h"
#include "operator/kube/http/connection.h"
#include "operator/kube/http/line_framer.h"
#include "operator/kube/http/stream_context.h"
#include "operator/kube/status_error.h"

namespace ballast::kube {
namespace {

namespace http = boost::beast::http;
namespace net = boost::asio;
using boost::system::error_code;
using Steady = std::chrono::steady_clock;

constexpr std::size_t kMaxLine = 16 * 1024 * 1024;
constexpr std::size_t kMaxErrorBody = 64 * 1024;

// Reads one answer from an open connection.
class StreamReader {
 public:
  StreamReader(Wire& wire, const StreamCall& call) : wire_(wire), call_(call) {
    // Not boost::none: in Boost 1.74 every Content-Length exceeds that.
    parser_.body_limit(std::numeric_limits<std::uint64_t>::max());
    parser_.header_limit(kMaxHeader);
  }

  net::awaitable<Status> Run(const http::request<http::empty_body>& message) {
    error_code problem;
    wire_.ExpireAt(Steady::now() + std::min(call_.first_byte, call_.request.timeout));
    const std::string text = PrintMessage(message);
    co_await wire_.Write(text, problem);
    if (problem) {
      co_return StepFailed("cannot send the request", problem);
    }
    while (!parser_.is_done()) {
      co_await wire_.AwaitInput(problem);
      if (!problem) {
        TakeSome(problem);
      }
      if (!status_.ok()) {
        co_return status_;
      }
      if (problem) {
        co_return StepFailed(parser_.is_header_done() ? "the stream broke off" : "no answer",
                             problem);
      }
      if (error_body_.size() >= kMaxErrorBody) {
        break;
      }
    }
    co_return refused_ ? Refusal() : Status(Done{});
  }

 private:
  void TakeSome(error_code& problem) {
    char body[4096];
    const auto provide = [&] {
      parser_.get().body().data = body;
      parser_.get().body().size = sizeof body;
    };
    provide();
    reader_.Take(wire_, problem, [&] {
      OnPiece({body, sizeof body - parser_.get().body().size});
      provide();
    });
    if (parser_.is_header_done()) {
      wire_.ExpireAt(Steady::now() + call_.request.timeout);
    }
  }

  void OnPiece(std::string_view bytes) {
    if (!answered_ && parser_.is_header_done()) {
      answered_ = true;
      const auto& answer = parser_.get();
      const auto audit_id = answer[kAuditId];
      call_.on_answer(static_cast<int>(answer.result_int()), {audit_id.data(), audit_id.size()});
      refused_ = http::to_status_class(answer.result_int()) != http::status_class::successful;
    }
    if (refused_) {
      error_body_ += bytes;
    } else if (status_.ok()) {
      status_ = framer_.Feed(bytes, call_.sink);
    }
  }

  Error Refusal() const {
    const auto& answer = parser_.get();
    Error error = ErrorFromAnswer(static_cast<int>(answer.result_int()), error_body_);
    const auto header = answer[http::field::retry_after];
    if (const auto wait = ParseRetryAfter({header.data(), header.size()})) {
      error.retry_after = wait;
    }
    return error;
  }

  Wire& wire_;
  const StreamCall& call_;
  http::response_parser<http::buffer_body> parser_;
  AnswerParser<http::response_parser<http::buffer_body>> reader_{parser_};
  LineFramer framer_{kMaxLine};
  bool answered_ = false;
  bool refused_ = false;
  std::string error_body_;
  Status status_ = Done{};  // the sink's
};

net::awaitable<Status> Converse(Connection& connection, const StreamCall& call) {
  if (Status opened = co_await connection.Open(); !opened.ok()) {
    co_return opened;
  }
  const auto message = Compose<http::empty_body>(connection.server(), call.request, call.token);
  StreamReader reader(connection.wire(), call);
  co_return co_await reader.Run(message);
}

}  // namespace

// Handlers that are posted keep it alive.
struct LineStream::StreamState {
  StreamState(StreamContext& threads, const ApiEndpoint& server, StreamCall stream_call)
      : call(std::move(stream_call)),
        executor(net::make_strand(threads.io)),
        connection(executor, server, call.first_byte) {}

  static net::awaitable<void> Run(StreamState* state) {
    try {
      state->end = co_await Converse(state->connection, state->call);
    } catch (const std::exception& problem) {
      state->end = Error{Code::kInternal, std::string("the stream failed: ") + problem.what()};
    }
  }

  void Finish(bool stopped) {
    connection.Close();
    call.on_end(stopped ? Status(Done{}) : end);
    const std::lock_guard lock(mutex);
    running = false;
    finished.notify_all();
  }

  const StreamCall call;
  const net::any_io_executor executor;
  Connection connection;
  Status end = Done{};
  std::mutex mutex;  // guards: running
  std::condition_variable finished;
  bool running = false;
};

LineStream::LineStream(StreamThreads& threads, const ApiEndpoint& server, StreamCall call)
    : state_(std::make_shared<StreamState>(threads.context(), server, std::move(call))) {}

LineStream::~LineStream() {
  on_stop_.reset();
  net::post(state_->executor, [state = state_] { state->connection.Close(); });
  std::unique_lock lock(state_->mutex);
  state_->finished.wait(lock, [this] { return !state_->running; });
}

Status LineStream::Start(const std::stop_token& stop) {
  TRY(state_->connection.Prepare(stop));
  {
    const std::lock_guard lock(state_->mutex);
    state_->running = true;
  }
  net::co_spawn(
      state_->executor, StreamState::Run(state_.get()),
      [state = state_, stop](const std::exception_ptr&) { state->Finish(stop.stop_requested()); });
  on_stop_.emplace(stop, [state = state_] {
    net::post(state->executor, [state] { state->connection.Close(); });
  });
  return Done{};
}

}  // namespace ballast::kube
