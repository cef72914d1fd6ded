// The soak test of soak_test.cc with the real client, and informers that share threads: an HTTP
// server on loopback breaks off within a line, falls silent without closing the connection, and
// cuts lines anywhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <thread>

#include "operator/kube/http/connect.h"
#include "tests/support/model_informer.h"
#include "tests/support/model_server.h"
#include "tests/support/scripted_server.h"

namespace ballast::runtime {
namespace {

using namespace std::chrono_literals;
using support::HttpConnection;
using support::HttpRequest;

// The request before it was sent over HTTP; the model's values need no unescaping.
kube::Request Decode(const HttpRequest& from) {
  kube::Request request;
  std::string_view rest = from.target;
  request.path = rest.substr(0, rest.find('?'));
  rest.remove_prefix(std::min(request.path.size() + 1, rest.size()));
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
    const std::size_t equals = pair.find('=');
    request.query.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
  }
  return request;
}

void Refuse(HttpConnection& connection, const Error& error) {
  const int status = error.code == Code::kThrottled      ? 429
                     : error.code == Code::kGone         ? 410
                     : error.code == Code::kForbidden    ? 403
                     : error.code == Code::kUnauthorized ? 401
                     : error.code == Code::kNotFound     ? 404
                     : error.code == Code::kInvalid      ? 422
                     : error.code == Code::kTimeout      ? 504
                                                         : 503;
  connection.Respond(status, "{}", status == 429 ? "Retry-After: 0\r\n" : "");
}

class HttpSoak : public testing::Test {
 protected:
  bool Chance(unsigned one_in) {
    const std::lock_guard lock(mutex_);
    return fails_ && random_() % one_in == 0;
  }
  unsigned Random(std::size_t below) {
    const std::lock_guard lock(mutex_);
    return static_cast<unsigned>(random_() % below);
  }
  void Behave() {
    {
      const std::lock_guard lock(mutex_);
      fails_ = false;
    }
    model_.Behave();
  }

  void Answer(const HttpRequest& from, HttpConnection& connection) {
    const kube::Request request = Decode(from);
    if (from.target.find("watch=true") == std::string::npos) {
      const auto response = model_.Do(request);
      response.ok() ? connection.Respond(200, response->body)
                    : Refuse(connection, response.error());
      return;
    }
    bool begun = false;
    const auto send = [&](std::string_view line) -> Status {
      if (!begun) {
        connection.BeginStream();
        begun = true;
      }
      const std::string text = std::string(line) + "\n";
      const std::size_t cut = 1 + Random(text.size() - 1);
      connection.Send(text.substr(0, cut));
      if (Chance(200)) {
        connection.AwaitClose();  // silent, in the middle of a line
      }
      if (connection.closed() || Chance(100)) {
        return Error{Code::kInternal, "broken off"};
      }
      if (cut < text.size()) {
        connection.Send(text.substr(cut));
      }
      return Done{};
    };
    const Status end = model_.Stream(request, send, {});
    if (begun && end.ok()) {
      connection.EndStream();
    } else if (begun || end.ok()) {
      connection.Break();
    } else {
      Refuse(connection, end.error());
    }
  }

  std::mutex mutex_;  // guards: random_, fails_
  std::minstd_rand random_{5};
  bool fails_ = true;
  support::ModelServer model_{5, 8};
  const support::HttpServer server_{[this](const HttpRequest& request, HttpConnection& connection) {
    Answer(request, connection);
  }};
};

TEST_F(HttpSoak, TheCachesAreWhatTheServerHas) {
  log::SetLevel(log::Level::kError);
  const auto transport = kube::Connect({.server = server_.url()}).value();
  process::SystemClock clock;
  process::TurnPool pool("pool", 2, clock);
  const auto make = [&] {
    return support::MakeModelInformer(
        *transport, clock,
        {.idle_timeout = 200ms, .stream_timeout = 100ms, .backoff = {.initial = 1ms, .cap = 5ms}},
        &pool);
  };
  support::ModelInformer informers[] = {make(), make(), make()};
  for (support::ModelInformer& informer : informers) {
    informer.Start();
  }
  const int faults = std::getenv("BALLAST_TEST_LONG") == nullptr ? 50 : 2'000;
  while (model_.faults() < faults) {
    model_.Change();
    std::this_thread::sleep_for(500us);  // lets a watch catch up now and then
  }
  Behave();
  const support::ModelObjects expected = model_.Matching();
  for (const support::ModelInformer& informer : informers) {
    EXPECT_EQ(support::AwaitCached(informer, expected), expected);
  }
  for (support::ModelInformer& informer : informers) {
    informer.Stop();
  }
  log::SetLevel(log::Level::kInfo);
}

}  // namespace
}  // namespace ballast::runtime
