// Unary calls by the real client to a server that misbehaves.
#include "operator/kube/http/connect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <stdexcept>
#include <thread>
#include <vector>

#include "api/json/json_writer.h"
#include "tests/support/certificate_authority.h"
#include "tests/support/channel.h"
#include "tests/support/fake_clock.h"
#include "tests/support/full_listener.h"
#include "tests/support/growing_limit.h"
#include "tests/support/scripted_server.h"
#include "tests/support/temp_dir.h"

namespace ballast::kube {
namespace {

using namespace std::chrono_literals;
using support::HttpConnection;
using support::HttpRequest;
using support::HttpServer;
using testing::HasSubstr;
using testing::Not;

std::unique_ptr<Transport> ConnectOrDie(const ClusterConfig& config,
                                        const ConnectOptions& options = {}) {
  auto transport = Connect(config, options);
  EXPECT_TRUE(transport.ok()) << transport.error().message;
  return std::move(transport).value();
}

// The last line of a stream, which must not fail.
std::string LastStreamed(Transport& transport) {
  std::string line;
  const auto take = [&line](std::string_view text) {
    line = text;
    return Done{};
  };
  EXPECT_TRUE(transport.Stream({.path = "/"}, take, {}).ok());
  return line;
}

TEST(Connect, SendsTheRequestAsItIsMeant) {
  support::Channel<HttpRequest> seen;
  const HttpServer server([&](const HttpRequest& request, HttpConnection& connection) {
    seen.Push(request);
    connection.Respond(200, R"({"a":1})");
  });
  const auto transport =
      ConnectOrDie({.server = server.url() + "/prefix", .token = {.text = "s3cret"}},
                   {.user_agent = "ballast/1"});
  const auto response =
      transport->Do({.method = Method::kPatch,
                     .path = "/apis/apps/v1/namespaces/a%20b/deployments/web/scale",
                     .query = {{"dryRun", "x&y"}},
                     .body = "[]",
                     .content_type = kContentJsonPatch});
  ASSERT_TRUE(response.ok()) << response.error().message;
  EXPECT_EQ(response->body, R"({"a":1})");
  auto request = *seen.Pop();
  EXPECT_EQ(request.method, "PATCH");
  EXPECT_THAT(request.target,
              testing::MatchesRegex("/prefix/apis/apps/v1/namespaces/a%20b/deployments/web/scale"
                                    "\\?dryRun=x%26y&fieldManager=ballast&timeout=.*ms"));
  EXPECT_EQ(request.body, "[]");
  EXPECT_EQ(request.headers["content-type"], "application/json-patch+json");
  EXPECT_EQ(request.headers["authorization"], "Bearer s3cret");
  EXPECT_EQ(request.headers["user-agent"], "ballast/1");
  EXPECT_EQ(request.headers["accept"], "application/json");
  ASSERT_TRUE(transport->Do({.path = "/", .accept = "text/plain"}).ok());
  request = *seen.Pop();
  EXPECT_EQ(request.headers["accept"], "text/plain");
  EXPECT_EQ(request.target, "/prefix/");
}

TEST(Connect, DecodesRefusals) {
  const HttpServer server([](const HttpRequest&, HttpConnection& connection) {
    connection.Respond(403, R"({"kind":"Status","reason":"Forbidden","message":"no rights"})");
  });
  const auto response = ConnectOrDie({.server = server.url()})->Do({.path = "/api/v1/pods"});
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().code, Code::kForbidden);
  EXPECT_EQ(response.error().message, "GET /api/v1/pods: no rights");
}

TEST(Connect, ReadsTheTokenFileAgainWhenRefused) {
  const support::TempDir dir;
  const std::string file = dir.Write("token", "old");
  std::atomic<int> refused = 0;
  const HttpServer server([&](const HttpRequest& request, HttpConnection& connection) {
    const bool good = request.headers.at("authorization") == "Bearer new";
    refused += good ? 0 : 1;
    connection.Respond(good ? 200 : 401, "{}");
  });
  const auto transport = ConnectOrDie({.server = server.url(), .token = {.file = file}});
  const auto before = transport->Do({.path = "/"});
  ASSERT_FALSE(before.ok());
  EXPECT_EQ(before.error().code, Code::kUnauthorized);
  EXPECT_EQ(refused, 1) << "the same token is not tried twice";

  dir.Write("token", "new");
  EXPECT_TRUE(transport->Do({.path = "/"}).ok());
  EXPECT_EQ(refused, 2);
}

TEST(Connect, RetriesWhatMayBeRetried) {
  struct Case {
    Method method;
    int status;
    const char* headers;
    int calls;
  };
  const Case cases[] = {
      {Method::kGet, 429, "Retry-After: 0\r\n", 2},
      {Method::kGet, 503, "Retry-After: 0\r\n", 2},
      {Method::kGet, 503, "", 1},
      {Method::kGet, 429, "Retry-After: 60\r\n", 1},
      // A write is not repeated: its decision is made again later.
      {Method::kPatch, 429, "Retry-After: 0\r\n", 1},
      {Method::kPost, 429, "Retry-After: 0\r\n", 1},
      {Method::kPatch, 503, "Retry-After: 0\r\n", 1},
  };
  for (const Case& c : cases) {
    std::atomic<int> calls = 0;
    const HttpServer server([&](const HttpRequest&, HttpConnection& connection) {
      if (++calls == 1) {
        connection.Respond(c.status, "{}", c.headers);
      } else {
        connection.Respond(200, "{}");
      }
    });
    const auto response =
        ConnectOrDie({.server = server.url()})->Do({.method = c.method, .path = "/", .body = "{}"});
    EXPECT_EQ(calls, c.calls) << Name(c.method) << " " << c.status << " " << c.headers;
    EXPECT_EQ(response.ok(), c.calls == 2);
  }
}

TEST(Connect, RepeatsNoSoonerThanTheServerAsks) {
  support::Channel<std::chrono::steady_clock::time_point> calls;
  std::atomic<int> count = 0;
  const HttpServer server([&](const HttpRequest&, HttpConnection& connection) {
    calls.Push(std::chrono::steady_clock::now());
    if (++count == 1) {
      connection.Respond(429, "{}", "Retry-After: 1\r\n");
    } else {
      connection.Respond(200, "{}");
    }
  });
  const auto transport = ConnectOrDie({.server = server.url()});
  ASSERT_TRUE(transport->Do({.path = "/"}).ok());
  const auto first = *calls.Pop();
  EXPECT_GE(*calls.Pop() - first, 1s);
  EXPECT_EQ(count, 2);
}

// The connection that a GET left open breaks once the write has been read, as would any other.
TEST(Connect, AWriteReachesAServerThatBreaksOffOnce) {
  std::atomic<int> writes = 0;
  const HttpServer server([&](const HttpRequest& request, HttpConnection& connection) {
    if (request.method == "GET") {
      connection.Respond(200, "{}");
    } else {
      ++writes;
      connection.Break();
    }
  });
  const auto transport = ConnectOrDie({.server = server.url()});
  const Request write{.method = Method::kPatch, .path = "/scale", .body = "[]"};
  ASSERT_TRUE(transport->Do({.path = "/"}).ok());
  const auto response = transport->Do(write);
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().code, Code::kUnavailable);
  EXPECT_EQ(writes, 1);
  EXPECT_FALSE(transport->Do(write).ok());
  EXPECT_EQ(writes, 2);
}

TEST(Connect, AsksBeforeEachAttemptOfAWrite) {
  const support::TempDir dir;
  std::atomic<int> calls = 0;
  const HttpServer server([&](const HttpRequest&, HttpConnection& connection) {
    ++calls;
    dir.Write("token", "new");
    connection.Respond(401, "{}");
  });
  int asked = 0;
  ConnectOptions options;
  options.before_write = [&]() -> Result<std::chrono::steady_clock::time_point> {
    if (++asked == 1) {
      return std::chrono::steady_clock::now() + 1h;
    }
    return Error{Code::kForbidden, "not the leader"};
  };
  const auto transport =
      ConnectOrDie({.server = server.url(), .token = {.file = dir.Write("token", "old")}}, options);
  const auto write = transport->Do({.method = Method::kPatch, .path = "/x", .body = "{}"});
  ASSERT_FALSE(write.ok());
  EXPECT_EQ(write.error().code, Code::kForbidden);
  EXPECT_THAT(write.error().message, HasSubstr("not the leader"));
  EXPECT_EQ(calls, 1) << "the lease was lost before the second attempt";
  EXPECT_FALSE(transport->Do({.path = "/x"}).ok());
  EXPECT_EQ(asked, 2) << "reading needs no leave";
}

TEST(Connect, CountsEachAttempt) {
  std::atomic<int> calls = 0;
  const HttpServer server([&](const HttpRequest&, HttpConnection& connection) {
    if (++calls == 1) {
      connection.Respond(429, "{}", "Retry-After: 0\r\n");
    } else {
      connection.Respond(200, "{}");
    }
  });
  telemetry::Registry registry;
  const auto transport =
      ConnectOrDie({.server = server.url()}, {.metrics = ClientMetrics(registry)});
  ASSERT_TRUE(transport->Do({.path = "/"}).ok());
  const std::string host = server.url().substr(std::string("http://").size());
  for (const std::string& line :
       {"rest_client_requests_total{code=\"200\",method=\"GET\",host=\"" + host + "\"} 1\n",
        "rest_client_requests_total{code=\"429\",method=\"GET\",host=\"" + host + "\"} 1\n",
        "rest_client_request_retries_total{code=\"429\",verb=\"GET\",host=\"" + host + "\"} 1\n",
        "rest_client_request_duration_seconds_count{verb=\"GET\",host=\"" + host + "\"} 2\n"}) {
    EXPECT_THAT(registry.Print(), HasSubstr(line));
  }
}

TEST(Connect, CountsStreamsByTheirAnswer) {
  telemetry::Registry registry;
  const auto stream = [&](const std::string& url) {
    const auto transport = ConnectOrDie({.server = url}, {.metrics = ClientMetrics(registry)});
    return transport->Stream({.path = "/"}, [](auto) { return Done{}; }, {}).ok();
  };
  const auto host = [](const std::string& url) { return url.substr(url.rfind('/') + 1); };
  std::string gone;
  {
    std::atomic<int> calls = 0;
    const HttpServer server([&](const HttpRequest&, HttpConnection& connection) {
      connection.Respond(++calls == 1 ? 200 : 410, "{}");
    });
    gone = server.url();
    EXPECT_TRUE(stream(gone));
    EXPECT_FALSE(stream(gone));
  }
  EXPECT_FALSE(stream(gone));
  for (const char* code : {"200", "410", "<error>"}) {
    EXPECT_THAT(registry.Print(),
                HasSubstr(std::string("rest_client_requests_total{code=\"") + code +
                          "\",method=\"GET\",host=\"" + host(gone) + "\"} 1\n"));
  }
}

TEST(Connect, HandsRetryAfterOn) {
  const HttpServer server([](const HttpRequest&, HttpConnection& connection) {
    connection.Respond(429, "{}", "Retry-After: 60\r\n");
  });
  const auto response = ConnectOrDie({.server = server.url()})->Do({.path = "/"});
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().code, Code::kThrottled);
  EXPECT_EQ(response.error().retry_after, 60s);
}

// Of a GET, a write and a watch, each of which other code sends.
TEST(Connect, TellsWhatFailedWithTheServersAuditId) {
  const struct {
    std::string header;
    std::string told;
  } kCases[] = {
      {"Audit-Id: 4b3c\r\n", "4b3c"},
      {"audit-id: " + std::string(100, 'x') + "\r\n", std::string(61, 'x') + "..."},
      {"Audit-Id: a\xff\r\n", "a\uFFFD"},
      {"", ""},
  };
  for (const auto& c : kCases) {
    const HttpServer server([&](const HttpRequest& request, HttpConnection& connection) {
      const bool good = request.target.starts_with("/good");
      connection.Respond(good ? 200 : 403,
                         good ? "{}" : R"({"kind":"Status","reason":"Forbidden","message":"no"})",
                         c.header);
    });
    std::vector<std::string> told;
    const auto transport = ConnectOrDie(
        {.server = server.url()}, {.on_failure = [&](const FailedCall& failed) {
          EXPECT_EQ(failed.error.code, Code::kForbidden);
          EXPECT_THAT(failed.error.message, HasSubstr("no"));
          EXPECT_THAT(failed.error.message, Not(HasSubstr("4b3c"))) << "conditions would change";
          told.push_back(failed.call + " " + std::to_string(failed.http_status) + " " +
                         failed.audit_id);
        }});
    const auto watch = [&](const std::string& path) {
      return transport->Stream({.path = path}, [](auto) { return Done{}; }, {});
    };
    EXPECT_TRUE(transport->Do({.path = "/good"}).ok());
    EXPECT_TRUE(transport->Do({.method = Method::kPatch, .path = "/good"}).ok());
    EXPECT_TRUE(watch("/good").ok());
    EXPECT_FALSE(transport->Do({.path = "/bad"}).ok());
    EXPECT_FALSE(transport->Do({.method = Method::kPatch, .path = "/bad"}).ok());
    EXPECT_FALSE(watch("/bad").ok());
    EXPECT_THAT(told, testing::ElementsAre("GET /bad 403 " + c.told, "PATCH /bad 403 " + c.told,
                                           "GET /bad 403 " + c.told));
  }
}

// A call that fails on the way has no answer and so no id.
TEST(Connect, TellsNothingOfWhatTheServerDidNotAnswer) {
  const HttpServer server(
      [](const HttpRequest&, HttpConnection& connection) { connection.Break(); });
  const auto transport =
      ConnectOrDie({.server = server.url()},
                   {.on_failure = [](const FailedCall& failed) { ADD_FAILURE() << failed.call; }});
  EXPECT_FALSE(transport->Do({.path = "/", .timeout = 1s}).ok());
  EXPECT_FALSE(transport->Do({.method = Method::kPatch, .path = "/"}).ok());
}

TEST(Connect, AGetSurvivesABrokenConnection) {
  std::atomic<int> calls = 0;
  const HttpServer server([&](const HttpRequest&, HttpConnection& connection) {
    if (++calls <= 2) {
      connection.Break();
    } else {
      connection.Respond(200, "{}");
    }
  });
  EXPECT_TRUE(ConnectOrDie({.server = server.url()})->Do({.path = "/"}).ok());
}

// A port at which nothing listens any more.
std::string NowhereUrl() {
  return HttpServer([](const HttpRequest&, HttpConnection&) {}).url();
}

TEST(Connect, ServerNotReachable) {
  const std::string gone = NowhereUrl();
  const auto response = ConnectOrDie({.server = gone})->Do({.path = "/x"});
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().code, Code::kUnavailable);
  EXPECT_THAT(response.error().message, HasSubstr("GET /x: " + gone + ": no answer: "));
  const Status stream =
      ConnectOrDie({.server = gone})->Stream({.path = "/x"}, [](auto) { return Done{}; }, {});
  ASSERT_FALSE(stream.ok());
  EXPECT_THAT(stream.error().message, HasSubstr("GET /x: " + gone + ": cannot connect: "));
}

TEST(Connect, ASilentServerIsATimeout) {
  const HttpServer server(
      [](const HttpRequest&, HttpConnection& connection) { connection.AwaitClose(); });
  const auto response = ConnectOrDie({.server = server.url()})->Do({.path = "/", .timeout = 50ms});
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().code, Code::kTimeout);
}

TEST(Connect, ASilentServerIsATimeoutAtTheDeadlineOfWhatTheCallIsAPartOf) {
  const HttpServer server(
      [](const HttpRequest&, HttpConnection& connection) { connection.AwaitClose(); });
  const auto soon = process::RealClock().Steady() + 50ms;
  const auto response =
      ConnectOrDie({.server = server.url()})->Do({.path = "/", .timeout = 1h, .deadline = soon});
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().code, Code::kTimeout);
}

TEST(Connect, AServerThatDoesNotBeginIsATimeoutHoweverLongItMayTake) {
  const HttpServer server(
      [](const HttpRequest&, HttpConnection& connection) { connection.AwaitClose(); });
  const auto response =
      ConnectOrDie({.server = server.url()}, {.silence = 50ms})->Do({.path = "/", .timeout = 1h});
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().code, Code::kTimeout);
}

// The library cannot cancel a CONNECT.
TEST(Connect, AProxyThatDoesNotAnswerIsLeft) {
  std::atomic<bool> asked = false;
  support::Channel<std::string> left;
  const HttpServer proxy([&](const HttpRequest& request, HttpConnection& connection) {
    asked = true;
    connection.AwaitClose();
    left.Push(request.method);
  });
  const support::CertificateAuthority ca;
  const ClusterConfig config{
      .server = "https://api.test", .proxy_url = proxy.url(), .ca = {.text = ca.certificate()}};
  EXPECT_FALSE(support::WithGrowingLimit(
      [&](std::chrono::milliseconds limit) {
        return ConnectOrDie(config, {.silence = 4 * limit})
            ->Do({.path = "/", .timeout = limit})
            .ok();
      },
      [&](bool) { return asked.load(); }));
  EXPECT_EQ(left.Pop(), "CONNECT");
}

TEST(Connect, AnExceptionInACallKeepsNoPlaceTaken) {
  const HttpServer server([](const HttpRequest&, HttpConnection& connection) {
    connection.Respond(200, "{}", "Warning: 299 - \"deprecated\"\r\n");
  });
  const auto transport =
      ConnectOrDie({.server = server.url()}, {.max_in_flight = 1, .on_warning = [](const auto&) {
                                                throw std::runtime_error("a defect");
                                              }});
  EXPECT_THROW(static_cast<void>(transport->Do({.path = "/"})), std::runtime_error);
  EXPECT_TRUE(transport->Do({.path = "/"}).ok()) << "it warns once";
}

// The host name has an address that does not answer in front of the server's: its listener's
// backlog is full, so the kernel drops packets.
TEST(Connect, AnAddressThatDoesNotAnswerCostsLittle) {
  const HttpServer server(
      [](const HttpRequest&, HttpConnection& connection) { connection.Respond(200, "{}"); });
  const support::FullListener dead("127.0.0.2", server.port());
  ConnectOptions options;
  options.resolve = [](const std::string&, auto, const auto&) {
    return std::vector<std::string>{"127.0.0.2", "127.0.0.1"};
  };
  const auto transport = ConnectOrDie({.server = server.url("api.test")}, options);
  EXPECT_TRUE(transport->Do({.path = "/"}).ok());
  EXPECT_TRUE(transport->Do({.method = Method::kPatch, .path = "/"}).ok());
  EXPECT_TRUE(transport->Stream({.path = "/"}, [](auto) { return Done{}; }, {}).ok());
}

TEST(Connect, WhereNoAddressAnswersNoneIsKept) {
  const HttpServer server(
      [](const HttpRequest&, HttpConnection& connection) { connection.Respond(200, "{}"); });
  std::vector<std::string> addresses = {"127.0.0.2", "127.0.0.3"};
  ConnectOptions options;
  options.resolve = [&addresses](const std::string&, auto, const auto&) { return addresses; };
  const auto transport = ConnectOrDie({.server = server.url("api.test")}, options);
  const auto response = transport->Do({.method = Method::kPatch, .path = "/"});
  ASSERT_FALSE(response.ok());
  EXPECT_THAT(response.error().message,
              HasSubstr("cannot connect: no address of api.test accepts a connection"));
  addresses = {"127.0.0.1"};
  EXPECT_TRUE(transport->Do({.path = "/"}).ok());
}

// It dies when it has just been chosen.
TEST(Connect, AWriteAndAWatchLeaveAnAddressThatDies) {
  const HttpServer server(
      [](const HttpRequest&, HttpConnection& connection) { connection.Respond(200, "{}"); });
  const auto write = [](Transport& transport) {
    return transport.Do({.method = Method::kPatch, .path = "/"}).ok();
  };
  const auto watch = [](Transport& transport) {
    return transport.Stream({.path = "/"}, [](auto) { return Done{}; }, {}).ok();
  };
  for (bool (*const call)(Transport&) : {+write, +watch}) {
    const support::FullListener dying("127.0.0.2", server.port(), true);
    std::vector<std::string> addresses = {"127.0.0.2", "127.0.0.1"};
    ConnectOptions options{.silence = 1h};
    options.resolve = [&addresses](const std::string&, auto, const auto&) { return addresses; };
    const auto transport = ConnectOrDie({.server = server.url("api.test")}, options);
    EXPECT_FALSE(call(*transport));
    std::ranges::reverse(addresses);
    EXPECT_TRUE(call(*transport));
  }
}

// Whoever has the server's former address must not get its credentials.
TEST(Connect, AnAddressIsKeptWhileItIsTheServersAndLookedUpOnceAMinute) {
  if (!support::HasAddress("127.0.0.2")) {
    GTEST_SKIP() << "this machine has no address 127.0.0.2";
  }
  std::vector<std::string> seen;
  const auto answer_as = [&](const std::string& name) {
    return [&, name](const HttpRequest&, HttpConnection& connection) {
      seen.push_back(name);
      connection.Respond(200, "{}");
    };
  };
  const HttpServer former(answer_as("former"));
  const HttpServer present(answer_as("present"), {}, "127.0.0.2", former.port());
  support::FakeClock clock;
  int lookups = 0;
  Result<std::vector<std::string>> addresses = std::vector<std::string>{"127.0.0.1"};
  ConnectOptions options{.resolve =
                             [&](const std::string&, auto, const auto&) {
                               ++lookups;
                               return addresses;
                             },
                         .clock = &clock};
  const auto transport = ConnectOrDie({.server = former.url("prometheus.test")}, options);
  const struct {
    Result<std::vector<std::string>> addresses;
    std::chrono::seconds after;
    const char* asks;
    int lookups;
  } kCases[] = {
      {std::vector<std::string>{"127.0.0.1"}, 1s, "former", 1},
      {std::vector<std::string>{"127.0.0.2"}, 58s, "former", 0},
      {std::vector<std::string>{"127.0.0.2", "127.0.0.1"}, 2s, "former", 1},
      {Error{Code::kUnavailable, "no answer in time"}, 60s, "former", 1},
      {std::vector<std::string>{"127.0.0.2"}, 60s, "present", 1},
      {std::vector<std::string>{"127.0.0.2"}, 59s, "present", 0},
  };
  for (const auto& c : kCases) {
    addresses = c.addresses;
    clock.Advance(c.after);
    lookups = 0;
    EXPECT_TRUE(transport->Do({.path = "/"}).ok());
    EXPECT_EQ(seen.back(), c.asks) << &c - kCases;
    EXPECT_EQ(lookups, c.lookups) << &c - kCases;
  }
}

TEST(Connect, TellsWhetherThereWasAnAnswer) {
  const HttpServer breaking(
      [](const HttpRequest&, HttpConnection& connection) { connection.Break(); });
  const HttpServer late(
      [](const HttpRequest&, HttpConnection& connection) { connection.Respond(504, "{}"); });
  const HttpServer silent(
      [](const HttpRequest&, HttpConnection& connection) { connection.AwaitClose(); });
  const struct {
    std::string url;
    Code code;
    bool unanswered;
    std::chrono::milliseconds timeout = 1min;
  } kCases[] = {{breaking.url(), Code::kUnavailable, true},
                {late.url(), Code::kTimeout, false},
                {silent.url(), Code::kTimeout, true, 200ms}};
  for (const auto& c : kCases) {
    const auto response = ConnectOrDie({.server = c.url}, {.max_attempts = 1})
                              ->Do({.path = "/", .timeout = c.timeout});
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().code, c.code) << response.error().message;
    EXPECT_EQ(response.error().unanswered, c.unanswered) << response.error().message;
  }
}

TEST(Connect, AStopEndsWhatIsUnderWayAndLetsNothingBegin) {
  std::stop_source stop;
  std::atomic<int> calls = 0;
  const HttpServer server([&](const HttpRequest&, HttpConnection& connection) {
    ++calls;
    stop.request_stop();
    connection.AwaitClose();
  });
  const auto transport = ConnectOrDie({.server = server.url()}, {.stop = stop.get_token()});
  for (int i = 0; i < 2; ++i) {
    const auto response = transport->Do({.path = "/", .timeout = 1h});
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().code, Code::kUnavailable);
  }
  const auto write = transport->Do({.method = Method::kPatch, .path = "/"});
  ASSERT_FALSE(write.ok());
  EXPECT_EQ(write.error().code, Code::kNotSent);
  EXPECT_EQ(calls, 1);
}

// Their text goes into logs, the ledger, statuses and terminals.
TEST(Connect, WhatAnswersSayIsMadeFitToBeShown) {
  const HttpServer server([&](const HttpRequest& request, HttpConnection& connection) {
    connection.Respond(
        500, request.target == "/long" ? std::string(100'000, 'x') : "\x89PNG\r\n\x1b[31m\xff",
        "Warning: 299 - \"v1 \xff\"\r\n");
  });
  std::string warned;
  const auto transport = ConnectOrDie(
      {.server = server.url()}, {.on_warning = [&](const std::string& text) { warned = text; }});
  for (const Method method : {Method::kGet, Method::kPatch}) {
    const auto response = transport->Do({.method = method, .path = "/x"});
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().message,
              std::string(Name(method)) + " /x: HTTP 500: \uFFFDPNG  \uFFFD[31m\uFFFD");
    EXPECT_EQ(warned, "v1 \uFFFD");
  }
  const Status stream = transport->Stream({.path = "/x"}, [](auto) { return Done{}; }, {});
  ASSERT_FALSE(stream.ok());
  EXPECT_EQ(stream.error().message, "GET /x: HTTP 500: \uFFFDPNG  \uFFFD[31m\uFFFD");
}

TEST(Connect, TheDeadlineBoundsAnAnswerThatTricklesIn) {
  const HttpServer server([](const HttpRequest&, HttpConnection& connection) {
    connection.BeginStream();
    for (int i = 0; i < 100'000; ++i) {
      connection.Send("x");
    }
    connection.AwaitClose();
  });
  const auto response = ConnectOrDie({.server = server.url()})->Do({.path = "/", .timeout = 200ms});
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().code, Code::kTimeout);
}

TEST(Connect, AnAnswerTooLargeIsRefused) {
  const HttpServer server([](const HttpRequest&, HttpConnection& connection) {
    connection.Respond(200, std::string(100'000, 'x'));
  });
  const struct {
    std::size_t of_connection, of_request;
  } kCases[] = {{50'000, 200'000}, {200'000, 50'000}};
  for (const auto& c : kCases) {
    const auto response =
        ConnectOrDie({.server = server.url()}, {.max_response_bytes = c.of_connection})
            ->Do({.path = "/", .limit = {c.of_request, 0, "ask for less"}});
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().code, Code::kCorrupt);
    EXPECT_THAT(response.error().message, HasSubstr("larger than 50000 bytes; ask for less"));
  }
}

TEST(Connect, GarbageInsteadOfHttpIsAnError) {
  const HttpServer server([](const HttpRequest&, HttpConnection& connection) {
    connection.Write("220 smtp ready\r\n\r\n");
    connection.Break();
  });
  EXPECT_FALSE(ConnectOrDie({.server = server.url()})->Do({.path = "/", .timeout = 5s}).ok());
}

TEST(Connect, AnAnswerOfAnyStatusIsAResponseIfThatIsAskedFor) {
  const HttpServer server(
      [](const HttpRequest&, HttpConnection& connection) { connection.Respond(418, "a teapot"); });
  const auto response =
      ConnectOrDie({.server = server.url()})->Do({.path = "/", .any_status = true});
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(response->status, 418);
  EXPECT_EQ(response->body, "a teapot");
}

TEST(Connect, FollowsNoRedirect) {
  std::atomic<int> elsewhere = 0;
  const HttpServer other([&](const HttpRequest&, HttpConnection& connection) {
    ++elsewhere;
    connection.Respond(200, "{}");
  });
  const HttpServer server([&](const HttpRequest&, HttpConnection& connection) {
    connection.Respond(302, "", "Location: " + other.url() + "/\r\n");
  });
  const auto response =
      ConnectOrDie({.server = server.url(), .token = {.text = "s3cret"}})->Do({.path = "/"});
  EXPECT_FALSE(response.ok());
  EXPECT_EQ(elsewhere, 0);
}

TEST(Connect, PassesEachWarningOnOnce) {
  std::atomic<int> calls = 0;
  const HttpServer server([&](const HttpRequest&, HttpConnection& connection) {
    connection.Respond(200, "{}",
                       ++calls < 3 ? "Warning: 299 - \"v1beta1 is deprecated\"\r\n"
                                   : "Warning: 299 - \"another\"\r\n");
  });
  support::Channel<std::string> warnings;
  const auto transport =
      ConnectOrDie({.server = server.url()},
                   {.on_warning = [&](const std::string& text) { warnings.Push(text); }});
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(transport->Do({.path = "/"}).ok());
  }
  EXPECT_EQ(warnings.Pop(), "v1beta1 is deprecated");
  EXPECT_EQ(warnings.Pop(), "another");
}

// Each group and each value of an extra has a line of its own, in unary calls and streams alike,
// also through proxies.
class ConnectAs : public testing::Test {
 protected:
  // Answers with the impersonation headers in alphabetical order.
  static void Tell(const HttpRequest& request, HttpConnection& connection) {
    std::vector<std::string> lines;
    for (const auto& [name, value] : request.header_lines) {
      if (name.starts_with("impersonate-")) {
        lines.push_back(name.substr(12) + "=" + value);
      }
    }
    std::ranges::sort(lines);
    std::string all;
    for (const std::string& line : lines) {
      all += line + "; ";
    }
    connection.Respond(200, all + "\n");
  }
  static void ExpectTold(ClusterConfig config) {
    config.impersonate = {.user = "jane",
                          .uid = "7",
                          .groups = {"developers", "a, b", "guests"},
                          .extra = {{"acme.org/Why", {"debug", "load"}}, {"scopes", {""}}}};
    const std::string expected =
        "extra-acme.org%2fwhy=debug; extra-acme.org%2fwhy=load; extra-scopes=; "
        "group=a, b; group=developers; group=guests; uid=7; user=jane; ";
    const auto transport = ConnectOrDie(config);
    const auto response =
        transport->Do({.method = Method::kPost, .path = "/", .body = R"({"a":1})"});
    ASSERT_TRUE(response.ok()) << response.error().message;
    EXPECT_EQ(response->body, expected + "\n");
    EXPECT_EQ(LastStreamed(*transport), expected);
  }
};

TEST_F(ConnectAs, TellsTheServer) {
  const HttpServer server(Tell);
  ExpectTold({.server = server.url()});
}

TEST_F(ConnectAs, TellsItThroughAProxy) {
  const HttpServer proxy(Tell);
  ExpectTold({.server = "http://nowhere.test:81", .proxy_url = proxy.url()});
}

TEST_F(ConnectAs, TellsItOverTls) {
  const support::CertificateAuthority ca;
  const HttpServer server(Tell, support::HttpServerTls{ca.Issue("server", {"IP:127.0.0.1"}), ""});
  ExpectTold({.server = server.url(), .ca = {.text = ca.certificate()}});
}

TEST_F(ConnectAs, TellsItOverTlsThroughAProxyThatSeesNothing) {
  const support::CertificateAuthority ca;
  const HttpServer server(Tell, support::HttpServerTls{ca.Issue("server", {"IP:127.0.0.1"}), ""});
  const HttpServer proxy([](const HttpRequest& request, HttpConnection& connection) {
    EXPECT_EQ(request.method, "CONNECT");
    EXPECT_EQ(request.headers.count("impersonate-user"), 0U);
    connection.Tunnel(request.target);
  });
  ExpectTold({.server = server.url(), .proxy_url = proxy.url(), .ca = {.text = ca.certificate()}});
}

TEST(Connect, AsksTheCredentialPluginAgainWhenRefused) {
  const support::TempDir dir;
  const std::string token = dir.Write("token", "old");
  std::atomic<int> refused = 0;
  const HttpServer server([&](const HttpRequest& request, HttpConnection& connection) {
    const bool good = request.headers.at("authorization") == "Bearer new";
    refused += good ? 0 : 1;
    dir.Write("token", "new");
    connection.Respond(good ? 200 : 401, "{}");
  });
  ClusterConfig config{.server = server.url()};
  config.exec =
      ExecConfig{.api_version = "client.authentication.k8s.io/v1",
                 .command = "sh",
                 .args = {"-c", R"(echo "{\"apiVersion\":\"client.authentication.k8s.io/v1\",)"
                                R"(\"status\":{\"token\":\"$(cat )" +
                                    token + R"()\"}}")"}};
  const auto transport = ConnectOrDie(config);
  const auto response = transport->Do({.path = "/"});
  EXPECT_TRUE(response.ok()) << response.error().message;
  EXPECT_TRUE(transport->Do({.path = "/"}).ok());
  EXPECT_EQ(refused, 1);
}

TEST(Connect, GoesThroughAProxy) {
  support::Channel<std::string> seen;
  const HttpServer proxy([&](const HttpRequest& request, HttpConnection& connection) {
    seen.Push(request.method + " " + request.target);
    connection.Respond(200, "from the proxy\n");
  });
  const auto transport =
      ConnectOrDie({.server = "http://nowhere.test:81/prefix", .proxy_url = proxy.url()});
  EXPECT_EQ(transport->Do({.path = "/a"})->body, "from the proxy\n");
  EXPECT_EQ(seen.Pop(), "GET http://nowhere.test:81/prefix/a");
  EXPECT_TRUE(transport->Stream({.path = "/b"}, [](auto) { return Done{}; }, {}).ok());
  EXPECT_EQ(seen.Pop(), "GET http://nowhere.test:81/prefix/b");
}

class ConnectTls : public testing::Test {
 protected:
  static HttpServer::Handler Hello() {
    return [](const HttpRequest& request, HttpConnection& connection) {
      connection.Respond(200, request.client);
    };
  }
  // Returns the error, or "", which must be the same for unary calls and streams.
  static std::string Call(const ClusterConfig& config) {
    const auto transport = ConnectOrDie(config);
    const auto unary = transport->Do({.path = "/"});
    const Status stream = transport->Stream({.path = "/"}, [](auto) { return Done{}; }, {});
    EXPECT_EQ(unary.ok(), stream.ok());
    return unary.ok() ? "" : unary.error().message + " / " + stream.error().message;
  }

  support::CertificateAuthority ca_;
  const HttpServer server_{
      Hello(), support::HttpServerTls{ca_.Issue("server", {"IP:127.0.0.1", "DNS:api.test"}), ""}};
};

TEST_F(ConnectTls, TrustsTheClustersAuthority) {
  EXPECT_EQ(Call({.server = server_.url(), .ca = {.text = ca_.certificate()}}), "");
}

TEST_F(ConnectTls, TrustsNobodyElse) {
  const support::CertificateAuthority other("another authority");
  EXPECT_THAT(Call({.server = server_.url(), .ca = {.text = other.certificate()}}),
              HasSubstr("certificate verify failed"));
  EXPECT_NE(Call({.server = server_.url()}), "") << "the system does not know this authority";
}

TEST_F(ConnectTls, InsecureTrustsAnybody) {
  EXPECT_EQ(Call({.server = server_.url(), .insecure_skip_tls_verify = true}), "");
}

TEST_F(ConnectTls, ChecksTheServersName) {
  const Material ca{.text = ca_.certificate()};
  EXPECT_NE(Call({.server = server_.url("localhost"), .ca = ca}), "") << "not in the certificate";
  EXPECT_EQ(Call({.server = server_.url("localhost"), .tls_server_name = "api.test", .ca = ca}),
            "");
  EXPECT_NE(Call({.server = server_.url(), .tls_server_name = "other.test", .ca = ca}), "");
}

// As in Go: the subject is not a name, and a star does not match part of a label.
TEST_F(ConnectTls, ChecksTheServersNamesAlone) {
  const struct {
    const char* name;
    support::KeyPair identity;
    bool trusted;
  } cases[] = {
      {"a name", ca_.Issue("server", {"DNS:localhost"}), true},
      {"the subject's common name", ca_.Issue("localhost"), false},
      {"the same beside an address", ca_.Issue("localhost", {"IP:127.0.0.1"}), false},
      {"any label", ca_.Issue("server", {"DNS:*.cluster.test"}), true},
      {"a part of a label", ca_.Issue("server", {"DNS:a*.cluster.test"}), false},
  };
  for (const auto& c : cases) {
    const HttpServer server(Hello(), support::HttpServerTls{c.identity, ""});
    ClusterConfig config{.server = server.url("localhost"), .ca = {.text = ca_.certificate()}};
    if (std::string_view(c.name).ends_with("label")) {
      config.tls_server_name = "api.cluster.test";
    }
    EXPECT_EQ(Call(config).empty(), c.trusted) << c.name;
  }
}

TEST_F(ConnectTls, ShowsTheClientsCertificate) {
  const HttpServer strict(
      Hello(), support::HttpServerTls{ca_.Issue("server", {"IP:127.0.0.1"}), ca_.certificate()});
  const support::KeyPair robot = ca_.Issue("robot");
  ClusterConfig config{.server = strict.url(), .ca = {.text = ca_.certificate()}};
  EXPECT_NE(Call(config), "") << "without a certificate";
  config.client_certificate.text = robot.certificate;
  config.client_key.text = robot.key;
  EXPECT_EQ(Call(config), "");
  EXPECT_EQ(ConnectOrDie(config)->Do({.path = "/"})->body, "/CN=robot");
}

TEST_F(ConnectTls, AWriteThatIsRefusedShowsTheNewCertificate) {
  const support::TempDir dir;
  const auto plugin_prints = [&](const support::KeyPair& pair) {
    json::Writer w;
    w.Object([&] {
      w.Field("apiVersion", "client.authentication.k8s.io/v1");
      w.Object("status", [&] {
        w.Field("clientCertificateData", pair.certificate);
        w.Field("clientKeyData", pair.key);
      });
    });
    return dir.Write("credentials", w.Take());
  };
  const support::KeyPair renewed = ca_.Issue("renewed");
  const HttpServer strict(
      [&](const HttpRequest& request, HttpConnection& connection) {
        plugin_prints(renewed);
        connection.Respond(request.client == "/CN=renewed" ? 200 : 401, "{}");
      },
      support::HttpServerTls{ca_.Issue("server", {"IP:127.0.0.1"}), ca_.certificate()});
  ClusterConfig config{.server = strict.url(), .ca = {.text = ca_.certificate()}};
  config.exec = ExecConfig{.api_version = "client.authentication.k8s.io/v1",
                           .command = "cat",
                           .args = {plugin_prints(ca_.Issue("old"))}};
  const auto response = ConnectOrDie(config)->Do({.method = Method::kPost, .path = "/"});
  EXPECT_TRUE(response.ok()) << response.error().message;
}

TEST_F(ConnectTls, GoesThroughAProxyThatSeesNothing) {
  support::Channel<std::string> seen;
  const HttpServer proxy([&](const HttpRequest& request, HttpConnection& connection) {
    seen.Push(request.method + " " + request.target);
    connection.Tunnel(request.target);
  });
  const Material ca{.text = ca_.certificate()};
  EXPECT_EQ(Call({.server = server_.url(), .proxy_url = proxy.url(), .ca = ca}), "");
  const std::string target = "CONNECT " + server_.url().substr(std::string("https://").size());
  EXPECT_EQ(seen.Pop(), target);
  EXPECT_EQ(seen.Pop(), target);
  EXPECT_EQ(Call({.server = server_.url(),
                  .tls_server_name = "api.test",
                  .proxy_url = proxy.url(),
                  .ca = ca}),
            "");
}

TEST_F(ConnectTls, AProxyThatRefusesIsNamed) {
  const HttpServer proxy([](const HttpRequest&, HttpConnection& connection) {
    connection.Respond(403, "no");
    connection.Break();
  });
  const auto transport = ConnectOrDie(
      {.server = server_.url(), .proxy_url = proxy.url(), .ca = {.text = ca_.certificate()}});
  const Status stream = transport->Stream({.path = "/"}, [](auto) { return Done{}; }, {});
  ASSERT_FALSE(stream.ok());
  EXPECT_THAT(stream.error().message, HasSubstr("the proxy refuses: HTTP 403"));
  EXPECT_FALSE(transport->Do({.path = "/", .timeout = 5s}).ok());
}

// Connections are kept open, but one opened with the old certificate is not used with the new one.
TEST_F(ConnectTls, ANewClientCertificateEndsTheOldConnections) {
  const HttpServer strict(
      Hello(), support::HttpServerTls{ca_.Issue("server", {"IP:127.0.0.1"}), ca_.certificate()});
  const support::TempDir dir;
  const auto write = [&](const support::KeyPair& pair) {
    dir.Write("crt", pair.certificate);
    dir.Write("key", pair.key);
  };
  write(ca_.Issue("old"));
  support::FakeClock clock;
  const auto transport = ConnectOrDie({.server = strict.url(),
                                       .ca = {.text = ca_.certificate()},
                                       .client_certificate = {.file = dir.path() + "/crt"},
                                       .client_key = {.file = dir.path() + "/key"}},
                                      {.clock = &clock});
  EXPECT_EQ(transport->Do({.path = "/"})->body, "/CN=old");
  dir.Write("crt", "half of it");
  clock.Advance(1min);
  // An unusable certificate changes nothing: the connection is still used. (Sometimes it is gone: a
  // call returns a moment before its connection goes back to the pool.)
  if (const auto answer = transport->Do({.path = "/"}); answer.ok()) {
    EXPECT_EQ(answer->body, "/CN=old");
  }
  write(ca_.Issue("new"));
  clock.Advance(1min);
  EXPECT_EQ(transport->Do({.path = "/"})->body, "/CN=new");
}

// Each step has its deadline, for streams and writes alike, however long the call itself may take.
TEST_F(ConnectTls, NoStepOfConnectingHangs) {
  const HttpServer silent(
      [](const HttpRequest&, HttpConnection& connection) { connection.AwaitClose(); });
  const support::FullListener nobody("127.0.0.2", silent.port());
  const std::string tls = "https" + silent.url().substr(4);
  const std::string port = std::to_string(silent.port());
  const struct {
    const char* step;
    ClusterConfig config;
    const char* error;
  } cases[] = {
      {"name", {.server = "https://api.test"}, "cannot resolve api.test"},
      {"TCP", {.server = "https://127.0.0.2:" + port}, "cannot connect: nothing came in time"},
      {"TLS", {.server = tls}, "TLS handshake: nothing came in time"},
      {"CONNECT", {.server = tls, .proxy_url = silent.url()}, "the proxy does not answer"},
  };
  struct Outcome {
    Status stream;
    Result<Response> write;
  };
  for (const auto& c : cases) {
    ClusterConfig config = c.config;
    config.ca.text = ca_.certificate();
    ConnectOptions options;
    options.resolve = [](const std::string& host, const auto& deadline,
                         const auto& stop) -> Result<std::vector<std::string>> {
      if (host != "api.test") {
        return Resolve(host, deadline, stop);
      }
      std::this_thread::sleep_until(deadline);  // as with a name server that does not answer
      return Error{Code::kUnavailable, "cannot resolve api.test: no answer in time"};
    };
    const auto connect = [&](std::chrono::milliseconds silence) {
      options.silence = silence;
      const auto transport = ConnectOrDie(config, options);
      return Outcome{
          transport->Stream({.path = "/", .timeout = 1h}, [](auto) { return Done{}; }, {}),
          transport->Do({.method = Method::kPatch, .path = "/", .timeout = 1h})};
    };
    const auto at_this_step = [&](const Outcome& outcome) {
      return outcome.stream.error().message.find(c.error) != std::string::npos &&
             outcome.write.error().message.find(c.error) != std::string::npos;
    };
    const auto [stream, write] = support::WithGrowingLimit(connect, at_this_step);
    ASSERT_FALSE(stream.ok()) << c.step;
    EXPECT_EQ(stream.error().code, Code::kUnavailable) << c.step;
    EXPECT_THAT(stream.error().message, HasSubstr(c.error));
    ASSERT_FALSE(write.ok()) << c.step;
    EXPECT_EQ(write.error().code, Code::kNotSent) << c.step;
    EXPECT_THAT(write.error().message, HasSubstr(c.error));
  }
}

// A connection opened with the old authority is not used again.
TEST_F(ConnectTls, ANewAuthorityEndsTheOldConnections) {
  const support::TempDir dir;
  const support::CertificateAuthority other("another authority");
  support::FakeClock clock;
  const auto transport =
      ConnectOrDie({.server = server_.url(), .ca = {.file = dir.Write("ca", ca_.certificate())}},
                   {.clock = &clock});
  EXPECT_TRUE(transport->Do({.path = "/"}).ok());
  dir.Write("ca", other.certificate());
  clock.Advance(1min);
  EXPECT_FALSE(transport->Do({.path = "/"}).ok());
}

// A server that only requests a certificate would treat a client without one as anonymous.
TEST_F(ConnectTls, HalfANewClientCertificateConnectsAsNobody) {
  const support::TempDir dir;
  const support::KeyPair robot = ca_.Issue("robot");
  const ClusterConfig config{.server = server_.url(),
                             .ca = {.text = ca_.certificate()},
                             .client_certificate = {.file = dir.Write("crt", robot.certificate)},
                             .client_key = {.file = dir.Write("key", robot.key)}};
  const auto transport = ConnectOrDie(config);
  dir.Write("crt", ca_.Issue("robot of tomorrow").certificate);
  EXPECT_FALSE(transport->Do({.path = "/"}).ok());
  EXPECT_EQ(transport->Do({.method = Method::kPatch, .path = "/"}).error().code, Code::kNotSent);
  EXPECT_FALSE(transport->Stream({.path = "/"}, [](auto) { return Done{}; }, {}).ok());
  dir.Write("crt", robot.certificate);
  EXPECT_TRUE(transport->Do({.path = "/"}).ok());
}

// As in kubectl: TLS sends and checks tls-server-name, but the Host stays the URL's.
TEST_F(ConnectTls, TlsServerNameIsNotTheHost) {
  const HttpServer server(
      [](const HttpRequest& request, HttpConnection& connection) {
        connection.Respond(200, request.headers.at("host") + " " + request.server_name + "\n");
      },
      support::HttpServerTls{ca_.Issue("server", {"IP:127.0.0.1", "DNS:api.test", "DNS:localhost"}),
                             ""});
  const std::string port = server.url().substr(server.url().rfind(':'));
  const struct {
    const char* host;
    const char* tls_server_name;
    const char* asked;
  } cases[] = {{"127.0.0.1", "", ""},
               {"127.0.0.1", "api.test", "api.test"},
               {"localhost", "", "localhost"},
               {"localhost", "127.0.0.1", ""}};
  for (const auto& c : cases) {
    const auto transport = ConnectOrDie({.server = server.url(c.host),
                                         .tls_server_name = c.tls_server_name,
                                         .ca = {.text = ca_.certificate()}});
    const std::string expected = c.host + port + " " + c.asked;
    for (const Method method : {Method::kGet, Method::kPatch}) {
      const auto response = transport->Do({.method = method, .path = "/"});
      ASSERT_TRUE(response.ok()) << response.error().message;
      EXPECT_EQ(response->body, expected + "\n");
    }
    EXPECT_EQ(LastStreamed(*transport), expected);
  }
}

TEST_F(ConnectTls, ANewAuthorityIsSeenByTheNextConnection) {
  const support::TempDir dir;
  const support::CertificateAuthority other;
  const auto transport =
      ConnectOrDie({.server = server_.url(), .ca = {.file = dir.Write("ca", other.certificate())}});
  EXPECT_FALSE(transport->Do({.path = "/"}).ok());
  dir.Write("ca", ca_.certificate());
  EXPECT_TRUE(transport->Do({.path = "/"}).ok());
}

// A server and a proxy that are named by an IPv6 address.
class ConnectIpv6 : public ConnectTls {
 protected:
  void SetUp() override {
    if (!support::HasAddress("::1")) {
      GTEST_SKIP() << "this machine has no address ::1";
    }
  }
  // A server whose certificate is for `names`; it answers with the Host of the request.
  std::unique_ptr<HttpServer> Serve(const std::vector<std::string>& names) const {
    return std::make_unique<HttpServer>(
        [](const HttpRequest& request, HttpConnection& connection) {
          connection.Respond(200, request.headers.at("host"));
        },
        support::HttpServerTls{ca_.Issue("server", names), ""}, "::1");
  }

  const Material trusted_{.text = ca_.certificate()};
};

TEST_F(ConnectIpv6, IsReachedWithoutTls) {
  const HttpServer server(
      [](const HttpRequest& request, HttpConnection& connection) {
        connection.Respond(200, request.headers.at("host"));
      },
      {}, "::1");
  EXPECT_EQ(Call({.server = server.url()}), "");
  const auto response = ConnectOrDie({.server = server.url()})->Do({.path = "/"});
  EXPECT_EQ("http://" + response->body, server.url());
}

TEST_F(ConnectIpv6, ItsCertificateMustBeForTheAddress) {
  const auto good = Serve({"IP:127.0.0.1", "IP:::1"});
  EXPECT_EQ(Call({.server = good->url(), .ca = trusted_}), "");
  const auto response = ConnectOrDie({.server = good->url(), .ca = trusted_})->Do({.path = "/"});
  EXPECT_EQ("https://" + response->body, good->url());
  const auto others = Serve({"IP:127.0.0.1", "DNS:api.test", "DNS:::1"});
  EXPECT_NE(Call({.server = others->url(), .ca = trusted_}), "");
  EXPECT_EQ(Call({.server = others->url(), .tls_server_name = "api.test", .ca = trusted_}), "");
  EXPECT_EQ(Call({.server = others->url(), .tls_server_name = "127.0.0.1", .ca = trusted_}), "");
  EXPECT_EQ(Call({.server = others->url(), .insecure_skip_tls_verify = true}), "");
}

TEST_F(ConnectIpv6, IsAskedForAtAProxy) {
  support::Channel<std::string> seen;
  const auto answer = [&](const HttpRequest& request, HttpConnection& connection) {
    seen.Push(request.method + " " + request.target);
    if (request.method == "CONNECT") {
      connection.Tunnel(request.target);
    } else {
      connection.Respond(200, "from the proxy\n");
    }
  };
  const HttpServer proxy(answer, {}, "::1");
  EXPECT_EQ(Call({.server = server_.url(), .proxy_url = proxy.url(), .ca = trusted_}), "");
  const std::string target = "CONNECT " + server_.url().substr(std::string("https://").size());
  EXPECT_EQ(seen.Pop(), target);
  EXPECT_EQ(seen.Pop(), target);
  EXPECT_EQ(Call({.server = "http://[fd00::7]:81", .proxy_url = proxy.url()}), "");
  EXPECT_EQ(seen.Pop(), "GET http://[fd00::7]:81/");
  EXPECT_EQ(seen.Pop(), "GET http://[fd00::7]:81/");
  EXPECT_NE(Call({.server = "https://[fd00::7]:81", .proxy_url = proxy.url(), .ca = trusted_}), "");
  EXPECT_EQ(seen.Pop(), "CONNECT [fd00::7]:81");
}

TEST(ConnectErrors, AreToldAtOnce) {
  const auto missing = Connect({.server = "https://a", .ca = {.file = "/nonexistent/ca"}});
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message, HasSubstr("/nonexistent/ca"));
}

}  // namespace
}  // namespace ballast::kube
