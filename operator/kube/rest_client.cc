#include "operator/kube/rest_client.h"

#include <openssl/ssl.h>

#include <atomic>
#include <future>
#include <utility>

#include "operator/kube/cpprest.h"
#include "operator/kube/tls.h"

namespace ballast::kube {
namespace {

namespace http = web::http;

constexpr std::size_t kThreads = 4;
// The library's own time-out is one of inactivity; ours bounds the whole call and is shorter.
constexpr std::chrono::hours kNoTimeout{24};
// How long a cancelled call may take to say so.
constexpr std::chrono::seconds kCancelled{2};

// Shared with the library's tasks, which may outlive the call.
struct Exchange {
  std::promise<Result<Answer>> done;
  pplx::cancellation_token_source cancel;
  std::atomic<bool> too_large = false;
};

std::string Header(const http::http_response& response, const char* name) {
  const auto found = response.headers().find(name);
  return found == response.headers().end() ? "" : found->second;
}

// The library makes 40 threads unless told before its first use. They are joined when the program
// ends, which has to be before OpenSSL cleans up, or their TLS state is used or leaked after that:
// so OpenSSL, which cleans up in the reverse order of initialization, comes first.
void PrepareOnce() {
  static const bool prepared = [] {
    OPENSSL_init_ssl(0, nullptr);
    crossplat::threadpool::initialize_with_threads(kThreads);
    return true;
  }();
  static_cast<void>(prepared);
}

// The library checks a certificate for what the Host header says, port and brackets included.
// ConfigureTls() has told OpenSSL what to expect, so that its verdict is the whole truth.
int VerifyByOpenSsl(X509_STORE_CTX* store, void*) {
  X509_STORE_CTX_set_verify_cb(store, [](int verdict, X509_STORE_CTX*) { return verdict; });
  return X509_verify_cert(store);
}

// Of a server that the library connects to. It hands the host to the resolver as it is, which knows
// no brackets; without them its last colon is taken for the port's.
std::string DirectUrl(const Endpoint& endpoint) {
  return (endpoint.tls ? "https://" : "http://") + endpoint.host + ":" + endpoint.port;
}

// Of a server that is asked for at a proxy.
std::string Url(const Endpoint& endpoint) {
  return (endpoint.tls ? "https://" : "http://") + endpoint.Authority();
}

http::client::http_client_config Configure(const Server& server) {
  PrepareOnce();
  http::client::http_client_config config;
  config.set_timeout(kNoTimeout);
  config.set_max_redirects(0);  // a token goes to the server it is meant for
  config.set_validate_certificates(!server.config.insecure_skip_tls_verify);
  config.set_tlsext_sni_enabled(!server.ExpectsAddress());
  if (server.proxy) {
    config.set_proxy(web::web_proxy(web::uri(DirectUrl(*server.proxy))));
  }
  // Called for each connection, so that new files are seen. On failure nobody is trusted and the
  // handshake fails; Connect() has told such problems before.
  config.set_ssl_context_callback([server](boost::asio::ssl::context& context) {
    SSL_CTX_set_cert_verify_callback(context.native_handle(), VerifyByOpenSsl, nullptr);
    static_cast<void>(ConfigureTls(context.native_handle(), server.config, server.ExpectedName()));
  });
  return config;
}

// The library keeps one value for a name, and writes a name, a colon and the value as it is: what
// more a name has goes into the value as lines. No value of ours has line breaks (IsHeaderText).
void AddHeaders(const std::vector<std::pair<std::string, std::string>>& all,
                http::http_headers& headers) {
  for (const auto& [name, value] : all) {
    if (const auto same = headers.find(name); same != headers.end()) {
      same->second.append("\r\n").append(name).append(":").append(value);
    } else {
      headers.add(name, value);
    }
  }
}

Error Unanswered(const Exchange& exchange, std::size_t max_bytes, const std::string& problem) {
  if (exchange.too_large) {
    return {Code::kCorrupt, "the answer is larger than " + std::to_string(max_bytes) + " bytes"};
  }
  return {Code::kUnavailable, "no answer: " + problem};
}

pplx::task<Answer> ReadAnswer(const http::http_response& response) {
  return response.extract_vector().then([response](const std::vector<unsigned char>& body) {
    return Answer{.status = response.status_code(),
                  .body = std::string(body.begin(), body.end()),
                  .retry_after = Header(response, "Retry-After"),
                  .warning = Header(response, "Warning")};
  });
}

}  // namespace

struct RestClient::Client {
  http::client::http_client http;
};

RestClient::RestClient(const Server& server, std::size_t max_response_bytes)
    : client_(new Client{
          {server.proxy ? Url(server.endpoint) : DirectUrl(server.endpoint), Configure(server)}}),
      server_(server),
      max_response_bytes_(max_response_bytes) {}

RestClient::~RestClient() = default;

Result<Answer> RestClient::Send(const Request& request, const std::string& token,
                                std::chrono::milliseconds timeout) {
  const auto exchange = std::make_shared<Exchange>();
  auto future = exchange->done.get_future();
  try {
    http::http_request message(Name(request.method));
    message.set_request_uri(PrintTarget(server_.endpoint, request));
    AddHeaders(server_.Headers(request, token), message.headers());
    if (!server_.config.tls_server_name.empty()) {
      message.headers().add("Host", server_.config.tls_server_name);  // and what TLS asks for
    } else if (server_.endpoint.IsIpv6()) {
      message.headers().add("Host", server_.endpoint.Authority());
    }
    message.set_progress_handler(
        [exchange = exchange.get(), max = max_response_bytes_](
            http::message_direction::direction direction, utility::size64_t bytes) {
          if (direction == http::message_direction::download && bytes > max) {
            exchange->too_large = true;
            exchange->cancel.cancel();
          }
        });
    // The last link observes every fault; an unobserved one would end the program.
    client_->http.request(message, exchange->cancel.get_token())
        .then(ReadAnswer)
        .then([exchange, max = max_response_bytes_](const pplx::task<Answer>& answer) {
          try {
            Answer whole = answer.get();
            // The cancellation may come too late to stop it.
            exchange->done.set_value(exchange->too_large
                                         ? Result<Answer>(Unanswered(*exchange, max, ""))
                                         : Result<Answer>(std::move(whole)));
          } catch (const std::exception& problem) {
            exchange->done.set_value(Unanswered(*exchange, max, problem.what()));
          }
        });
  } catch (const std::exception& problem) {
    return Error{Code::kInvalid, std::string("cannot send: ") + problem.what()};
  }

  if (future.wait_for(timeout) == std::future_status::ready) {
    return future.get();
  }
  exchange->cancel.cancel();
  future.wait_for(kCancelled);
  return Error{Code::kTimeout, "no answer within " + std::to_string(timeout.count()) + " ms"};
}

}  // namespace ballast::kube
