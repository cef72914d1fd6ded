#include "operator/kube/http/connection.h"

#include <algorithm>
#include <string>
#include <utility>

#include "operator/kube/http/answer_parser.h"
#include "operator/kube/http/beast_message.h"

namespace ballast::kube {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
namespace net = boost::asio;
using boost::system::error_code;

// As StepFailed, but always kUnavailable: the server was not reached.
Error Unreached(const char* step, const error_code& problem) {
  return {Code::kUnavailable, StepFailed(step, problem).message};
}

}  // namespace

Error StepFailed(const char* step, const error_code& problem) {
  const bool silent = problem == beast::error::timeout;
  return {silent ? Code::kTimeout : Code::kUnavailable,
          std::string(step) + ": " + (silent ? "nothing came in time" : problem.message())};
}

bool Connection::Serves(const ApiEndpoint& server) const {
  return server.config.client_certificate == server_.config.client_certificate &&
         server.config.client_key == server_.config.client_key;
}

Connection::SteadyTime Connection::StepDeadline() const {
  return std::min(std::chrono::steady_clock::now() + step_timeout_, deadline_);
}

void Connection::Close() {
  if (is_open()) {
    wire_->Close();
  }
}

Status Connection::Prepare(const std::stop_token& stop) {
  if (server_.endpoint.tls) {
    ASSIGN_OR_RETURN(tls_, server_.tls->Get(server_.config, server_.ExpectedName()));
  }
  ASSIGN_OR_RETURN(address_, server_.address->Get(StepDeadline(), stop));
  return Done{};
}

Connection::Awaitable<Status> Connection::Open() {
  Status status = co_await ConnectTcp();
  if (status.ok() && tls_ != nullptr && server_.proxy) {
    status = co_await OpenTunnel();
  }
  if (status.ok() && tls_ != nullptr) {
    status = co_await Handshake();
  }
  if (!status.ok()) {
    server_.address->Forget(address_.text);
  }
  co_return status;
}

// Connects to the server, or to the proxy in front of it.
Connection::Awaitable<Status> Connection::ConnectTcp() {
  const net::ip::tcp::endpoint peer(net::ip::make_address(address_.text),
                                    server_.address->server().PortNumber());
  error_code problem;
  wire_ = std::make_shared<Wire>(executor_);
  wire_->ExpireAt(std::min(StepDeadline(), std::chrono::steady_clock::now() + address_.patience));
  co_await wire_->Connect(peer, problem);
  if (problem) {
    co_return Unreached("cannot connect", problem);
  }
  co_return Done{};
}

// Has the proxy open a tunnel to the server.
Connection::Awaitable<Status> Connection::OpenTunnel() {
  const std::string authority = server_.endpoint.Authority();
  http::request<http::empty_body> message(http::verb::connect, authority, 11);
  message.set(http::field::host, authority);
  message.set(http::field::user_agent, server_.user_agent);
  const std::string text = PrintMessage(message);
  error_code problem;
  wire_->ExpireAt(StepDeadline());
  co_await wire_->Write(text, problem);
  http::response_parser<http::empty_body> answer;
  answer.header_limit(kMaxHeader);
  answer.skip(true);
  AnswerParser parser(answer);
  if (!problem) {
    co_await parser.ReadAll(*wire_, problem);
  }
  if (problem) {
    co_return Unreached("the proxy does not answer", problem);
  }
  if (http::to_status_class(answer.get().result_int()) != http::status_class::successful) {
    co_return Error{Code::kUnavailable,
                    "the proxy refuses: HTTP " + std::to_string(answer.get().result_int())};
  }
  co_return Done{};
}

Connection::Awaitable<Status> Connection::Handshake() {
  error_code problem;
  wire_->ExpireAt(StepDeadline());
  co_await wire_->Encrypt(tls_.get(), !server_.config.insecure_skip_tls_verify, problem);
  if (problem) {
    co_return Unreached("TLS handshake", problem);
  }
  co_return Done{};
}

}  // namespace ballast::kube
