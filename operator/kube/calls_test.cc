// How calls wait for each other, and what many at once do to a token that rotates. Writes, because
// GETs are cpprestsdk's, which the thread sanitizer does not see.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "operator/kube/connect.h"
#include "tests/support/channel.h"
#include "tests/support/http_server.h"
#include "tests/support/temp_dir.h"

namespace ballast::kube {
namespace {

using namespace std::chrono_literals;
using support::HttpConnection;
using support::HttpRequest;
using support::HttpServer;

const Request kWrite{.method = Method::kPatch, .path = "/", .body = "{}"};

TEST(Calls, MoreThanMayBeUnderWayWaitWithinTheirDeadline) {
  support::Channel<int> arrived;
  support::Channel<int> answer;
  const HttpServer server([&](const HttpRequest&, HttpConnection& connection) {
    arrived.Push(1);
    answer.Pop();
    connection.Respond(200, "{}");
  });
  const auto transport = Connect({.server = server.url()}, {.max_in_flight = 2}).value();
  std::vector<std::jthread> callers;
  const auto call = [&] { callers.emplace_back([&] { EXPECT_TRUE(transport->Do(kWrite).ok()); }); };
  call();
  call();
  ASSERT_TRUE(arrived.Pop() && arrived.Pop());
  const auto third = transport->Do({.path = "/third", .timeout = 50ms});
  ASSERT_FALSE(third.ok());
  EXPECT_EQ(third.error().code, Code::kTimeout);
  EXPECT_EQ(third.error().message, "GET /third: too many calls are under way");
  EXPECT_TRUE(arrived.empty()) << "the server was spared";
  call();
  for (int i = 0; i < 3; ++i) {
    answer.Push(1);
  }
}

// The server takes the newest token alone, and no call fails.
TEST(Calls, SurviveATokenThatRotatesUnderLoad) {
  constexpr int kCallers = 4;
  constexpr int kRotations = 20;
  const support::TempDir dir;
  std::mutex mutex;
  std::string token = "0";
  std::atomic<int> refused = 0;
  const HttpServer server([&](const HttpRequest& request, HttpConnection& connection) {
    std::unique_lock lock(mutex);
    const bool good = request.headers.at("authorization") == "Bearer " + token;
    lock.unlock();
    refused += good ? 0 : 1;
    connection.Respond(good ? 200 : 401, "{}");
  });
  const auto transport =
      Connect({.server = server.url(), .token = {.file = dir.Write("token", token)}}).value();
  std::array<std::atomic<int>, kCallers> calls{};
  std::vector<std::jthread> callers;
  for (std::atomic<int>& own : calls) {
    callers.emplace_back([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        const auto response = transport->Do(kWrite);
        EXPECT_TRUE(response.ok()) << response.error().message;
        ++own;
      }
    });
  }
  // Every caller has called twice since the last rotation: no call sees two of them.
  for (int rotation = 1; rotation <= kRotations; ++rotation) {
    for (std::atomic<int>& own : calls) {
      for (const int before = own; own < before + 2 && !testing::Test::HasFailure();) {
        std::this_thread::yield();
      }
    }
    const std::lock_guard lock(mutex);
    token = std::to_string(rotation);
    dir.Write("token", token);
  }
  callers.clear();
  EXPECT_GE(refused, kRotations - 1);
}

}  // namespace
}  // namespace ballast::kube
