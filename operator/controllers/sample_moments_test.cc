#include "operator/controllers/sample_moments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace ballast::controllers {
namespace {

using namespace std::chrono_literals;
using process::SteadyTime;
using std::chrono::nanoseconds;

constexpr SteadyTime kMoment{1h};

api::Autoscaler Of(const char* kind) {
  api::Autoscaler autoscaler;
  autoscaler.kind = kind;
  autoscaler.spec.metrics.emplace_back().resource.emplace();
  return autoscaler;
}

// The evaluations in a minute from `begin` on, as times behind the moment, if each begins `late`.
std::vector<nanoseconds> Evaluations(const char* kind, nanoseconds interval, Duration period,
                                     nanoseconds begin, nanoseconds late = 0ns) {
  const sources::Rhythm rhythm{interval, kMoment};
  std::vector<nanoseconds> times;
  for (SteadyTime now = kMoment + begin; now < kMoment + begin + 60s;) {
    const auto next = NextBehindSamples(Of(kind), rhythm, period, now);
    if (!next) {
      break;
    }
    EXPECT_GT(*next, now);
    EXPECT_LE(*next - now, nanoseconds(period.nanoseconds));
    now = *next + late;
    times.push_back(*next - kMoment);
  }
  return times;
}

TEST(SampleMoments, EvaluationsComeBehindSamplesAndNoLessOftenThanEachPeriod) {
  using Times = std::vector<nanoseconds>;
  const struct {
    const char* name;
    const char* kind;
    nanoseconds interval;
    Duration period;
    nanoseconds begin;
    Times times;
    nanoseconds late = 0ns;
  } kCases[] = {
      {"as often as there are samples", api::kPolicyKind, 15s, Duration::Seconds(15), 4s,
       Times{15s, 30s, 45s, 60s, 75s}},
      {"however late one began", api::kPolicyKind, 15s, Duration::Seconds(15), 0s,
       Times{15s, 30s, 45s, 60s}, 400ms},
      {"every fourth period", api::kPolicyKind, 60s, Duration::Seconds(15), 10s,
       Times{25s, 40s, 55s, 60s, 75s}},
      {"every second period and a bit", api::kPolicyKind, 40s, Duration::Seconds(15), 0s,
       Times{15s, 30s, 40s, 55s, 70s}},
      {"a moment a little behind the period", api::kPolicyKind, 15'010ms, Duration::Seconds(15), 0s,
       Times{15s, 30s, 45s, 60s}},
      {"rarer than the period", api::kPolicyKind, 15s, Duration::Seconds(16), 0s, Times{}},
      {"much rarer", api::kPolicyKind, 15s, Duration::Seconds(300), 0s, Times{}},
      {"a measured interval", api::kPolicyKind, 14'900ms, Duration::Seconds(15), 0s,
       Times{14'900ms, 29'800ms, 44'700ms, 59'600ms, 74'500ms}},
      {"an HPA", api::kHpaKind, 15s, Duration::Seconds(15), 4s, Times{15s, 30s, 45s, 60s, 75s}},
      {"an HPA, every fourth period", api::kHpaKind, 60s, Duration::Seconds(15), 10s,
       Times{15s, 30s, 45s, 60s, 75s}},
      {"an HPA, however late", api::kHpaKind, 30s, Duration::Seconds(15), 0s,
       Times{15s, 30s, 45s, 60s}, 2s},
      {"an HPA that would be evaluated more often", api::kHpaKind, 40s, Duration::Seconds(15), 0s,
       Times{}},
      {"an HPA, and no whole number of periods", api::kHpaKind, 15'010ms, Duration::Seconds(15), 0s,
       Times{}},
      {"an HPA, and a shorter rhythm", api::kHpaKind, 10s, Duration::Seconds(15), 0s, Times{}},
  };
  for (const auto& of : kCases) {
    EXPECT_EQ(Evaluations(of.kind, of.interval, of.period, of.begin, of.late), of.times) << of.name;
  }
}

constexpr nanoseconds kHours = 2h;

// When new samples become visible in these hours.
using Arrivals = std::vector<nanoseconds>;

Arrivals Every(nanoseconds interval, const std::function<nanoseconds(int)>& late,
               nanoseconds until = kHours, nanoseconds from = 0s) {
  Arrivals arrivals;
  for (int i = 0; 7s + i * interval < until; ++i) {
    if (const nanoseconds at = 7s + i * interval + late(i); at >= from) {
      arrivals.push_back(at);
    }
  }
  return arrivals;
}

nanoseconds Never(int) { return 0s; }
// From 0 to 2 s, in an order that looks random.
nanoseconds Scattered(int i) { return std::int64_t{i} * i * 617 % 2'000 * 1ms; }

struct Evaluated {
  int evaluations = 0;
  nanoseconds longest{0};  // between two of them
  nanoseconds mean{0};     // from samples until the first evaluation that has them
};

// An autoscaler whose looks and evaluations take no time; `seen`: when what an answer has became
// visible, by the number of the look and the time.
Evaluated EvaluateForHours(const char* kind, const Arrivals& arrivals,
                           const std::function<nanoseconds(int, nanoseconds)>& seen) {
  constexpr Duration kSyncPeriod = Duration::Seconds(15);
  sources::SampleRhythm samples;
  nanoseconds before{-1};
  nanoseconds last{0};
  nanoseconds next = 3s;
  Evaluated evaluated;
  auto waiting = arrivals.begin();
  std::int64_t waited = 0;
  for (int look = 0; next < kHours;) {
    const nanoseconds look_at = std::max(samples.next_look(), kMoment + last) - kMoment;
    if (look_at < next) {
      const nanoseconds now = seen(look++, look_at);
      const bool first = before < 0s;
      samples.Looked(kMoment + look_at, kMoment + look_at,
                     first          ? sources::LookResult::kNothing
                     : now > before ? sources::LookResult::kNewer
                     : now < before ? sources::LookResult::kOlder
                                    : sources::LookResult::kSame);
      before = now;
      last = look_at + 1ns;
      continue;
    }
    ++evaluated.evaluations;
    for (; waiting != arrivals.end() && *waiting <= next; ++waiting) {
      evaluated.mean += next - *waiting;
      ++waited;
    }
    const SteadyTime now = kMoment + next;
    const auto rhythm = samples.known();
    const auto behind =
        rhythm ? NextBehindSamples(Of(kind), *rhythm, kSyncPeriod, now) : std::nullopt;
    const nanoseconds wait = behind ? *behind - now : nanoseconds(15s);
    evaluated.longest = std::max(evaluated.longest, wait);
    next += wait;
  }
  evaluated.mean /= waited;
  return evaluated;
}

TEST(SampleMoments, NoSourceMakesEvaluationsRarerOrTheirSamplesOlder) {
  const auto joined = [](Arrivals before, const Arrivals& after) {
    before.insert(before.end(), after.begin(), after.end());
    return before;
  };
  const Arrivals steady = Every(15s, Never);
  const struct {
    const char* name;
    Arrivals arrivals;
    nanoseconds mean;     // at most
    double more = 1.02;   // evaluations than periods
    Arrivals other = {};  // those of another replica, which gives every third answer
  } kCases[] = {
      {"as metrics-server does", steady, 400ms},
      {"with a jitter of two seconds", Every(15s, Scattered), 3s, 1.15},
      {"a bit slower than the period", Every(15'010ms, Never), 500ms, 1.2},
      {"slower than the period", Every(20s, Never), 500ms, 1.6},
      {"every minute", Every(60s, Never), 1s, 1.1},
      {"it stops", Every(15s, Never, kHours / 2), 500ms},
      {"it doubles", joined(Every(15s, Never, kHours / 2), Every(30s, Never, kHours, kHours / 2)),
       1s, 1.1},
      {"it is restarted",
       joined(Every(15s, Never, kHours / 2),
              Every(
                  15s, [](int) { return 9s; }, kHours, kHours / 2 + 15s)),
       1s, 1.05},
      {"two replicas", steady, 15s, 1.05, Every(15s, [](int) { return 6s; })},
  };
  for (const auto& of : kCases) {
    const auto newest = [](const Arrivals& arrivals, nanoseconds at) {
      const auto after = std::ranges::upper_bound(arrivals, at);
      return after == arrivals.begin() ? 0ns : *std::prev(after);
    };
    const auto seen = [&](int look, nanoseconds at) {
      return newest(!of.other.empty() && look % 3 == 2 ? of.other : of.arrivals, at);
    };
    for (const char* kind : {api::kPolicyKind, api::kHpaKind}) {
      const Evaluated evaluated = EvaluateForHours(kind, of.arrivals, seen);
      EXPECT_LE(evaluated.longest, 15s) << of.name;
      EXPECT_GE(evaluated.evaluations, kHours / 15s) << of.name;
      EXPECT_LE(evaluated.evaluations, (kHours / 15s) * (kind == api::kHpaKind ? 1.05 : of.more))
          << of.name << " " << kind;
      if (kind == api::kPolicyKind) {
        EXPECT_LE(evaluated.mean, of.mean) << of.name;
      }
    }
  }
}

TEST(SampleMoments, OnlyMetricsOfPodsCount) {
  api::Autoscaler autoscaler = Of(api::kPolicyKind);
  auto& metrics = autoscaler.spec.metrics;
  const auto counts = [&] {
    return NextBehindSamples(autoscaler, {15s, kMoment}, Duration::Seconds(15), kMoment)
        .has_value();
  };
  EXPECT_TRUE(counts());
  metrics.clear();
  EXPECT_FALSE(counts());
  metrics.emplace_back().external.emplace();
  EXPECT_FALSE(counts());
  metrics.emplace_back().container_resource.emplace();
  EXPECT_TRUE(counts());
}

}  // namespace
}  // namespace ballast::controllers
