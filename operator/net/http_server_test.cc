#include "operator/net/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/certificate_authority.h"
#include "tests/support/channel.h"
#include "tests/support/growing_limit.h"
#include "tests/support/http_client.h"
#include "tests/support/test_patience.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();
#else
#include <malloc.h>
#endif

namespace ballast::net {
namespace {

using std::chrono::milliseconds;
using support::HttpClient;
using testing::HasSubstr;

HttpResponse Echo(const HttpRequest& request) {
  return {.body = request.method + " " + request.path + "?" + request.query + " " + request.body};
}

// The only deadlines are those that the test sets.
std::unique_ptr<HttpServer> Serve(HttpHandler handler, HttpServerOptions options = {}) {
  const HttpServerOptions defaults;
  for (const auto deadline :
       {&HttpServerOptions::handshake_timeout, &HttpServerOptions::request_timeout}) {
    if (options.*deadline == defaults.*deadline) {
      options.*deadline = std::chrono::hours(1);
    }
  }
  auto server = HttpServer::Start("127.0.0.1:0", std::move(handler), options);
  EXPECT_TRUE(server.ok()) << server.error().message;
  return std::move(server).value();
}

TEST(HttpServer, AnswersManyRequestsOnOneConnection) {
  const auto server = Serve(Echo);
  HttpClient client(server->address());
  EXPECT_EQ(client.Get("/a?b=1&c")->body, "GET /a?b=1&c ");
  EXPECT_EQ(client.Post("/a", "hello")->body, "POST /a? hello");
  client.Send("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\nGET /next HTTP/1.1\r\nHost: x\r\n\r\n");
  const std::string head = "HTTP/1.1 200 OK\r\n";
  EXPECT_EQ(client.Receive()->head.substr(0, head.size()), head);
  client.Send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(client.AwaitClose());
}

TEST(HttpServer, RefusesWithoutAskingTheHandler) {
  const auto server = Serve([](const HttpRequest&) { return HttpResponse{.body = "asked"}; },
                            {.body_limit = 100'000, .header_limit = 1000});
  const std::string chunked = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  const struct {
    std::string sent;
    int status;
  } kCases[] = {
      {"garbage\r\n\r\n", 400},
      {"GET / HTTP/9.9\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400},
      {chunked + "x\r\n", 400},
      {"GET / HTTP/1.1\r\nX: " + std::string(2000, 'x') + "\r\n\r\n", 431},
      {"GET / HTTP/1.1\r\nX: " + std::string(90'000, 'x') + "\r\n\r\n", 431},
      {"POST / HTTP/1.1\r\nContent-Length: 60000000\r\n\r\n", 413},
      {chunked + "186a1\r\n" + std::string(100'001, 'x') + "\r\n0\r\n\r\n", 413},
  };
  for (const auto& c : kCases) {
    HttpClient client(server->address());
    client.Send(c.sent);
    const auto answer = client.Receive();
    ASSERT_TRUE(answer) << c.sent.substr(0, 60);
    EXPECT_EQ(answer->status, c.status) << c.sent.substr(0, 60);
    EXPECT_TRUE(client.AwaitClose());
  }
  HttpClient client(server->address());
  EXPECT_EQ(client.Post("/", std::string(100'000, 'x'))->body, "asked");
}

TEST(HttpServer, GivesASlowRequestUpAndAnswersOthersMeanwhile) {
  const char* const kBeginnings[] = {
      "", "G", "GET / HTTP/1.1\r\nX: ", "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nx"};
  const auto attempt = [&](milliseconds limit) {
    const auto server = Serve(Echo, {.request_timeout = limit});
    std::vector<std::unique_ptr<HttpClient>> slow;
    for (const char* beginning : kBeginnings) {
      slow.push_back(std::make_unique<HttpClient>(server->address()));
      slow.back()->Send(beginning);
    }
    HttpClient other(server->address());
    const auto meanwhile = other.Get("/");
    for (const auto& client : slow) {
      EXPECT_TRUE(client->AwaitClose());
    }
    if (meanwhile) {
      EXPECT_TRUE(other.Get("/")) << "an idle connection has a longer deadline";
    }
    return meanwhile;
  };
  const auto answer = support::WithGrowingLimit(
      attempt, [](const auto& meanwhile) { return meanwhile.has_value(); });
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
}

// A byte now and then does not extend the deadline.
TEST(HttpServer, GivesADrippingRequestUp) {
  const auto server = Serve(Echo, {.request_timeout = milliseconds(300)});
  HttpClient client(server->address());
  client.Send("GET / HTTP/1.1\r\nX: ");
  bool open = true;
  const auto begin = std::chrono::steady_clock::now();
  while (open && std::chrono::steady_clock::now() - begin < support::Patience()) {
    std::this_thread::sleep_for(milliseconds(10));
    open = client.Send("x");
  }
  EXPECT_FALSE(open);
}

TEST(HttpServer, ANewcomerTakesThePlaceOfWhoWasNeverAnswered) {
  const auto server = Serve(Echo, {.max_connections = 3});
  HttpClient good(server->address());
  EXPECT_EQ(good.Get("/")->status, 200);
  HttpClient silent(server->address());
  HttpClient half(server->address());
  half.Send("GET");
  HttpClient newcomer(server->address());
  EXPECT_EQ(newcomer.Get("/")->status, 200);
  EXPECT_TRUE(silent.AwaitClose());
  HttpClient another(server->address());
  EXPECT_EQ(another.Get("/")->status, 200);
  EXPECT_TRUE(half.AwaitClose());
  EXPECT_EQ(good.Get("/")->status, 200);
  // All have been answered: the one that is idle for longest has to go.
  HttpClient last(server->address());
  EXPECT_EQ(last.Get("/")->status, 200);
  EXPECT_TRUE(newcomer.AwaitClose());
  EXPECT_EQ(good.Get("/")->status, 200);
}

// A handler that waits until the test opens the gate.
struct Gate {
  support::Channel<std::string> arrived;
  std::promise<void> open;
  std::shared_future<void> opened = open.get_future().share();

  HttpHandler handler() {
    return [this](const HttpRequest& request) {
      if (request.path == "/wait") {
        arrived.Push(request.path);
        opened.wait();
      }
      return HttpResponse{.body = request.path};
    };
  }
};

TEST(HttpServer, AHandlerThatBlocksDelaysNobody) {
  Gate gate;
  const auto server = Serve(gate.handler(), {.workers = 2});
  HttpClient blocked(server->address());
  blocked.Send("GET /wait HTTP/1.1\r\n\r\n");
  ASSERT_TRUE(gate.arrived.Pop());
  HttpClient other(server->address());
  EXPECT_EQ(other.Get("/")->status, 200);
  gate.open.set_value();
  EXPECT_EQ(blocked.Receive()->body, "/wait");
}

TEST(HttpServer, MoreThanItMayHandleIsRefusedAndTheConnectionStays) {
  Gate gate;
  const auto server = Serve(gate.handler(), {.workers = 2, .max_in_flight = 1});
  HttpClient blocked(server->address());
  blocked.Send("GET /wait HTTP/1.1\r\n\r\n");
  ASSERT_TRUE(gate.arrived.Pop());
  HttpClient other(server->address());
  EXPECT_EQ(other.Get("/")->status, 503);
  gate.open.set_value();
  EXPECT_EQ(blocked.Receive()->status, 200);
  EXPECT_EQ(other.Get("/")->status, 200);
}

TEST(HttpServer, OnlyFourLongBodiesAreTakenAtOnce) {
  const auto server = Serve(Echo, {.body_limit = 1'000'000});
  const std::string begin =
      "POST / HTTP/1.1\r\nContent-Length: 200000\r\n\r\n" + std::string(100'000, 'x');
  std::vector<std::unique_ptr<HttpClient>> clients;
  for (int i = 0; i < 5; ++i) {
    clients.push_back(std::make_unique<HttpClient>(server->address()));
    clients.back()->Send(begin);
  }
  EXPECT_EQ(clients.back()->Receive()->status, 503);
  HttpClient brief(server->address());
  EXPECT_EQ(brief.Post("/", "brief")->status, 200);
  for (int i = 0; i < 4; ++i) {
    clients[static_cast<std::size_t>(i)]->Send(std::string(100'000, 'x'));
    EXPECT_EQ(clients[static_cast<std::size_t>(i)]->Receive()->status, 200);
  }
}

TEST(HttpServer, AHandlerThatThrowsCostsOneAnswer) {
  const auto server =
      Serve([](const HttpRequest&) -> HttpResponse { throw std::runtime_error("secret"); });
  HttpClient client(server->address());
  const auto answer = client.Get("/");
  EXPECT_EQ(answer->status, 500);
  EXPECT_THAT(answer->body, testing::Not(HasSubstr("secret")));
  EXPECT_EQ(client.Get("/")->status, 500);
}

TEST(HttpServer, StopAnswersWhoIsAtAHandlerAndClosesTheRest) {
  Gate gate;
  const auto server = Serve(gate.handler());
  HttpClient idle(server->address());
  EXPECT_EQ(idle.Get("/")->status, 200);
  HttpClient waiting(server->address());
  waiting.Send("GET /wait HTTP/1.1\r\n\r\n");
  ASSERT_TRUE(gate.arrived.Pop());
  std::thread stopper([&] { server->Stop(milliseconds(0)); });
  EXPECT_TRUE(idle.AwaitClose());
  EXPECT_FALSE(HttpClient(server->address()).connected());
  gate.open.set_value();
  const auto answer = waiting.Receive();
  EXPECT_EQ(answer->status, 200);
  EXPECT_THAT(answer->head, HasSubstr("Connection: close"));
  EXPECT_TRUE(waiting.AwaitClose());
  stopper.join();
}

TEST(HttpServer, WithinTheGraceOpenConnectionsAreAnsweredOnceMore) {
  const auto server = Serve(Echo);
  HttpClient client(server->address());
  EXPECT_EQ(client.Get("/")->status, 200);
  std::thread stopper([&] { server->Stop(std::chrono::seconds(60)); });
  while (HttpClient(server->address()).connected()) {
  }
  const auto answer = client.Get("/");
  EXPECT_EQ(answer->status, 200);
  EXPECT_THAT(answer->head, HasSubstr("Connection: close"));
  EXPECT_TRUE(client.AwaitClose());
  stopper.join();  // long before the minute is over: no connection is left
}

TEST(HttpServer, WhileItDrainsNewcomersAreAnswered) {
  const auto attempt = [](milliseconds drain) {
    const auto server = Serve(Echo);
    HttpClient early(server->address());
    EXPECT_TRUE(early.Get("/"));
    std::thread stopper([&] { server->Stop(std::chrono::seconds(60), drain); });
    while (early.Get("/")) {  // at most one more, then it is asked to close
    }
    const auto late = HttpClient(server->address()).Get("/");
    stopper.join();
    EXPECT_FALSE(HttpClient(server->address()).connected());
    return late;
  };
  const auto answer =
      support::WithGrowingLimit(attempt, [](const auto& late) { return late.has_value(); });
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_THAT(answer->head, HasSubstr("Connection: close"));
}

TEST(HttpServer, OverTlsASwapOfTheIdentityLeavesConnectionsAlone) {
  const support::CertificateAuthority ca;
  const support::KeyPair first = ca.Issue("first", {"IP:127.0.0.1"});
  const support::KeyPair second = ca.Issue("second", {"IP:127.0.0.1"});
  const auto identity = std::make_shared<TlsIdentity>();
  const auto server = Serve(Echo, {.identity = identity});
  EXPECT_FALSE(HttpClient(server->address(), ca.certificate()).connected()) << "no identity yet";

  ASSERT_TRUE(identity->Set(first.certificate, first.key).ok());
  HttpClient old(server->address(), ca.certificate());
  EXPECT_EQ(old.server(), "/CN=first");
  EXPECT_EQ(old.Post("/", "one")->body, "POST /? one");
  ASSERT_TRUE(identity->Set(second.certificate, second.key).ok());
  EXPECT_EQ(old.Post("/", "two")->body, "POST /? two");
  HttpClient young(server->address(), ca.certificate());
  EXPECT_EQ(young.server(), "/CN=second");
  EXPECT_EQ(young.Post("/", std::string(60'000, 'x'))->status, 200);
}

TEST(HttpServer, GarbageOrSilenceInsteadOfAHandshakeIsClosed) {
  const support::CertificateAuthority ca;
  const support::KeyPair pair = ca.Issue("one", {"IP:127.0.0.1"});
  const auto identity = std::make_shared<TlsIdentity>();
  ASSERT_TRUE(identity->Set(pair.certificate, pair.key).ok());
  const auto patient = Serve(Echo, {.identity = identity});
  HttpClient garbage(patient->address());
  garbage.Send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(garbage.AwaitClose());
  const auto answer = HttpClient(patient->address(), ca.certificate()).Get("/");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  const auto strict = Serve(Echo, {.identity = identity, .handshake_timeout = milliseconds(200)});
  EXPECT_TRUE(HttpClient(strict->address()).AwaitClose()) << "silence";
}

// Randomly damaged requests, the same ones in each run, are answered in HTTP or closed, and others
// are still served.
TEST(HttpServer, SurvivesBentRequests) {
  const auto server = Serve(Echo, {.header_limit = 4096});
  const std::string kSeeds[] = {
      "GET /a?b HTTP/1.1\r\nHost: x\r\n\r\n",
      "POST / HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
      "PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nxGET / HTTP/1.0\r\n\r\n",
  };
  const std::string kPieces[] = {"\r\n",
                                 "\r\n\r\n",
                                 ":",
                                 std::string(1, '\0'),
                                 "\xff",
                                 "Content-Length: 99999999999999999999\r\n",
                                 "ffffffffffffffff",
                                 "Transfer-Encoding: chunked, chunked\r\n",
                                 " ",
                                 "\t"};
  std::mt19937 random(1);
  const auto below = [&](std::size_t limit) { return random() % limit; };
  for (int round = 0; round < 2000; ++round) {
    std::string text = kSeeds[below(std::size(kSeeds))];
    for (std::size_t bend = 1 + below(4); bend > 0; --bend) {
      const std::size_t at = below(text.size() + 1);
      switch (below(4)) {
        case 0:
          text.insert(at, kPieces[below(std::size(kPieces))]);
          break;
        case 1:
          text.erase(at, 1 + below(8));
          break;
        case 2:
          text.insert(at, text.substr(below(text.size() + 1)));
          break;
        default:
          text.insert(at, 1, static_cast<char>(random()));
      }
    }
    HttpClient client(server->address());
    ASSERT_TRUE(client.connected());
    client.Send(text);
    client.EndSending();
    while (const auto answer = client.Receive()) {
      ASSERT_GE(answer->status, 200) << testing::PrintToString(text);
      ASSERT_LE(answer->status, 599) << testing::PrintToString(text);
    }
  }
  EXPECT_EQ(HttpClient(server->address()).Get("/")->status, 200);
}

// Bytes that this process has allocated and not freed. (Its resident memory would include what the
// allocator keeps for later, and AddressSanitizer keeps much.)
long Allocated() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return static_cast<long>(__sanitizer_get_current_allocated_bytes());
#else
  const auto info = mallinfo2();
  return static_cast<long>(info.uordblks + info.hblkhd);
#endif
}

TEST(HttpServer, BodiesOfSixtyMegabytesDoNotGrowIt) {
  const auto server = Serve(Echo, {.body_limit = 7 * 1024 * 1024});
  const std::string megabyte = "100000\r\n" + std::string(0x100000, 'x') + "\r\n";
  const long before = Allocated();
  std::atomic<long> most = before;
  std::vector<std::thread> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&] {
      HttpClient client(server->address());
      client.Send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
      for (int sent = 0; sent < 60 && client.Send(megabyte); ++sent) {
        const long now = Allocated();
        for (long known = most; known < now && !most.compare_exchange_weak(known, now);) {
        }
      }
      const auto answer = client.Receive();
      EXPECT_TRUE(!answer || answer->status == 413 || answer->status == 503);
    });
  }
  for (std::thread& client : clients) {
    client.join();
  }
  // They sent 480 MiB; four bodies have places, and a string grows to twice what it needs.
  EXPECT_LT(most - before, 64 * 1024 * 1024);
}

// So that the memory for handling them is needed only once, and short requests need not wait.
TEST(HttpServer, LongRequestsHavePlacesUntilTheyAreAnsweredAndAreHandledOneAtATime) {
  support::Channel<bool> release;
  std::atomic<int> at_once = 0;
  std::atomic<int> most = 0;
  const auto server = Serve(
      [&](const HttpRequest& request) {
        if (request.body.size() > 64 * 1024) {
          most = std::max<int>(most, ++at_once);
          release.Pop();
          --at_once;
        }
        return HttpResponse{.body = "done"};
      },
      {.workers = 1, .body_limit = 1024 * 1024});
  const std::string long_body(100'000, 'x');
  support::Channel<int> statuses;
  std::vector<std::thread> clients;
  for (int i = 0; i < 5; ++i) {
    clients.emplace_back([&] {
      const auto answer = HttpClient(server->address()).Post("/", long_body);
      statuses.Push(answer ? answer->status : 0);
    });
  }
  EXPECT_EQ(statuses.Pop(), 503) << "no place is left while nobody is answered";
  EXPECT_EQ(HttpClient(server->address()).Post("/", "short")->body, "done");
  for (int i = 0; i < 4; ++i) {
    release.Push(true);
    EXPECT_EQ(statuses.Pop(), 200);
  }
  for (std::thread& client : clients) {
    client.join();
  }
  EXPECT_EQ(most, 1);
  release.Push(true);
  EXPECT_EQ(HttpClient(server->address()).Post("/", long_body)->status, 200);
}

TEST(HttpServer, TellsHowLongARequestHasWaited) {
  const auto server = Serve([](const HttpRequest& request) {
    return HttpResponse{.body = std::to_string(request.waited.count())};
  });
  HttpClient slow(server->address());
  slow.Send("GET / HTTP/1.1\r\n");
  HttpClient(server->address()).Get("/");  // after this the server has seen the first bytes
  const auto sent = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - sent < milliseconds(20)) {
  }
  slow.Send("Host: x\r\n\r\n");
  EXPECT_GE(std::stoi(slow.Receive()->body), 20);
}

TEST(HttpServer, SaysWhyItCannotListen) {
  const auto server = Serve(Echo);
  const struct {
    std::string address;
    Code code;
    const char* message;
  } kCases[] = {
      {"localhost:80", Code::kInvalid, "\"localhost:80\" is no address to listen on"},
      {"8080", Code::kInvalid, "is no address"},
      {"127.0.0.1:99999", Code::kInvalid, "is no address"},
      {"::1:80", Code::kInvalid, "is no address"},
      {"192.0.2.1:0", Code::kInvalid, "192.0.2.1:0: cannot listen"},
      {server->address(), Code::kConflict, "Address already in use"},
  };
  for (const auto& c : kCases) {
    const auto refused = HttpServer::Start(c.address, Echo, {});
    ASSERT_FALSE(refused.ok()) << c.address;
    EXPECT_EQ(refused.error().code, c.code) << c.address;
    EXPECT_THAT(refused.error().message, HasSubstr(c.message));
  }
}

}  // namespace
}  // namespace ballast::net
