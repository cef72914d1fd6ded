#include "operator/kube/http/rest_client.h"

#include <openssl/ssl.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <utility>

#include "operator/kube/headers.h"
#include "operator/kube/http/cpprest.h"
#include "operator/kube/http/tls.h"
#include "operator/os/thread_name.h"

namespace ballast::kube {
namespace {

namespace http = web::http;

constexpr std::size_t kThreads = 4;
// How long a cancelled call may take to end.
constexpr std::chrono::seconds kCancelled{2};

// Shared with the library's tasks, which may outlive the call.
struct Exchange {
  std::promise<Result<HttpAnswer>> done;
  pplx::cancellation_token_source cancel;
  std::atomic<bool> too_large = false;
};

std::string Header(const http::http_response& response, const char* name) {
  const auto found = response.headers().find(name);
  return found == response.headers().end() ? "" : found->second;
}

// The library starts 40 threads unless configured before its first use. It joins them when the
// program exits, which must be before OpenSSL cleans up, or their TLS state is used or leaked
// afterwards. So OpenSSL, which cleans up in the reverse order of initialization, is initialized
// first.
void PrepareOnce() {
  static const bool prepared = [] {
    OPENSSL_init_ssl(0, nullptr);
    const os::NameForNewThreads name("calls");
    crossplat::threadpool::initialize_with_threads(kThreads);
    return true;
  }();
  static_cast<void>(prepared);
}

// The library would check the certificate against the Host header, port and brackets included.
// Instead OpenSSL's verdict alone decides: ConfigureTls() has set the expected name.
int VerifyByOpenSsl(X509_STORE_CTX* store, void*) {
  X509_STORE_CTX_set_verify_cb(store, [](int verdict, X509_STORE_CTX*) { return verdict; });
  return X509_verify_cert(store);
}

// The URL that the library connects to. It passes the host to the resolver as it is, which knows no
// brackets; without them it takes the last colon for the port's.
std::string DirectUrl(const Endpoint& endpoint, const std::string& address) {
  return (endpoint.tls ? "https://" : "http://") + address + ":" + endpoint.port;
}

// The URL of a server behind a proxy.
std::string Url(const Endpoint& endpoint) {
  return (endpoint.tls ? "https://" : "http://") + endpoint.Authority();
}

http::client::http_client_config Configure(const ApiEndpoint& server,
                                           const RestClientOptions& options) {
  PrepareOnce();
  http::client::http_client_config config;
  config.set_timeout(options.silence);
  config.set_max_redirects(0);  // a token must not follow a redirect
  config.set_validate_certificates(!server.config.insecure_skip_tls_verify);
  config.set_tlsext_sni_enabled(false);  // ConfigureTls() sets it
  if (server.proxy) {
    config.set_proxy(web::web_proxy(web::uri(DirectUrl(*server.proxy, options.address))));
  }
  // Called for each connection, so that new files are used. After an error here the handshake
  // fails; Connect() has reported such errors before.
  config.set_ssl_context_callback([server](boost::asio::ssl::context& context) {
    SSL_CTX_set_cert_verify_callback(context.native_handle(), VerifyByOpenSsl, nullptr);
    static_cast<void>(ConfigureTls(context.native_handle(), server.config, server.ExpectedName()));
  });
  return config;
}

// The library keeps one value for each name and writes name, colon and value as they are. So
// further values are appended to the first as lines of their own. Our values contain no line breaks
// (IsHeaderText).
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

Error Unanswered(const std::exception& problem) {
  const auto* const http = dynamic_cast<const http::http_exception*>(&problem);
  const bool silent = http != nullptr && http->error_code() == std::errc::timed_out;
  return {silent ? Code::kTimeout : Code::kUnavailable,
          std::string("no answer: ") + (silent ? "nothing came in time" : problem.what())};
}

pplx::task<HttpAnswer> ReadAnswer(const http::http_response& response) {
  return response.extract_vector().then([response](const std::vector<unsigned char>& body) {
    return HttpAnswer{.status = response.status_code(),
                      .body = std::string(body.begin(), body.end()),
                      .retry_after = Header(response, "Retry-After"),
                      .warning = Header(response, "Warning"),
                      .audit_id = Header(response, kAuditId)};
  });
}

}  // namespace

struct RestClient::PooledClient {
  http::client::http_client http;
};

RestClient::RestClient(const ApiEndpoint& server, const RestClientOptions& options)
    : client_(new PooledClient{
          {server.proxy ? Url(server.endpoint) : DirectUrl(server.endpoint, options.address),
           Configure(server, options)}}),
      server_(server) {}

RestClient::~RestClient() = default;

Result<HttpAnswer> RestClient::Send(const Request& request, const std::string& token,
                                    std::chrono::milliseconds timeout,
                                    const std::stop_token& stop) {
  const AnswerLimit limit = request.limit;
  const auto exchange = std::make_shared<Exchange>();
  auto future = exchange->done.get_future();
  try {
    http::http_request message(Name(request.method));
    message.set_request_uri(PrintTarget(server_.endpoint, request));
    AddHeaders(server_.Headers(request, token), message.headers());
    message.headers().add("Host", server_.endpoint.HostHeader());
    message.set_progress_handler(
        [exchange = exchange.get(), max = limit.bytes](http::message_direction::direction direction,
                                                       utility::size64_t bytes) {
          if (direction == http::message_direction::download && bytes > max) {
            exchange->too_large = true;
            exchange->cancel.cancel();
          }
        });
    // The last continuation observes every exception; an unobserved one would end the program.
    client_->http.request(message, exchange->cancel.get_token())
        .then(ReadAnswer)
        .then([exchange, limit](const pplx::task<HttpAnswer>& answer) {
          try {
            HttpAnswer whole = answer.get();
            // The cancellation may come too late to stop the call.
            exchange->done.set_value(exchange->too_large ? Result<HttpAnswer>(TooLarge(limit))
                                                         : Result<HttpAnswer>(std::move(whole)));
          } catch (const std::exception& problem) {
            exchange->done.set_value(exchange->too_large ? TooLarge(limit) : Unanswered(problem));
          }
        });
  } catch (const std::exception& problem) {
    return Error{Code::kInvalid, std::string("cannot send: ") + problem.what()};
  }

  const std::stop_callback on_stop(stop, [&exchange] { exchange->cancel.cancel(); });
  if (future.wait_for(timeout) == std::future_status::ready) {
    return future.get();
  }
  exchange->cancel.cancel();
  future.wait_for(kCancelled);
  return Error{Code::kTimeout, "no answer within " + std::to_string(timeout.count()) + " ms"};
}

}  // namespace ballast::kube
