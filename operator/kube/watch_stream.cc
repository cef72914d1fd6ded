#include "operator/kube/watch_stream.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "operator/kube/beast_message.h"
#include "operator/kube/connection.h"
#include "operator/kube/headers.h"
#include "operator/kube/line_framer.h"
#include "operator/kube/status_error.h"

namespace ballast::kube {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
namespace net = boost::asio;
using boost::system::error_code;

constexpr std::size_t kMaxLine = 16 * 1024 * 1024;
constexpr std::size_t kMaxErrorBody = 64 * 1024;

// Reads one stream over a connected Stream: plain TCP or TLS.
template <typename Stream>
class Reader {
 public:
  Reader(Stream& stream, const StreamCall& call) : stream_(stream), call_(call) {
    // Not boost::none: in Boost 1.74 every Content-Length exceeds that.
    parser_.body_limit(std::numeric_limits<std::uint64_t>::max());
    parser_.header_limit(kMaxHeader);
  }

  net::awaitable<Status> Run(const http::request<http::empty_body>& message) {
    error_code problem;
    beast::get_lowest_layer(stream_).expires_after(
        std::min(call_.first_byte, call_.request.timeout));
    co_await http::async_write(stream_, message, net::redirect_error(net::use_awaitable, problem));
    if (problem) {
      co_return StepFailed("cannot send the request", problem);
    }
    co_await http::async_read_header(stream_, buffer_, parser_,
                                     net::redirect_error(net::use_awaitable, problem));
    if (problem) {
      co_return StepFailed("no answer", problem);
    }
    const auto audit_id = parser_.get()[kAuditId];
    call_.on_answer(static_cast<int>(parser_.get().result_int()),
                    {audit_id.data(), audit_id.size()});
    if (http::to_status_class(parser_.get().result_int()) != http::status_class::successful) {
      co_return co_await ReadError();
    }
    LineFramer framer(kMaxLine);
    while (!parser_.is_done()) {
      const std::string_view bytes = co_await ReadSome(problem);
      if (const Status status = framer.Feed(bytes, call_.sink); !status.ok()) {
        co_return status;
      }
      if (problem) {
        co_return StepFailed("the stream broke off", problem);
      }
    }
    co_return Done{};
  }

 private:
  // The bytes that have arrived; none only if the stream ends or breaks off.
  net::awaitable<std::string_view> ReadSome(error_code& problem) {
    parser_.get().body().data = chunk_.data();
    parser_.get().body().size = chunk_.size();
    beast::get_lowest_layer(stream_).expires_after(call_.request.timeout);
    co_await http::async_read_some(stream_, buffer_, parser_,
                                   net::redirect_error(net::use_awaitable, problem));
    if (problem == http::error::need_buffer) {
      problem = {};
    }
    co_return std::string_view(chunk_.data(), chunk_.size() - parser_.get().body().size);
  }

  net::awaitable<Status> ReadError() {
    std::string body;
    error_code problem;
    while (!parser_.is_done() && !problem && body.size() < kMaxErrorBody) {
      body += co_await ReadSome(problem);
    }
    const auto& answer = parser_.get();
    Error error = ErrorFromAnswer(static_cast<int>(answer.result_int()), body);
    const auto header = answer[http::field::retry_after];
    if (const auto wait = ParseRetryAfter({header.data(), header.size()})) {
      error.retry_after = wait;
    }
    co_return error;
  }

  Stream& stream_;
  const StreamCall& call_;
  beast::flat_static_buffer<kBufferBytes> buffer_;
  std::array<char, kBufferBytes> chunk_;
  http::response_parser<http::buffer_body> parser_;
};

net::awaitable<Status> Run(Connection& connection, const Server& server, const StreamCall& call) {
  if (Status opened = co_await connection.Open(); !opened.ok()) {
    co_return opened;
  }
  const auto message = Compose<http::empty_body>(server, call.request, call.token);
  co_return co_await connection.With<Status>([&](auto& stream) -> net::awaitable<Status> {
    Reader reader(stream, call);
    co_return co_await reader.Run(message);
  });
}

}  // namespace

Status StreamLines(const Server& server, const StreamCall& call, std::stop_token stop) {
  try {
    Connection connection(server, call.first_byte);
    return connection.Run(Run(connection, server, call), stop).value_or(Status(Done{}));
  } catch (const std::exception& problem) {
    return Error{Code::kInternal, std::string("the stream failed: ") + problem.what()};
  }
}

}  // namespace ballast::kube
