// GETs by cpprestsdk, which only rest_client.cc includes.
//
// The library's traps are handled there: its threads are bounded, every task's fault is observed,
// only the configured CA is trusted, the whole call has a deadline (the library's own is one of
// inactivity), bodies are bounded. What remains: a request on a pooled connection that died is sent
// again silently, so writes go another way (send_once.h). Thread-safety: any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>

#include "api/base/result.h"
#include "operator/kube/http_answer.h"
#include "operator/kube/server.h"
#include "operator/kube/transport.h"

namespace ballast::kube {

struct RestClientOptions {
  std::string address;  // to connect to: the server's, or the proxy's before it
  std::size_t max_response_bytes;
  // From the beginning of the connection to the first byte, and between any two. It also ends what
  // the library cannot cancel: a proxy that does not answer CONNECT.
  std::chrono::milliseconds silence;
};

class RestClient {
 public:
  RestClient(const Server& server, const RestClientOptions& options);
  ~RestClient();

  // A stop ends it soon. kTimeout: not complete within `timeout`, or silent for too long.
  // kUnavailable: no answer, the reason in the message. kCorrupt: more than the maximum.
  Result<Answer> Send(const Request& request, const std::string& token,
                      std::chrono::milliseconds timeout, const std::stop_token& stop);

 private:
  struct Client;
  std::unique_ptr<Client> client_;
  const Server server_;
  const std::size_t max_response_bytes_;
};

}  // namespace ballast::kube
