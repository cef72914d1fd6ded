#include "operator/kube/status_error.h"

#include <gtest/gtest.h>

#include <string>

#include "operator/kube/answer_limit.h"

namespace ballast::kube {
namespace {

using namespace std::chrono_literals;

std::string StatusBody(int code, const char* reason, const char* details = "{}") {
  return std::string(
             R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":")") +
         reason + R"(","details":)" + details + R"(,"code":)" + std::to_string(code) + "}";
}

TEST(ErrorFromAnswer, TakesTheReasonFirst) {
  struct Case {
    int http;
    std::string body;
    Code code;
  };
  const Case cases[] = {
      {409, StatusBody(409, "Conflict"), Code::kConflict},
      {409, StatusBody(409, "AlreadyExists"), Code::kConflict},
      {404, StatusBody(404, "NotFound"), Code::kNotFound},
      {410, StatusBody(410, "Expired"), Code::kGone},
      {400, StatusBody(400, "Expired"), Code::kGone},
      {422, StatusBody(422, "Invalid"), Code::kInvalid},
      {403, StatusBody(403, "Forbidden"), Code::kForbidden},
      {401, StatusBody(401, "Unauthorized"), Code::kUnauthorized},
      {429, StatusBody(429, "TooManyRequests"), Code::kThrottled},
      {504, StatusBody(504, "Timeout"), Code::kTimeout},
      {500, StatusBody(500, "ServerTimeout"), Code::kTimeout},
      {500, StatusBody(500, "InternalError"), Code::kUnavailable},
      {418, StatusBody(418, "Teapot"), Code::kInvalid},
      {502, "<html>", Code::kUnavailable},
      {429, "", Code::kThrottled},
      {410, "gone", Code::kGone},
      {302, "", Code::kUnavailable},
      {404, "[1]", Code::kNotFound},
      {404, R"({"kind":7})", Code::kNotFound},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(ErrorFromAnswer(c.http, c.body).code, c.code) << c.http << " " << c.body;
  }
}

TEST(ErrorFromAnswer, TakesTheTextThatPrometheusGives) {
  const Error error = ErrorFromAnswer(
      422, R"({"status":"error","errorType":"execution","error":"many-to-many matching"})");
  EXPECT_EQ(error.code, Code::kInvalid);
  EXPECT_EQ(error.message, "HTTP 422: many-to-many matching");
}

TEST(ErrorFromAnswer, TellsAFailedTestOfAPatchFromAnInvalidObject) {
  // As answered by kube-apiserver 1.36.
  const Error failed = ErrorFromAnswer(
      422, R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":)"
           R"("the server rejected our request due to an error in our request",)"
           R"("reason":"Invalid","details":{},"code":422})");
  EXPECT_EQ(failed.code, Code::kConflict);

  const Error invalid = ErrorFromAnswer(
      422, StatusBody(422, "Invalid", R"({"causes":[{"message":"must be positive"}]})"));
  EXPECT_EQ(invalid.code, Code::kInvalid);
  EXPECT_EQ(invalid.message, "no; must be positive");
}

TEST(ErrorFromAnswer, KeepsRetryAfterAndShortensForeignBodies) {
  EXPECT_EQ(ErrorFromAnswer(429, StatusBody(429, "TooManyRequests", R"({"retryAfterSeconds":3})"))
                .retry_after,
            3s);
  EXPECT_EQ(ErrorFromAnswer(
                429, StatusBody(429, "TooManyRequests", R"({"retryAfterSeconds":2147483647})"))
                .retry_after,
            2min);
  EXPECT_LT(ErrorFromAnswer(502, std::string(100'000, 'x')).message.size(), 300U);
}

// An aggregated API may answer anything.
TEST(ErrorFromAnswer, ReadsNoStatusThatIsTooLarge) {
  std::string causes = R"({"message":"one"})";
  for (int i = 0; i < 10'000; ++i) {
    causes += ",{}";
  }
  const std::string details = R"({"causes":[)" + causes + R"(],"retryAfterSeconds":3})";
  for (const std::string& body :
       {StatusBody(500, "InternalError", details.c_str()),
        StatusBody(500, "InternalError") + std::string(kFailure.bytes, ' ')}) {
    const Error error = ErrorFromAnswer(500, body);
    EXPECT_EQ(error.code, Code::kUnavailable);
    EXPECT_EQ(error.message.rfind("HTTP 500: {", 0), 0U) << error.message;
    EXPECT_LT(error.message.size(), 300U);
  }
}

}  // namespace
}  // namespace ballast::kube
