// Transport: one HTTP exchange with an API server, a unary call or a stream of lines. Everything
// above uses this interface, and tests replace it with a fake; connect.h makes the real one.
//
// Calls block; controllers and informers bring their own threads. Only a stream can run without one
// (Begin). Answers other than 2xx are errors whose Code comes from the Status object in the body
// (status_error.h), unless the request asks for the answer as it is.
//
// Thread-safety: implementations must be callable from any number of threads at once.
// Errors: those of Do and Stream.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/base/result.h"
#include "operator/kube/answer_limit.h"

namespace ballast::kube {

enum class Method { kGet, kPost, kPut, kPatch, kDelete };

// "GET", "POST", ...
const char* Name(Method method);

inline constexpr const char* kContentJson = "application/json";
inline constexpr const char* kContentJsonPatch = "application/json-patch+json";
inline constexpr const char* kContentMergePatch = "application/merge-patch+json";
// Server-side apply. JSON is YAML.
inline constexpr const char* kContentApply = "application/apply-patch+yaml";
// Only the object's metadata; servers that do not support it send the whole object.
inline constexpr const char* kContentMetadata =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";

struct Request {
  Method method = Method::kGet;
  std::string path;                                          // escaped; see path.h
  std::vector<std::pair<std::string, std::string>> query;    // unescaped; escaped when sent
  std::vector<std::pair<std::string, std::string>> headers;  // besides the connection's own
  std::string body;
  std::string content_type = kContentJson;
  std::string accept = kContentJson;  // the content type of the answer
  // Do: for the whole call up to the last byte. Stream: the longest silence; the sink may change
  // it.
  std::chrono::milliseconds timeout = std::chrono::seconds(15);
  // Do: of what this call is a part of. Once it has passed, nothing is sent.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  // Do: whether an answer of any status is a Response. Otherwise one other than 2xx is an error.
  bool any_status = false;
  // Do: of the answer's body, if the connection's own limit is not lower. For who parses it, too.
  AnswerLimit limit = kOneObject;
};

struct Response {
  int status = 200;
  std::string body;
};

// Gets each complete line without its end. An error ends the stream and is returned by Stream.
using LineSink = std::function<Status(std::string_view line)>;

// A stream that was begun.
class BegunStream {
 public:
  // Ends it. Returns once its sink is not called any more.
  virtual ~BegunStream() = default;
  // How it ended, as Transport::Stream; nullopt: it goes on.
  virtual std::optional<Status> End() = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;

  // kTimeout: no complete answer in time, so the outcome of a write is unknown. kNotSent: a write
  // was not sent (no connection, no credentials, too many other calls) and has no effect.
  // kUnavailable: the server was not reached (GETs only), broke off, or failed (5xx). kCorrupt: the
  // answer is too large. kUnauthorized, kForbidden, kThrottled, kNotFound, kConflict, kGone,
  // kInvalid: the server's answer. Error::unanswered: there was none. A write reaches the server
  // once, or once more after a 401.
  virtual Result<Response> Do(const Request& request) = 0;

  // Sends a GET and passes each line of the answer to `sink`, on the calling thread: a slow sink
  // slows the server down. Done: the server ended the stream, or `stop` was requested. A last line
  // without an end is dropped. kTimeout: silent for longer than request.timeout. kCorrupt: a line
  // is too long.
  virtual Status Stream(const Request& request, const LineSink& sink, std::stop_token stop) = 0;

  // As Stream, but may return before the stream's end. Then the sink is called on another thread,
  // and so is `changed` whenever End() should be called; all arguments must outlive what is
  // returned. Begin and End may wait for a connection's name and credentials. This one calls
  // Stream.
  virtual std::unique_ptr<BegunStream> Begin(const Request& request, const LineSink& sink,
                                             std::stop_token stop,
                                             const std::function<void()>& changed);
};

}  // namespace ballast::kube
