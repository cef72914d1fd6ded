#include "operator/kube/http/send_once.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

#include "operator/kube/headers.h"
#include "operator/kube/http/answer_parser.h"
#include "operator/kube/http/beast_message.h"
#include "operator/kube/http/connection.h"

namespace ballast::kube {
namespace {

namespace http = boost::beast::http;
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

Error Unanswered(const error_code& problem, const AnswerLimit& limit) {
  if (problem == http::error::body_limit) {
    return TooLarge(limit);
  }
  return StepFailed("no answer", problem);
}

// Sends the request over an open connection and reads the answer. `reusable` becomes whether the
// connection can take another request.
net::awaitable<Result<HttpAnswer>> Converse(Wire& wire,
                                            const http::request<http::string_body>& message,
                                            std::chrono::steady_clock::time_point deadline,
                                            const AnswerLimit& limit, bool& reusable) {
  error_code problem;
  wire.ExpireAt(deadline);
  const std::string text = PrintMessage(message);
  co_await wire.Write(text, problem);
  http::response_parser<http::string_body> parser;
  parser.body_limit(limit.bytes);
  parser.header_limit(kMaxHeader);
  AnswerParser reader(parser);
  if (!problem) {
    co_await reader.ReadAll(wire, problem);
  }
  if (problem) {
    co_return Unanswered(problem, limit);
  }
  reusable = parser.keep_alive() && !reader.has_rest();
  http::response<http::string_body> answer = parser.release();
  co_return HttpAnswer{.status = static_cast<int>(answer.result_int()),
                       .body = std::move(answer.body()),
                       .retry_after = Header(answer, http::field::retry_after),
                       .warning = Header(answer, http::field::warning),
                       .audit_id = Header(answer, kAuditId)};
}

net::awaitable<Result<HttpAnswer>> Send(Connection& connection, const ApiEndpoint& server,
                                        const WriteCall& call, bool& reusable) {
  if (!connection.is_open()) {
    if (const Status opened = co_await connection.Open(); !opened.ok()) {
      co_return Error{Code::kNotSent, opened.error().message};
    }
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
  if (call.tells_time) {
    timed.query.emplace_back("timeout", TimeoutOfServer(left));
  }
  auto message = Compose<http::string_body>(server, timed, call.token);
  if (!timed.body.empty()) {
    message.set(http::field::content_type, timed.content_type);
  }
  message.body() = std::move(timed.body);
  message.prepare_payload();
  co_return co_await Converse(connection.wire(), message, deadline, call.limit, reusable);
}

}  // namespace

Result<HttpAnswer> SendOnce(const ApiEndpoint& server, const WriteCall& call,
                            KeptConnections& kept) {
  try {
    KeptConnections::KeptConnection line = kept.Take(server);
    if (line.connection == nullptr) {
      line.connection = std::make_unique<OwnConnection>(server, call.step_timeout, call.deadline);
      if (const Status prepared = (*line.connection)->Prepare({}); !prepared.ok()) {
        return Error{Code::kNotSent, prepared.error().message};
      }
    }
    bool reusable = false;
    auto answer = line.connection->Run(Send(**line.connection, server, call, reusable));
    if (reusable) {
      kept.Keep(std::move(line));
    }
    return answer;
  } catch (const std::exception& problem) {
    return Error{Code::kInternal, std::string("the exchange failed: ") + problem.what()};
  }
}

}  // namespace ballast::kube
