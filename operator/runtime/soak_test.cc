// An informer against a server that fails in every way it can think of, while objects change: in
// the end, and after each change on its own, the cache is what the server has.
// Seconds of it by default; minutes with BALLAST_TEST_LONG.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "operator/runtime/informer.h"
#include "tests/support/model_server.h"

namespace ballast::runtime {
namespace {

using namespace std::chrono_literals;
using Seen = std::map<api::ObjectKey, std::string>;

constexpr std::chrono::milliseconds kFast{1};

std::chrono::seconds Length() { return std::getenv("BALLAST_TEST_LONG") == nullptr ? 1s : 60s; }

class Soak : public testing::TestWithParam<int> {};

TEST_P(Soak, TheCacheIsWhatTheServerHas) {
  log::SetLevel(log::Level::kError);
  support::ModelServer server(static_cast<unsigned>(GetParam()), 4);
  SystemClock clock;
  Informer<std::string> informer(
      server, clock,
      {.resource = {.version = "v1", .plural = "things"},
       .page_limit = 7,
       .stream_timeout = 50ms,
       .backoff = {.initial = kFast, .cap = 5 * kFast}},
      ByCursor<std::string>([](const json::Cursor& object) {
        return std::string(object.Member("metadata").Member("uid").Text()) + " " +
               std::string(object.Member("value").Text());
      }));
  Seen told;  // by the handler, on the informer's thread
  std::atomic<int> changes = 0;
  informer.AddHandler([&](const Informer<std::string>::Change& change) {
    ++changes;
    const auto known = told.find(change.key);
    ASSERT_EQ(known != told.end(), change.before != nullptr) << change.key.Print();
    if (change.before != nullptr) {
      ASSERT_EQ(known->second, *change.before);
      told.erase(known);
    }
    if (change.after != nullptr) {
      told[change.key] = *change.after;
    }
  });
  for (int i = 0; i < 60; ++i) {
    server.Change();
  }
  informer.Start();
  const auto end = std::chrono::steady_clock::now() + Length();
  for (int i = 0; std::chrono::steady_clock::now() < end; ++i) {
    server.Change();
    // In bursts between which the informer gets on, most of them shorter than what the server
    // remembers.
    const int before = changes;
    const auto next = std::chrono::steady_clock::now() + 5ms;
    while (i % (i / 1000 % 10 == 0 ? 500 : 40) == 0 && changes == before &&
           std::chrono::steady_clock::now() < next) {
      std::this_thread::yield();
    }
  }
  server.Behave();
  const Seen expected = server.Matching();
  const auto cached = [&informer] {
    Seen seen;
    for (const api::ObjectKey& key : informer.cache().Keys()) {
      if (const auto object = informer.cache().Get(key)) {
        seen[key] = *object;
      }
    }
    return seen;
  };
  const auto patience = std::chrono::steady_clock::now() + 30s;
  while (cached() != expected && std::chrono::steady_clock::now() < patience) {
    std::this_thread::sleep_for(kFast);
  }
  EXPECT_EQ(cached(), expected);
  informer.Stop();
  EXPECT_EQ(told, expected) << "what the handlers were told amounts to something else";
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_GT(server.faults(), 20);
  RecordProperty("faults", server.faults());
  RecordProperty("changes", changes);
  log::SetLevel(log::Level::kInfo);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Soak, testing::Values(1, 2, 3));

}  // namespace
}  // namespace ballast::runtime
