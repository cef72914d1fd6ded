// Runs an informer against a server that fails in many ways while objects change: handlers see each
// object's changes without a gap, and in the end the cache is equal to the server.
// Until so many faults were seen; many more with BALLAST_TEST_LONG.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "tests/support/model_informer.h"
#include "tests/support/model_server.h"

namespace ballast::runtime {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kFast{1};

int Faults() { return std::getenv("BALLAST_TEST_LONG") == nullptr ? 200 : 12'000; }

class Soak : public testing::TestWithParam<int> {};

TEST_P(Soak, TheCacheIsWhatTheServerHas) {
  log::SetLevel(log::Level::kError);
  support::ModelServer server(static_cast<unsigned>(GetParam()), 4);
  process::SystemClock clock;
  support::ModelInformer informer = support::MakeModelInformer(
      server, clock, {.stream_timeout = 50ms, .backoff = {.initial = kFast, .cap = 5 * kFast}});
  support::ModelObjects told;  // filled by the handler, on the informer's thread
  std::atomic<int> changes = 0;
  informer.AddHandler([&](const support::ModelInformer::Change& change) {
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
  for (int i = 0; server.faults() < Faults(); ++i) {
    server.Change();
    // In bursts between which the informer catches up; most are shorter than the server's history.
    const int before = changes;
    const auto next = std::chrono::steady_clock::now() + 5ms;
    while (i % (i / 1000 % 10 == 0 ? 500 : 40) == 0 && changes == before &&
           std::chrono::steady_clock::now() < next) {
      std::this_thread::yield();
    }
  }
  server.Behave();
  const support::ModelObjects expected = server.Matching();
  EXPECT_EQ(support::AwaitCached(informer, expected), expected);
  informer.Stop();
  EXPECT_EQ(told, expected) << "what the handlers were told amounts to something else";
  EXPECT_TRUE(informer.HasSynced());
  RecordProperty("changes", changes);
  log::SetLevel(log::Level::kInfo);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Soak, testing::Values(1, 2, 3));

}  // namespace
}  // namespace ballast::runtime
