// Streams by the real client from a server that misbehaves.
#include "operator/kube/http/watch_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <list>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "operator/kube/http/connect.h"
#include "tests/support/certificate_authority.h"
#include "tests/support/channel.h"
#include "tests/support/growing_limit.h"
#include "tests/support/scripted_server.h"
#include "tests/support/temp_dir.h"

namespace ballast::kube {
namespace {

using namespace std::chrono_literals;
using support::HttpConnection;
using support::HttpRequest;
using support::HttpServer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class StreamTest : public testing::Test {
 protected:
  Status Run(const HttpServer& server, std::chrono::milliseconds silence = 1h,
             std::stop_token stop = {}) {
    const auto transport = Connect({.server = server.url(), .token = token_});
    EXPECT_TRUE(transport.ok());
    return (*transport)
        ->Stream(
            {.path = "/watch", .query = {{"watch", "true"}}, .timeout = silence},
            [this](std::string_view line) -> Status {
              lines_.emplace_back(line);
              arrived_.Push(std::string(line));
              return Done{};
            },
            std::move(stop));
  }

  Material token_;
  std::vector<std::string> lines_;
  support::Channel<std::string> arrived_;
};

TEST_F(StreamTest, HandsEachLineOnAsSoonAsItIsThere) {
  const HttpServer server([&](const HttpRequest& request, HttpConnection& connection) {
    EXPECT_EQ(request.target, "/watch?watch=true");
    connection.BeginStream();
    connection.Send("one\ntw");
    EXPECT_EQ(arrived_.Pop(), "one") << "before the rest is sent";
    connection.Send("o\n");
    connection.Send("thr");
    connection.Send("ee\n");
    connection.EndStream();
  });
  const Status status = Run(server);
  EXPECT_TRUE(status.ok()) << status.error().message;
  EXPECT_THAT(lines_, ElementsAre("one", "two", "three"));
}

TEST_F(StreamTest, DropsAHalfLineWhenTheServerBreaksOff) {
  const HttpServer server([](const HttpRequest&, HttpConnection& connection) {
    connection.BeginStream();
    connection.Send("whole\nha");
    connection.Break();
  });
  const Status status = Run(server);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::kUnavailable);
  EXPECT_THAT(lines_, ElementsAre("whole"));
}

TEST_F(StreamTest, DropsAHalfLineAtAnOrderlyEnd) {
  const HttpServer server([](const HttpRequest&, HttpConnection& connection) {
    connection.BeginStream();
    connection.Send("whole\nha");
    connection.EndStream();
  });
  EXPECT_TRUE(Run(server).ok());
  EXPECT_THAT(lines_, ElementsAre("whole"));
}

TEST_F(StreamTest, ASilentServerIsATimeout) {
  const HttpServer server([](const HttpRequest&, HttpConnection& connection) {
    connection.BeginStream();
    connection.Send("last words\n");
    connection.AwaitClose();
  });
  const Status status = support::WithGrowingLimit(  // also for the answer's begin
      [&](std::chrono::milliseconds silence) { return Run(server, silence); },
      [this](const Status&) { return !lines_.empty(); });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::kTimeout);
  EXPECT_THAT(status.error().message, HasSubstr("GET /watch"));
  EXPECT_THAT(lines_, ElementsAre("last words"));
}

TEST_F(StreamTest, AServerThatDoesNotBeginIsATimeoutHoweverLongItMayBeSilentLater) {
  const HttpServer server(
      [](const HttpRequest&, HttpConnection& connection) { connection.AwaitClose(); });
  const Status status = support::WithGrowingLimit(  // also for connecting
      [&](std::chrono::milliseconds silence) {
        return Connect({.server = server.url()}, {.silence = silence})
            .value()
            ->Stream({.path = "/", .timeout = 1h}, [](auto) { return Done{}; }, {});
      },
      [](const Status& outcome) { return outcome.error().code != Code::kUnavailable; });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::kTimeout);
}

TEST_F(StreamTest, TheSinkMayChangeHowLongTheServerMayBeSilent) {
  const HttpServer server([](const HttpRequest&, HttpConnection& connection) {
    connection.BeginStream();
    connection.Send("last words\n");
    connection.AwaitClose();
  });
  Request request{.path = "/", .timeout = 1h};
  const auto shorten = [&](auto) {
    request.timeout = 50ms;
    return Done{};
  };
  const Status status = Connect({.server = server.url()}).value()->Stream(request, shorten, {});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::kTimeout);
}

// The 401 is sent within the stream, by a server behind the server: the stream has begun and is not
// repeated into a sink that has taken part of it.
TEST_F(StreamTest, IsNotRepeatedAfterA401ThatCameInIt) {
  const support::TempDir dir;
  const std::string file = dir.Write("token", "old");
  std::atomic<int> calls = 0;
  const HttpServer server([&](const HttpRequest&, HttpConnection& connection) {
    ++calls;
    dir.Write("token", "new");
    connection.Respond(200, "line\n");
  });
  const auto transport = Connect({.server = server.url(), .token = {.file = file}}).value();
  const auto refuse = [](auto) -> Status { return Error{Code::kUnauthorized, "in the stream"}; };
  const Status status = transport->Stream({.path = "/"}, refuse, {});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::kUnauthorized);
  EXPECT_EQ(calls, 1);
}

TEST_F(StreamTest, ASinkThatThrowsEndsItWithAnError) {
  const HttpServer server(
      [](const HttpRequest&, HttpConnection& connection) { connection.Respond(200, "line\n"); });
  const auto throws = [](auto) -> Status { throw std::runtime_error("a defect"); };
  const Status status =
      Connect({.server = server.url()}).value()->Stream({.path = "/"}, throws, {});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::kInternal);
  EXPECT_THAT(status.error().message, HasSubstr("a defect"));
}

TEST_F(StreamTest, EndsWhenAskedTo) {
  const HttpServer server([](const HttpRequest&, HttpConnection& connection) {
    connection.BeginStream();
    connection.Send("line\n");
    connection.AwaitClose();
  });
  std::stop_source stop;
  std::thread other([&] {
    EXPECT_EQ(arrived_.Pop(), "line");
    stop.request_stop();
  });
  EXPECT_TRUE(Run(server, 1h, stop.get_token()).ok());
  other.join();
}

TEST_F(StreamTest, EndsAtOnceWhenAskedBefore) {
  const HttpServer server(
      [](const HttpRequest&, HttpConnection& connection) { connection.AwaitClose(); });
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(Run(server, 1h, stop.get_token()).ok());
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(StreamTest, TheSinksErrorEndsIt) {
  const HttpServer server([](const HttpRequest&, HttpConnection& connection) {
    connection.BeginStream();
    connection.Send("line\n");
    connection.AwaitClose();
  });
  const auto transport = Connect({.server = server.url()});
  const Status status = (*transport)
                            ->Stream({.path = "/"},
                                     [](std::string_view) -> Status {
                                       return Error{Code::kGone, "too old"};
                                     },
                                     {});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::kGone);
}

TEST_F(StreamTest, ARefusalIsDecoded) {
  const HttpServer server([](const HttpRequest&, HttpConnection& connection) {
    connection.Respond(429, R"({"kind":"Status","reason":"TooManyRequests","message":"slow"})",
                       "Retry-After: 3\r\n");
  });
  const Status status = Run(server);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::kThrottled);
  EXPECT_EQ(status.error().retry_after, 3s);
  EXPECT_THAT(status.error().message, HasSubstr("slow"));
}

TEST_F(StreamTest, ReadsTheTokenFileAgainWhenRefused) {
  const support::TempDir dir;
  token_.file = dir.Write("token", "old");
  std::atomic<int> calls = 0;
  const HttpServer server([&](const HttpRequest& request, HttpConnection& connection) {
    ++calls;
    if (request.headers.at("authorization") == "Bearer new") {
      connection.Respond(200, "welcome\n");
    } else {
      dir.Write("token", "new");
      connection.Respond(401, "{}");
    }
  });
  EXPECT_TRUE(Run(server).ok());
  EXPECT_THAT(lines_, ElementsAre("welcome"));
  EXPECT_EQ(calls, 2);
}

TEST_F(StreamTest, ASlowSinkSlowsTheServerDown) {
  constexpr std::size_t kMegabytes = 64;
  const std::string line = std::string(1'000'000, 'x') + "\n";
  std::atomic<std::size_t> sent = 0;
  const HttpServer server([&](const HttpRequest&, HttpConnection& connection) {
    connection.BeginStream();
    for (; sent < kMegabytes; ++sent) {
      connection.Send(line);
    }
    connection.EndStream();
  });
  const auto transport = Connect({.server = server.url()});
  std::size_t taken = 0;
  std::size_t ahead = 0;
  const Status status = (*transport)
                            ->Stream({.path = "/"},
                                     [&](std::string_view) -> Status {
                                       // The first line waits until the server is stuck: until the
                                       // amount that it has sent stops growing.
                                       for (int same = 0; taken == 0 && same < 50;) {
                                         const std::size_t before = sent;
                                         std::this_thread::sleep_for(1ms);
                                         same = sent == before ? same + 1 : 0;
                                       }
                                       ahead = std::max(ahead, sent - taken);
                                       ++taken;
                                       return Done{};
                                     },
                                     {});
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(taken, kMegabytes);
  EXPECT_LT(ahead, kMegabytes / 2) << "only what fits into the kernel's buffers";
}

// The names of this process's threads that begin so.
std::vector<std::string> ThreadsNamed(const std::string& prefix) {
  std::vector<std::string> names;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(thread.path() / "comm"), name);
    if (name.starts_with(prefix)) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

TEST_F(StreamTest, ManyShareTwoThreads) {
  constexpr int kStreams = 30;
  const support::CertificateAuthority ca;
  const HttpServer server(
      [](const HttpRequest& request, HttpConnection& connection) {
        connection.BeginStream();
        connection.Send(request.target + "\n");
        connection.AwaitClose();
      },
      support::HttpServerTls{ca.Issue("server", {"IP:127.0.0.1"}), ""});
  ClusterConfig config{.server = server.url()};
  config.ca.text = ca.certificate();
  const auto transport = Connect(config).value();
  const LineSink sink = [this](std::string_view line) -> Status {
    arrived_.Push(std::string(line));
    return Done{};
  };
  const std::function<void()> changed = [] {};
  std::list<Request> requests;
  std::vector<std::unique_ptr<BegunStream>> streams;
  std::set<std::string> expected;
  for (int number = 0; number < kStreams; ++number) {
    requests.push_back({.path = "/" + std::to_string(number), .timeout = 1h});
    expected.insert(requests.back().path);
    streams.push_back(transport->Begin(requests.back(), sink, {}, changed));
  }
  std::set<std::string> arrived;
  for (int number = 0; number < kStreams; ++number) {
    arrived.insert(arrived_.Pop().value_or("none"));
  }
  EXPECT_EQ(arrived, expected);
  EXPECT_THAT(ThreadsNamed("streams-"), SizeIs(2));
  for (const auto& stream : streams) {
    EXPECT_FALSE(stream->End().has_value());
  }
}

TEST_F(StreamTest, ABegunOneTellsItsEndAndGoesOnAfterA401) {
  const support::TempDir dir;
  const std::string file = dir.Write("token", "old");
  support::Channel<bool> may_end;
  const HttpServer server([&](const HttpRequest& request, HttpConnection& connection) {
    if (request.headers.at("authorization") != "Bearer new") {
      dir.Write("token", "new");
      connection.Respond(401, "{}");
      return;
    }
    connection.BeginStream();
    connection.Send("line\n");
    may_end.Pop();
    connection.EndStream();
  });
  const auto transport = Connect({.server = server.url(), .token = {.file = file}}).value();
  const Request request{.path = "/"};
  const LineSink sink = [this](std::string_view line) -> Status {
    arrived_.Push(std::string(line));
    return Done{};
  };
  support::Channel<bool> turns;
  const std::function<void()> changed = [&] { turns.Push(true); };
  const auto stream = transport->Begin(request, sink, {}, changed);
  EXPECT_TRUE(turns.Pop()) << "the server has answered 401";
  EXPECT_FALSE(stream->End().has_value());
  EXPECT_EQ(arrived_.Pop(), "line");
  EXPECT_FALSE(stream->End().has_value());
  may_end.Push(true);
  EXPECT_TRUE(turns.Pop());
  const auto end = stream->End();
  ASSERT_TRUE(end.has_value());
  EXPECT_TRUE(end->ok());
}

TEST_F(StreamTest, CallsNobodyOnceItIsDestroyed) {
  support::Channel<bool> closed;
  const HttpServer server([&](const HttpRequest&, HttpConnection& connection) {
    connection.BeginStream();
    while (!connection.closed()) {
      connection.Send("line\n");
    }
    closed.Push(true);
  });
  const auto transport = Connect({.server = server.url()}).value();
  const Request request{.path = "/"};
  std::atomic<bool> destroyed = false;
  const LineSink sink = [&](std::string_view) -> Status {
    EXPECT_FALSE(destroyed);
    arrived_.Push("line");
    return Done{};
  };
  const std::function<void()> changed = [] {};
  auto stream = transport->Begin(request, sink, {}, changed);
  EXPECT_EQ(arrived_.Pop(), "line");
  stream.reset();
  destroyed = true;
  EXPECT_TRUE(closed.Pop()) << "the server notices";
}

// A TLS record of more than fits into one piece, and chunks that end anywhere.
TEST_F(StreamTest, ReadsLongLinesOverTls) {
  const support::CertificateAuthority ca;
  std::vector<std::string> lines;
  for (const std::size_t size : {2, 4095, 4096, 4097, 16'384, 100'000, 3'000'000}) {
    lines.emplace_back(size, 'x');
  }
  const HttpServer server(
      [&](const HttpRequest&, HttpConnection& connection) {
        connection.BeginStream();
        for (const std::string& line : lines) {
          connection.Send(line.substr(0, line.size() / 2));
          connection.Send(line.substr(line.size() / 2) + "\n");
        }
        connection.EndStream();
      },
      support::HttpServerTls{ca.Issue("server", {"IP:127.0.0.1"}), ""});
  ClusterConfig config{.server = server.url()};
  config.ca.text = ca.certificate();
  const auto sink = [this](std::string_view line) -> Status {
    lines_.emplace_back(line);
    return Done{};
  };
  const Status status = Connect(config).value()->Stream({.path = "/"}, sink, {});
  EXPECT_TRUE(status.ok()) << status.error().message;
  EXPECT_EQ(lines_, lines);
}

// This process's socket of a connection to that port; -1 if there is none.
int SocketTo(const std::string& port) {
  for (int fd = 0; fd < 1024; ++fd) {
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    if (getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) == 0 &&
        peer.sin_family == AF_INET && std::to_string(ntohs(peer.sin_port)) == port) {
      return fd;
    }
  }
  return -1;
}

TEST_F(StreamTest, TheKernelLooksWhetherThePeerIsStillThere) {
  const struct {
    const char* name;
    int level;
    int option;
    int value;
  } kOptions[] = {
      {"SO_KEEPALIVE", SOL_SOCKET, SO_KEEPALIVE, 1},
      {"TCP_KEEPIDLE", IPPROTO_TCP, TCP_KEEPIDLE, 30},
      {"TCP_KEEPINTVL", IPPROTO_TCP, TCP_KEEPINTVL, 10},
      {"TCP_KEEPCNT", IPPROTO_TCP, TCP_KEEPCNT, 3},
      {"TCP_USER_TIMEOUT", IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000},
  };
  const HttpServer server([](const HttpRequest&, HttpConnection& connection) {
    connection.BeginStream();
    connection.Send("line\n");
    connection.EndStream();
  });
  const std::string url = server.url();
  const auto transport = Connect({.server = url});
  int looked_at = 0;
  const auto look = [&](std::string_view) -> Status {
    const int fd = SocketTo(url.substr(url.rfind(':') + 1));
    for (const auto& option : kOptions) {
      int value = -1;
      socklen_t size = sizeof value;
      EXPECT_EQ(getsockopt(fd, option.level, option.option, &value, &size), 0) << option.name;
      EXPECT_EQ(value, option.value) << option.name;
      ++looked_at;
    }
    return Done{};
  };
  EXPECT_TRUE((*transport)->Stream({.path = "/"}, look, {}).ok());
  EXPECT_EQ(looked_at, std::ssize(kOptions));
}

TEST_F(StreamTest, ServerNotReachable) {
  std::string gone;
  {
    const HttpServer server([](const HttpRequest&, HttpConnection&) {});
    gone = server.url();
  }
  const auto transport = Connect({.server = gone});
  const Status status = (*transport)->Stream({.path = "/"}, [](auto) { return Done{}; }, {});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::kUnavailable);
  EXPECT_THAT(status.error().message, HasSubstr("cannot connect"));
}

}  // namespace
}  // namespace ballast::kube
