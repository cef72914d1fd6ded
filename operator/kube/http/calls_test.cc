// How calls wait for each other, and how many concurrent calls cope with credentials that rotate.
// They are writes, because the thread sanitizer does not see into cpprestsdk, which sends the GETs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "operator/kube/http/connect.h"
#include "tests/support/certificate_authority.h"
#include "tests/support/channel.h"
#include "tests/support/scripted_server.h"
#include "tests/support/temp_dir.h"

namespace ballast::kube {
namespace {

using namespace std::chrono_literals;
using support::HttpConnection;
using support::HttpRequest;
using support::HttpServer;

const Request kWrite{.method = Method::kPatch, .path = "/", .body = "{}", .timeout = 1h};

// Threads that write repeatedly until destruction, expecting every write to succeed.
class Load {
 public:
  explicit Load(Transport& transport) {
    for (std::atomic<int>& own : calls_) {
      callers_.emplace_back([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          const auto response = transport.Do(kWrite);
          EXPECT_TRUE(response.ok()) << response.error().message;
          ++own;
        }
      });
    }
  }

  // Returns once each thread has begun and ended a call, or one has failed.
  void AwaitCalls() {
    for (std::atomic<int>& own : calls_) {
      for (const int before = own; own < before + 2 && !testing::Test::HasFailure();) {
        std::this_thread::yield();
      }
    }
  }

 private:
  std::array<std::atomic<int>, 4> calls_{};
  std::vector<std::jthread> callers_;  // destroyed first
};

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

TEST(Calls, EndByTheDeadlineOfWhatTheyAreAPartOf) {
  std::atomic<int> arrived = 0;
  const HttpServer server([&](const HttpRequest&, HttpConnection& connection) {
    ++arrived;
    connection.Respond(200, "{}");
  });
  const auto transport = Connect({.server = server.url()}).value();
  const auto now = process::RealClock().Steady();
  const auto late = transport->Do({.path = "/late", .timeout = 1h, .deadline = now});
  EXPECT_EQ(late.error().code, Code::kTimeout);
  EXPECT_EQ(late.error().message, "GET /late: there is no time left for it");
  kube::Request write = kWrite;
  write.deadline = now;
  EXPECT_EQ(transport->Do(write).error().code, Code::kNotSent);
  EXPECT_EQ(arrived, 0) << "the server was spared";
}

// The server accepts only the newest token, and no call fails.
TEST(Calls, SurviveATokenThatRotatesUnderLoad) {
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
  {
    Load load(*transport);
    for (int rotation = 1; rotation <= kRotations; ++rotation) {
      load.AwaitCalls();  // no call sees two rotations
      const std::lock_guard lock(mutex);
      token = std::to_string(rotation);
      dir.Write("token", token);
    }
  }
  EXPECT_GE(refused, kRotations - 1);
}

// As a kubelet updates a volume: all files at once, by replacing a symbolic link to their folder. A
// call may read one file before that and the next one after it.
TEST(Calls, SurviveCertificatesThatRotateUnderLoad) {
  constexpr int kRotations = 15;
  const support::CertificateAuthority authority;
  const support::CertificateAuthority next("the next authority");
  const support::KeyPair robots[] = {authority.Issue("robot"), authority.Issue("robot")};
  const support::TempDir dir;
  const auto rotate = [&](int rotation) {
    const std::string folder = std::to_string(rotation);
    std::filesystem::create_directory(dir.path() + "/" + folder);
    const bool odd = rotation % 2 == 1;
    const support::KeyPair& robot = robots[odd ? 1 : 0];
    dir.Write(folder + "/ca", authority.certificate() + (odd ? next.certificate() : ""));
    dir.Write(folder + "/crt", robot.certificate);
    dir.Write(folder + "/key", robot.key);
    std::filesystem::create_symlink(folder, dir.path() + "/new");
    std::filesystem::rename(dir.path() + "/new", dir.path() + "/now");
  };
  rotate(0);
  const HttpServer server(
      [](const HttpRequest&, HttpConnection& connection) { connection.Respond(200, "{}"); },
      support::HttpServerTls{authority.Issue("server", {"IP:127.0.0.1"}), authority.certificate()});
  const auto transport = Connect({.server = server.url(),
                                  .ca = {.file = dir.path() + "/now/ca"},
                                  .client_certificate = {.file = dir.path() + "/now/crt"},
                                  .client_key = {.file = dir.path() + "/now/key"}})
                             .value();
  Load load(*transport);
  for (int rotation = 1; rotation <= kRotations && !testing::Test::HasFailure(); ++rotation) {
    load.AwaitCalls();
    rotate(rotation);
  }
}

}  // namespace
}  // namespace ballast::kube
