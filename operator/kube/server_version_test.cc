#include "operator/kube/server_version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/fake_transport.h"

namespace ballast::kube {
namespace {

// What the function makes of that answer to GET /version.
Result<ServerVersion> Read(const Result<Response>& answer) {
  support::FakeTransport transport([&](const Request& request) -> Result<Response> {
    return request.method == Method::kGet && request.path == "/version"
               ? answer
               : Result<Response>(Error{Code::kNotFound, request.path});
  });
  return ReadServerVersion(transport);
}

TEST(ServerVersion, IsReadFromTheServer) {
  const struct {
    const char* body;
    int minor;
    const char* text;
  } kCases[] = {
      {R"({"major":"1","minor":"36","gitVersion":"v1.36.3","goVersion":"go1.26"})", 36, "v1.36.3"},
      {R"({"major":"1","minor":"29+","gitVersion":"v1.29.4-gke.1043002"})", 29,
       "v1.29.4-gke.1043002"},
      {R"({"major":"1","minor":"31+"})", 31, "v1.31+"},
      {R"({"major":"1","minor":"36","emulationMajor":"1","emulationMinor":"35",)"
       R"("gitVersion":"v1.36.3"})",
       35, "v1.36.3"},
  };
  for (const auto& c : kCases) {
    const auto version = Read(Response{200, c.body});
    ASSERT_TRUE(version.ok()) << c.body << ": " << version.error().message;
    EXPECT_EQ(version->minor, c.minor) << c.body;
    EXPECT_EQ(version->text, c.text) << c.body;
  }
}

TEST(ServerVersion, WhatIsNoVersionIsNamed) {
  const struct {
    const char* body;
    const char* message;
  } kCases[] = {
      {"<html>", "/version: not JSON"},
      {"[]", "/version: "},
      {R"({"gitVersion":"v1.36.3"})", "/version: major: is required"},
      {R"({"major":"1"})", "/version: minor: is required"},
      {R"({"major":1,"minor":36})", "/version: major: expected a string"},
      {R"({"major":"1","minor":"+"})", R"(major "1", minor "+" is no Kubernetes 1.x)"},
      {R"({"major":"1","minor":"-36"})", "is no Kubernetes 1.x"},
      {R"({"major":"1","minor":"99999999999"})", "is no Kubernetes 1.x"},
      {R"({"major":"2","minor":"36"})", "is no Kubernetes 1.x"},
  };
  for (const auto& c : kCases) {
    const auto version = Read(Response{200, c.body});
    ASSERT_FALSE(version.ok()) << c.body;
    EXPECT_EQ(version.error().code, Code::kCorrupt) << c.body;
    EXPECT_THAT(version.error().message, testing::HasSubstr(c.message)) << c.body;
  }
}

TEST(ServerVersion, AServerThatDoesNotAnswerIsAnError) {
  const auto version = Read(Error{Code::kForbidden, "not you"});
  ASSERT_FALSE(version.ok());
  EXPECT_EQ(version.error().code, Code::kForbidden);
}

}  // namespace
}  // namespace ballast::kube
