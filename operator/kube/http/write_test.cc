// The outcomes of a write: it is sent once or not at all, and the caller learns which.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "operator/kube/http/connect.h"
#include "tests/support/certificate_authority.h"
#include "tests/support/channel.h"
#include "tests/support/fake_clock.h"
#include "tests/support/growing_limit.h"
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

// Answers each write with how many it has had on this connection, and Connection: close to
// "/close".
class Writes : public testing::Test {
 protected:
  std::string Write(const std::string& path = "/scale") {
    Request patch = Patch();
    patch.path = path;
    const auto response = transport_->Do(patch);
    return response.ok() ? response->body : response.error().message;
  }

  support::FakeClock clock_;
  support::Channel<bool> answered_;
  const HttpServer server_{[this](const HttpRequest& request, HttpConnection& connection) {
    static thread_local int writes = 0;
    connection.Respond(200, std::to_string(++writes),
                       request.target.starts_with("/close") ? "Connection: close\r\n" : "");
    if (request.target.starts_with("/break")) {
      connection.Break();
      answered_.Push(true);
    }
  }};
  const std::unique_ptr<Transport> transport_ =
      Connect({.server = server_.url()}, {.clock = &clock_}).value();
};

TEST_F(Writes, UseAConnectionAgain) {
  EXPECT_EQ(Write(), "1");
  EXPECT_EQ(Write(), "2");
  clock_.Advance(1s);
  EXPECT_EQ(Write(), "1") << "after a second without a write";
}

TEST_F(Writes, UseAConnectionForAMinute) {
  for (int number = 1; number <= 67; ++number) {  // until 60.3 s have passed
    EXPECT_EQ(Write(), std::to_string(number));
    clock_.Advance(900ms);
  }
  EXPECT_EQ(Write(), "1");
}

TEST_F(Writes, UseNoConnectionThatTheServerCloses) {
  EXPECT_EQ(Write("/close"), "1");
  EXPECT_EQ(Write("/break"), "1");
  ASSERT_TRUE(answered_.Pop());
  EXPECT_EQ(Write(), "1");
  EXPECT_EQ(Write(), "2");
}

// How long the server may try, by the request's query.
std::chrono::milliseconds ToldTimeout(const std::string& target) {
  const std::string name = "timeout=";
  EXPECT_THAT(target, testing::MatchesRegex(".*timeout=[0-9]+ms"));
  return std::chrono::milliseconds(std::stol("0" + target.substr(target.find(name) + name.size())));
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
    return ToldTimeout(targets.Pop().value_or(""));
  };
  EXPECT_EQ(told(1h), 10s);
  const auto began = std::chrono::steady_clock::now();
  const auto of_twelve = told(12s);
  const auto took = std::chrono::steady_clock::now() - began;
  EXPECT_LE(of_twelve, 8s) << "before our own deadline";
  EXPECT_GE(of_twelve, (12s - took) * 2 / 3 - 1ms);
}

TEST(Write, WithoutAnAnswerEndsAtItsDeadline) {
  const HttpServer server(
      [](const HttpRequest&, HttpConnection& connection) { connection.AwaitClose(); });
  const auto transport = Connect({.server = server.url()}).value();
  const auto response = support::WithGrowingLimit(
      [&](std::chrono::milliseconds timeout) { return transport->Do(Patch(timeout)); },
      [](const auto& outcome) { return outcome.error().code != Code::kNotSent; });
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
  std::chrono::milliseconds leave{};
  ConnectOptions options;
  options.before_write = [&]() -> Result<std::chrono::steady_clock::time_point> {
    return std::chrono::steady_clock::now() + leave;
  };
  const auto transport = Connect({.server = server.url()}, options).value();
  EXPECT_EQ(transport->Do(Patch(1h)).error().code, Code::kNotSent) << "the leave has ended";
  EXPECT_TRUE(targets.empty());
  const auto response = support::WithGrowingLimit(
      [&](std::chrono::milliseconds limit) {
        leave = limit;
        return transport->Do(Patch(1h));
      },
      [&](const auto&) { return !targets.empty(); });
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().code, Code::kTimeout);
  EXPECT_LE(ToldTimeout(targets.Pop().value_or("")), leave * 2 / 3);
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
  const auto transport = Connect(config).value();
  const std::string unanswered = "the proxy does not answer";
  Expect(support::WithGrowingLimit(
             [&](std::chrono::milliseconds timeout) { return transport->Do(Patch(timeout)); },
             [&](const auto& outcome) {
               return outcome.error().message.find(unanswered) != std::string::npos;
             }),
         unanswered);
}

}  // namespace
}  // namespace ballast::kube
