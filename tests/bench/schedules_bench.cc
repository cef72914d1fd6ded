// What the schedules of a policy cost: of an evaluation with them beside one without, of finding
// their windows and the next change anew, and of memory.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/decision/snapshot.h"
#include "api/json/json.h"
#include "api/json/json_writer.h"
#include "operator/schedules/resolve_schedules.h"
#include "tests/bench/quiet_policy.h"

namespace ballast {
namespace {

api::Schedule Window(int number, const char* from, const char* to) {
  api::Schedule schedule;
  schedule.name = "schedule-" + std::to_string(number);
  schedule.time_zone = number % 2 == 0 ? "Europe/Berlin" : "America/New_York";
  schedule.days = {"Mon-Fri"};
  schedule.from = from;
  schedule.to = to;
  schedule.min_replicas = 2 + number;
  return schedule;
}

std::vector<api::Schedule> Some(std::int64_t schedules, bool by_cron) {
  std::vector<api::Schedule> all;
  for (int i = 0; i < schedules; ++i) {
    api::Schedule schedule = Window(i, i % 3 == 0 ? "22:00" : "08:00", "18:30");
    if (by_cron) {
      schedule.days.clear();
      schedule.from.clear();
      schedule.to.clear();
      schedule.cron = "0 9 24 11 *";  // most of a year away
      schedule.duration = "10h";
    }
    all.push_back(schedule);
  }
  return all;
}

engine::Snapshot With(std::int64_t schedules, bool by_cron) {
  engine::Snapshot snapshot{.now = Time(1'800'000'000, 0)};
  snapshot.autoscaler.kind = api::kPolicyKind;
  snapshot.autoscaler.spec.min_replicas = 1;
  snapshot.autoscaler.spec.max_replicas = 200;
  snapshot.autoscaler.spec.schedules = Some(schedules, by_cron);
  return snapshot;
}

void ResolveSchedules(benchmark::State& state) {
  const engine::Snapshot snapshot = With(state.range(0), state.range(1) != 0);
  for (auto _ : state) {
    benchmark::DoNotOptimize(schedules::ResolveSchedules(snapshot, engine::kUnknownStartup));
  }
}
BENCHMARK(ResolveSchedules)
    ->ArgNames({"schedules", "cron"})
    ->Args({1, 0})
    ->Args({8, 0})
    ->Args({8, 1})
    ->Args({64, 0})
    ->Unit(benchmark::kMicrosecond);

double ThreadMicroseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

// By turns, so that whatever else the machine does meets both. None of the floors is more than the
// replicas that there are.
void EvaluateWithAndWithout(benchmark::State& state) {
  bench::QuietPolicy without;
  bench::QuietPolicy with(Some(state.range(0), false));
  double us_without = 0;
  double us_with = 0;
  for (auto _ : state) {
    const double begin = ThreadMicroseconds();
    without.Evaluate();
    const double between = ThreadMicroseconds();
    with.Evaluate();
    us_without += between - begin;
    us_with += ThreadMicroseconds() - between;
  }
  using benchmark::Counter;
  state.counters["us_without"] = Counter(us_without, Counter::kAvgIterations);
  state.counters["us_with"] = Counter(us_with, Counter::kAvgIterations);
  state.counters["ratio"] = us_with / us_without;
}
BENCHMARK(EvaluateWithAndWithout)
    ->ArgName("schedules")
    ->Arg(0)
    ->Arg(8)
    ->Iterations(20'000)
    ->Unit(benchmark::kMicrosecond);

// A policy as it is read from the API server.
std::string PolicyJson(std::int64_t schedules) {
  json::Writer out;
  out.Object([&] {
    out.Key("spec");
    Encode(out, With(schedules, false).autoscaler.spec);
  });
  return out.Take();
}

// Bytes in use by malloc's count, including its overhead.
double InUse() { return static_cast<double>(mallinfo2().uordblks); }

void KeepPolicies(benchmark::State& state) {
  constexpr int kPolicies = 5000;
  const auto bytes_each = [](std::int64_t schedules) {
    const auto document = json::Parse(PolicyJson(schedules));
    std::vector<std::shared_ptr<const api::Autoscaler>> policies;
    policies.reserve(kPolicies);
    const double before = InUse();
    for (int i = 0; i < kPolicies; ++i) {
      json::Decoder decoder(document.value());
      api::Autoscaler policy;
      Decode(decoder.root(), policy);
      policies.push_back(std::make_shared<const api::Autoscaler>(std::move(policy)));
    }
    return (InUse() - before) / kPolicies;
  };
  for (auto _ : state) {
    const double without = bytes_each(0);
    state.counters["bytes_of_schedules"] = bytes_each(state.range(0)) - without;
    state.counters["bytes_of_the_rest"] = without;
  }
}
// What is kept of one policy's schedules between its evaluations.
void KeepResolvers(benchmark::State& state) {
  constexpr int kPolicies = 5000;
  const engine::Snapshot snapshot = With(state.range(0), false);
  for (auto _ : state) {
    std::vector<schedules::ScheduleResolver> resolvers(kPolicies);
    const double before = InUse();
    for (schedules::ScheduleResolver& resolver : resolvers) {
      benchmark::DoNotOptimize(resolver.Resolve(snapshot, engine::kUnknownStartup));
    }
    state.counters["bytes_kept"] = (InUse() - before) / kPolicies;
  }
}
BENCHMARK(KeepResolvers)
    ->ArgName("schedules")
    ->Arg(8)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

BENCHMARK(KeepPolicies)->ArgName("schedules")->Arg(8)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ballast
