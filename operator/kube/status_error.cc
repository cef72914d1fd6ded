#include "operator/kube/status_error.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "operator/kube/answer_limit.h"
#include "operator/kube/headers.h"

namespace ballast::kube {
namespace {

constexpr std::size_t kShownBody = 200;
constexpr const char* kNotApplied =
    "the server rejected our request due to an error in our request";

std::optional<Code> CodeOfReason(std::string_view reason) {
  struct Row {
    std::string_view reason;
    Code code;
  };
  static constexpr Row kRows[] = {
      {"Unauthorized", Code::kUnauthorized},
      {"Forbidden", Code::kForbidden},
      {"NotFound", Code::kNotFound},
      {"AlreadyExists", Code::kConflict},
      {"Conflict", Code::kConflict},
      {"Gone", Code::kGone},
      {"Expired", Code::kGone},
      {"Invalid", Code::kInvalid},
      {"BadRequest", Code::kInvalid},
      {"MethodNotAllowed", Code::kInvalid},
      {"NotAcceptable", Code::kInvalid},
      {"UnsupportedMediaType", Code::kInvalid},
      {"RequestEntityTooLarge", Code::kInvalid},
      {"TooManyRequests", Code::kThrottled},
      {"ServerTimeout", Code::kTimeout},
      {"Timeout", Code::kTimeout},
      {"InternalError", Code::kUnavailable},
      {"ServiceUnavailable", Code::kUnavailable},
      {"StoreReadError", Code::kUnavailable},
  };
  for (const Row& row : kRows) {
    if (row.reason == reason) {
      return row.code;
    }
  }
  return std::nullopt;
}

Code CodeOfHttp(int status) {
  switch (status) {
    case 401:
      return Code::kUnauthorized;
    case 403:
      return Code::kForbidden;
    case 404:
      return Code::kNotFound;
    case 409:
      return Code::kConflict;
    case 410:
      return Code::kGone;
    case 408:
    case 504:
      return Code::kTimeout;
    case 429:
      return Code::kThrottled;
    default:
      return status >= 400 && status < 500 ? Code::kInvalid : Code::kUnavailable;
  }
}

}  // namespace

Error ErrorFromStatus(const json::Cursor& status, int http_status) {
  std::int32_t code = http_status;
  status.Member("code").Read(code);
  Error error{CodeOfReason(status.Member("reason").Text()).value_or(CodeOfHttp(code)), ""};
  error.message = status.Member("message").Text();
  if (error.message.empty()) {
    error.message = "HTTP " + std::to_string(code);
  }
  const json::Cursor details = status.Member("details");
  for (const json::Cursor& cause : details.Member("causes").Elements()) {
    const std::string_view text = cause.Member("message").Text();
    if (!text.empty() && error.message.find(text) == std::string::npos) {
      error.message += "; " + std::string(text);
    }
  }
  // The server's message for a JSON Patch that is well-formed but does not apply. An object that is
  // invalid after the patch has causes and another message.
  if (code == 422 && error.message == kNotApplied) {
    error = {Code::kConflict, "a test of the patch failed, or what it changes is not there"};
  }
  std::int32_t seconds = 0;
  if (details.Member("retryAfterSeconds").Read(seconds) && seconds > 0) {
    error.retry_after =
        std::min<std::chrono::seconds>(std::chrono::seconds(seconds), kLongestRetryAfter);
  }
  return error;
}

Error ErrorFromAnswer(int http_status, std::string_view body) {
  const auto document = body.size() > kFailure.bytes ? Result<json::Document>(TooLarge(kFailure))
                                                     : ParseAnswer(body, kFailure);
  if (document.ok()) {
    json::Decoder decoder(*document);
    if (decoder.root().IsObject() && decoder.root().Member("kind").Text() == "Status") {
      return ErrorFromStatus(decoder.root(), http_status);
    }
    if (decoder.root().IsObject()) {  // as Prometheus answers
      if (const std::string_view text = decoder.root().Member("error").Text(); !text.empty()) {
        return {CodeOfHttp(http_status),
                "HTTP " + std::to_string(http_status) + ": " + std::string(text)};
      }
    }
  }
  std::string message = "HTTP " + std::to_string(http_status);
  if (!body.empty()) {
    message += ": " + std::string(body.substr(0, kShownBody));
  }
  return {CodeOfHttp(http_status), message};
}

}  // namespace ballast::kube
