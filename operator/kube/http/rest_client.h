// Sends GETs by cpprestsdk, which only rest_client.cc includes.
//
// rest_client.cc makes up for the library's traps: it bounds the number of threads and the size of
// bodies, observes every task's exception, trusts the configured CA only, and gives the whole call
// a deadline (the library's is one of inactivity). One trap remains: the library silently repeats a
// request on a pooled connection that died, so writes go another way (send_once.h).
//
// Thread-safety: any thread.
// Errors: kTimeout, kUnavailable, kCorrupt, kInvalid; see Send.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include "api/base/result.h"
#include "operator/kube/http/api_endpoint.h"
#include "operator/kube/http/http_answer.h"
#include "operator/kube/transport.h"

namespace ballast::kube {

struct RestClientOptions {
  std::string address;  // to connect to: the server's, or the proxy's in front of it
  // The longest silence from connecting to the first byte, and between any two. It also ends what
  // the library cannot cancel: waiting for a proxy that does not answer CONNECT.
  std::chrono::milliseconds silence;
};

class RestClient {
 public:
  RestClient(const ApiEndpoint& server, const RestClientOptions& options);
  ~RestClient();

  // A requested stop ends it soon, as kUnavailable. kTimeout: not complete within `timeout`, or
  // silent for too long. kUnavailable: no answer, with the reason in the message. kCorrupt: larger
  // than the request's limit. kInvalid: the library cannot send such a request.
  Result<HttpAnswer> Send(const Request& request, const std::string& token,
                          std::chrono::milliseconds timeout, const std::stop_token& stop);

 private:
  struct PooledClient;
  std::unique_ptr<PooledClient> client_;
  const ApiEndpoint server_;
};

}  // namespace ballast::kube
