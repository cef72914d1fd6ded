// The outcomes of a write: it is sent once or not at all, and the caller learns which.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "operator/kube/connect.h"
#include "tests/support/certificate_authority.h"
#include "tests/support/channel.h"
#include "tests/support/scripted_server.h"

namespace ballast::kube {
namespace {

using namespace std::chrono_literals;
using support::HttpConnection;
using support::HttpRequest;
using support::HttpServer;
using testing::HasSubstr;

Request Patch(std::chrono::milliseconds timeout = 15s) {
  return {.method = Method::kPatch,
          .path = "/scale",
          .body = "[]",
          .content_type = kContentJsonPatch,
          .timeout = timeout};
}

TEST(Write, ThatIsCutOffInItsAnswerIsNotSentAgain) {
  std::atomic<int> writes = 0;
  const HttpServer server([&](const HttpRequest&, HttpConnection& connection) {
    ++writes;
    connection.Write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{");
    connection.Break();
  });
  const auto response = Connect({.server = server.url()}).value()->Do(Patch());
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().code, Code::kUnavailable);
  EXPECT_EQ(writes, 1);
}

TEST(Write, TellsTheServerWhenToGiveUp) {
  support::Channel<std::string> targets;
  const HttpServer server([&](const HttpRequest& request, HttpConnection& connection) {
    targets.Push(request.target);
    connection.Respond(200, "{}");
  });
  const auto transport = Connect({.server = server.url()}).value();
  const auto told = [&](std::chrono::milliseconds timeout) {
    EXPECT_TRUE(transport->Do(Patch(timeout)).ok());
    const std::string target = targets.Pop().value_or("");
    const std::string name = "timeout=";
    EXPECT_THAT(target, testing::EndsWith("ms"));
    return std::chrono::milliseconds(std::stol("0" + target.substr(target.find(name) + 8)));
  };
  EXPECT_LE(told(15s), 10s);
  EXPECT_GT(told(15s), 5s);
  EXPECT_LE(told(3s), 2s) << "before our own deadline";
  EXPECT_GT(told(3s), 1s);
}

TEST(Write, WithoutAnAnswerEndsAtItsDeadline) {
  const HttpServer server(
      [](const HttpRequest&, HttpConnection& connection) { connection.AwaitClose(); });
  const auto response =
      Connect({.server = server.url()}).value()->Do(Patch(1s));  // it must be sent by then
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().code, Code::kTimeout);
}

// A leader whose lease ends then must have nothing under way afterwards.
TEST(Write, EndsWithTheLeaveToWrite) {
  support::Channel<std::string> targets;
  const HttpServer server([&](const HttpRequest& request, HttpConnection& connection) {
    targets.Push(request.target);
    connection.AwaitClose();
  });
  ConnectOptions options;
  options.before_write = []() -> Result<std::chrono::steady_clock::time_point> {
    return std::chrono::steady_clock::now() + 90ms;
  };
  const auto response = Connect({.server = server.url()}, options).value()->Do(Patch(1h));
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().code, Code::kTimeout);
  EXPECT_THAT(targets.Pop().value_or(""), testing::MatchesRegex(".*timeout=[1-6]?[0-9]ms"));
  options.before_write = []() -> Result<std::chrono::steady_clock::time_point> {
    return std::chrono::steady_clock::now();
  };
  EXPECT_EQ(Connect({.server = server.url()}, options).value()->Do(Patch()).error().code,
            Code::kNotSent);
  EXPECT_TRUE(targets.empty());
}

TEST(Write, AnAnswerTooLargeIsRefused) {
  const HttpServer server([](const HttpRequest&, HttpConnection& connection) {
    connection.Respond(200, std::string(100'000, 'x'));
  });
  const auto response =
      Connect({.server = server.url()}, {.max_response_bytes = 50'000}).value()->Do(Patch());
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().code, Code::kCorrupt);
}

// The write cannot have had an effect, and the error says so.
class NotSent : public testing::Test {
 protected:
  static void Expect(const Result<Response>& response, const std::string& why) {
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().code, Code::kNotSent) << response.error().message;
    EXPECT_THAT(response.error().message, HasSubstr(why));
  }
  static std::string Nowhere() {
    return HttpServer([](const HttpRequest&, HttpConnection&) {}).url();
  }
};

TEST_F(NotSent, NobodyListens) {
  Expect(Connect({.server = Nowhere()}).value()->Do(Patch()), "cannot connect: Connection refused");
}

TEST_F(NotSent, NoCredentials) {
  std::atomic<int> calls = 0;
  const HttpServer server([&](const HttpRequest&, HttpConnection&) { ++calls; });
  const ClusterConfig config{.server = server.url(), .token = {.file = "/nonexistent/token"}};
  Expect(Connect(config).value()->Do(Patch()), "/nonexistent/token");
  EXPECT_EQ(calls, 0);
}

TEST_F(NotSent, TooManyOthers) {
  support::Channel<int> arrived;
  support::Channel<int> answer;
  const HttpServer server([&](const HttpRequest&, HttpConnection& connection) {
    arrived.Push(1);
    answer.Pop();
    connection.Respond(200, "{}");
  });
  const auto transport = Connect({.server = server.url()}, {.max_in_flight = 1}).value();
  const std::jthread other([&] { EXPECT_TRUE(transport->Do(Patch()).ok()); });
  ASSERT_TRUE(arrived.Pop());
  Expect(transport->Do(Patch(50ms)), "too many calls are under way");
  answer.Push(1);
}

TEST_F(NotSent, TheServerIsNotTheOneMeant) {
  const support::CertificateAuthority ca;
  const support::CertificateAuthority other("another authority");
  std::atomic<int> calls = 0;
  const HttpServer server([&](const HttpRequest&, HttpConnection&) { ++calls; },
                          support::HttpServerTls{ca.Issue("server", {"IP:127.0.0.1"}), ""});
  const ClusterConfig config{.server = server.url(), .ca = {.text = other.certificate()}};
  Expect(Connect(config).value()->Do(Patch()), "certificate verify failed");
  EXPECT_EQ(calls, 0);
}

TEST_F(NotSent, TheProxyRefusesOrIsSilent) {
  const support::CertificateAuthority ca;
  const HttpServer refusing([](const HttpRequest&, HttpConnection& connection) {
    connection.Respond(403, "no");
    connection.Break();
  });
  const HttpServer silent(
      [](const HttpRequest&, HttpConnection& connection) { connection.AwaitClose(); });
  ClusterConfig config{
      .server = "https://api.test", .proxy_url = refusing.url(), .ca = {.text = ca.certificate()}};
  Expect(Connect(config).value()->Do(Patch()), "the proxy refuses: HTTP 403");
  config.proxy_url = silent.url();
  Expect(Connect(config).value()->Do(Patch(50ms)), "the proxy does not answer");
}

}  // namespace
}  // namespace ballast::kube
