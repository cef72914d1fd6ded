#include "operator/kube/send_once.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <utility>

#include "operator/kube/beast_message.h"
#include "operator/kube/connection.h"
#include "operator/kube/headers.h"

namespace ballast::kube {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
namespace net = boost::asio;
using boost::system::error_code;

constexpr std::chrono::milliseconds kServerTimeout{10'000};

// The server gets two thirds of the time left: the request has to reach it, and its answer us.
std::string TimeoutOfServer(std::chrono::milliseconds left) {
  const auto span = std::clamp(left * 2 / 3, std::chrono::milliseconds(1), kServerTimeout);
  return std::to_string(span.count()) + "ms";
}

std::string Header(const http::response<http::string_body>& answer, const auto& name) {
  const auto value = answer[name];
  return {value.data(), value.size()};
}

Error Unanswered(const error_code& problem, std::size_t max_bytes) {
  if (problem == http::error::body_limit) {
    return {Code::kCorrupt, "the answer is larger than " + std::to_string(max_bytes) + " bytes"};
  }
  return StepFailed("no answer", problem);
}

// Sends the request over an open connection and reads the answer.
template <typename Stream>
net::awaitable<Result<Answer>> Converse(Stream& stream,
                                        const http::request<http::string_body>& message,
                                        std::chrono::steady_clock::time_point deadline,
                                        std::size_t max_response_bytes) {
  error_code problem;
  beast::get_lowest_layer(stream).expires_at(deadline);
  co_await http::async_write(stream, message, net::redirect_error(net::use_awaitable, problem));
  http::response_parser<http::string_body> parser;
  parser.body_limit(max_response_bytes);
  parser.header_limit(kMaxHeader);
  beast::flat_buffer buffer(kBufferBytes);
  // In two steps, because in one Boost 1.74 overlooks a Content-Length beyond the limit.
  if (!problem) {
    co_await http::async_read_header(stream, buffer, parser,
                                     net::redirect_error(net::use_awaitable, problem));
  }
  if (!problem) {
    co_await http::async_read(stream, buffer, parser,
                              net::redirect_error(net::use_awaitable, problem));
  }
  if (problem) {
    co_return Unanswered(problem, max_response_bytes);
  }
  http::response<http::string_body> answer = parser.release();
  co_return Answer{.status = static_cast<int>(answer.result_int()),
                   .body = std::move(answer.body()),
                   .retry_after = Header(answer, http::field::retry_after),
                   .warning = Header(answer, http::field::warning),
                   .audit_id = Header(answer, kAuditId)};
}

net::awaitable<Result<Answer>> Send(Connection& connection, const Server& server,
                                    const WriteCall& call) {
  if (const Status opened = co_await connection.Open(); !opened.ok()) {
    co_return Error{Code::kNotSent, opened.error().message};
  }
  auto deadline = call.deadline;
  if (call.before_sending) {
    const auto leave = call.before_sending();
    if (!leave.ok()) {
      co_return leave.error();
    }
    deadline = std::min(deadline, *leave);
  }
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline - std::chrono::steady_clock::now());
  if (left.count() <= 0) {
    co_return Error{Code::kNotSent, "there is no time left to send it"};
  }
  Request timed = call.request;
  timed.query.emplace_back("timeout", TimeoutOfServer(left));
  auto message = Compose<http::string_body>(server, timed, call.token);
  message.set(http::field::connection, "close");
  if (!timed.body.empty()) {
    message.set(http::field::content_type, timed.content_type);
  }
  message.body() = std::move(timed.body);
  message.prepare_payload();
  co_return co_await connection.With<Result<Answer>>(
      [&](auto& stream) { return Converse(stream, message, deadline, call.max_response_bytes); });
}

}  // namespace

Result<Answer> SendOnce(const Server& server, const WriteCall& call) {
  try {
    Connection connection(server, call.patience, call.deadline);
    auto answer = connection.Run(Send(connection, server, call), {});
    return answer ? std::move(*answer)
                  : Result<Answer>(Error{Code::kInternal, "the exchange broke off"});
  } catch (const std::exception& problem) {
    return Error{Code::kInternal, std::string("the exchange failed: ") + problem.what()};
  }
}

}  // namespace ballast::kube
