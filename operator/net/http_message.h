// HTTP requests and responses as handlers see them, without the connection between.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace ballast::net {

struct HttpRequest {
  std::string method;  // "GET"
  std::string path;    // "/readyz", as sent
  std::string query;   // "verbose=1", as sent; may be empty
  std::string content_type;
  std::string accept;
  std::string body;
  // From its first byte until the handler is called.
  std::chrono::milliseconds waited{0};
};

struct HttpResponse {
  int status = 200;
  std::string body;
  std::string content_type = "text/plain; charset=utf-8";
};

// An error response with the reason as its body.
inline HttpResponse Refuse(int status, std::string_view reason) {
  return {.status = status, .body = std::string(reason) + "\n"};
}

}  // namespace ballast::net
