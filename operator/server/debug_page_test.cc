#include "operator/server/debug_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/json/json.h"

namespace ballast::server {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

constexpr telemetry::SteadyTime kNow{1h};

TEST(DebugPage, ShowsWatchesTheQueueAndMetricsApis) {
  const DebugState debug_state{
      .now = kNow,
      .watches = {{.resource = "pods",
                   .state = "watching",
                   .heard_at = kNow - 3200ms,
                   .last_error = {{kNow - 90s, "Unavailable", "GET /api/v1/pods: a \"quote\""}}},
                  {.resource = "deployments.apps", .namespace_ = "shop", .state = "backing off"}},
      .queue = {.waiting = {{{"asp/shop/slow", kNow - 2s}}},
                .in_work = {{{"hpa/shop/web", kNow - 412345us}}},
                .delayed = 12},
      .metrics_apis = {{"metrics.k8s.io", 1}, {"external.metrics.k8s.io", 8, 4, 96, 1500ms, 3}},
  };
  const auto expected = json::Parse(R"({
    "watches": [
      {"resource": "deployments.apps", "namespace": "shop", "state": "backing off"},
      {"resource": "pods", "state": "watching", "heardSecondsAgo": 3.2,
       "lastError": {"secondsAgo": 90.0, "code": "Unavailable",
                     "message": "GET /api/v1/pods: a \"quote\""}}],
    "queue": {"waiting": [{"object": "asp/shop/slow", "seconds": 2.0}],
              "inWork": [{"object": "hpa/shop/web", "seconds": 0.412}],
              "delayed": 12},
    "metricsApis": [{"api": "metrics.k8s.io", "inWork": 1, "slow": 0, "waiting": 0},
                    {"api": "external.metrics.k8s.io", "inWork": 8, "slow": 4, "waiting": 96,
                     "namespacesNotAskedFor": 3, "notAskedForSeconds": 1.5}]})");
  json::Decoder decoder(*expected);
  EXPECT_EQ(Print(debug_state), decoder.root().PrintIndented() + "\n");
}

TEST(DebugPage, SaysHowManyAreLeftOut) {
  DebugState debug_state{.now = kNow};
  debug_state.queue.waiting.left_out = 4900;
  // When watches are left out, the silent ones must be shown.
  for (std::size_t i = 0; i < telemetry::kMostShown + 1; ++i) {
    debug_state.watches.push_back({.resource = "pods",
                                   .namespace_ = std::to_string(i),
                                   .state = "watching",
                                   .heard_at = kNow - i * 1s});
  }
  debug_state.watches.push_back({.resource = "new", .state = "not started"});
  const std::string page = Print(debug_state);
  for (const char* text : {"\"waitingLeftOut\": 4900", "\"watchesLeftOut\": 2", "\"new\"",
                           "\"heardSecondsAgo\": 100.0"}) {
    EXPECT_THAT(page, HasSubstr(text));
  }
  EXPECT_THAT(page, Not(HasSubstr("inWorkLeftOut")));
  EXPECT_THAT(page, Not(HasSubstr("\"heardSecondsAgo\": 1.0")));
}

}  // namespace
}  // namespace ballast::server
