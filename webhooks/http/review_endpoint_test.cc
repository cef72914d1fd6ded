#include "webhooks/http/review_endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "webhooks/testing/test_review.h"

namespace ballast::webhooks {
namespace {

TEST(AnswerRequest, TellsBadRequestsFromRefusals) {
  FakeLookup lookup;
  const std::string good = ReviewJson("CREATE", PolicyJson(R"("maxReplicas":5)"));
  const std::string bad = ReviewJson("CREATE", PolicyJson(R"("maxReplicas":0)"));
  const struct {
    const char* method;
    const char* path;
    const char* content_type;
    std::string body;
    int status;
    const char* text;
  } kCases[] = {
      {"POST", "/validate", "application/json; charset=utf-8", good, 200, "\"allowed\":true"},
      {"POST", "/mutate", "application/json", good, 200, "\"patch\""},
      {"POST", "/validate", "application/json", bad, 200, "\"allowed\":false"},
      {"POST", "/", "application/json", good, 404, "/mutate and /validate"},
      {"GET", "/validate", "application/json", "", 405, "POST"},
      {"POST", "/validate", "application/x-protobuf", good, 400, "content type"},
      {"POST", "/validate", "application/json", "{", 400, "not JSON"},
      {"POST", "/validate", "application/json", "{}", 400, "admission.k8s.io/v1"},
  };
  for (const auto& c : kCases) {
    const net::HttpResponse response = AnswerRequest(
        {.method = c.method, .path = c.path, .content_type = c.content_type, .body = c.body},
        {lookup});
    EXPECT_EQ(response.status, c.status) << c.body.substr(0, 100);
    EXPECT_THAT(response.body, testing::HasSubstr(c.text));
  }
}

// The API server's time-out runs from when it sent the review.
TEST(AnswerRequest, WhatAReviewHasWaitedIsTakenOffTheLookUp) {
  using std::chrono::milliseconds;
  const struct {
    milliseconds waited;
    milliseconds left;
  } kCases[] = {{milliseconds(0), milliseconds(2000)},
                {milliseconds(700), milliseconds(1300)},
                {milliseconds(5000), milliseconds(0)}};
  for (const auto& c : kCases) {
    FakeLookup lookup;
    AnswerRequest({.method = "POST",
                   .path = "/validate",
                   .content_type = "application/json",
                   .body = ReviewJson("CREATE", PolicyJson(R"("maxReplicas":5)")),
                   .waited = c.waited},
                  {lookup});
    EXPECT_EQ(lookup.asked, 1);
    EXPECT_EQ(lookup.last_timeout.load(), c.left);
  }
}

}  // namespace
}  // namespace ballast::webhooks
