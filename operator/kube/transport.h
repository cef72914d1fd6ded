// One HTTP exchange with an API server, as everything above it sees it: a unary call, or a stream
// of lines. The seam at which tests put a fake.
//
// Calls block; controllers and informers bring their own threads. Answers other than 2xx are errors
// whose Code comes from the Status object in the body (status_error.h). Implementations are safe to
// call from many threads at once; connect.h makes the real one.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/base/result.h"

namespace ballast::kube {

enum class Method { kGet, kPost, kPut, kPatch, kDelete };

// "GET", "POST", ...
const char* Name(Method method);

inline constexpr const char* kContentJson = "application/json";
inline constexpr const char* kContentJsonPatch = "application/json-patch+json";
inline constexpr const char* kContentMergePatch = "application/merge-patch+json";
// An object's metadata alone; the whole object from servers that cannot leave the rest out.
inline constexpr const char* kContentMetadata =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";

// Under which name our writes appear in managedFields.
inline constexpr const char* kFieldManager = "ballast";

struct Request {
  Method method = Method::kGet;
  std::string path;                                        // escaped; see path.h
  std::vector<std::pair<std::string, std::string>> query;  // as meant; escaped when sent
  std::string body;
  std::string content_type = kContentJson;
  std::string accept = kContentJson;  // in which form the answer is wanted
  // Do: the whole call, to the last byte. Stream: the longest silence; the sink may change it.
  std::chrono::milliseconds timeout = std::chrono::seconds(15);
};

struct Response {
  int status = 200;
  std::string body;
};

// Gets each complete line without its end. An error ends the stream and is what Stream returns.
using LineSink = std::function<Status(std::string_view line)>;

class Transport {
 public:
  virtual ~Transport() = default;

  // kTimeout: no whole answer in time, so the outcome of a write is unknown. kNotSent, of a write:
  // it never left (no connection, no credentials, too many others), so nothing came of it.
  // kUnavailable: the server was not reached (of a GET), broke off, or failed (5xx). kUnauthorized,
  // kForbidden, kThrottled, kNotFound, kConflict, kGone, kInvalid: what the server said.
  // A write reaches the server once, or once more after it said 401.
  virtual Result<Response> Do(const Request& request) = 0;

  // Sends a GET and hands each line of the answer to `sink`, on the calling thread: a slow sink
  // slows the server down. Done: the server ended the stream, or `stop` was requested. A last line
  // without an end is dropped. kTimeout: silent for longer than request.timeout.
  virtual Status Stream(const Request& request, const LineSink& sink, std::stop_token stop) = 0;
};

}  // namespace ballast::kube
