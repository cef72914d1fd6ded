// What the schedules of a policy cost: of an evaluation, since their windows and the next change
// are found anew each time, and of memory.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/decision/snapshot.h"
#include "api/json/json.h"
#include "api/json/json_writer.h"
#include "operator/schedules/resolve_schedules.h"

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

engine::Snapshot With(std::int64_t schedules, bool by_cron) {
  engine::Snapshot snapshot{.now = Time(1'800'000'000, 0)};
  snapshot.autoscaler.kind = api::kPolicyKind;
  snapshot.autoscaler.spec.min_replicas = 1;
  snapshot.autoscaler.spec.max_replicas = 200;
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
  snapshot.autoscaler.spec.schedules = all;
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
BENCHMARK(KeepPolicies)->ArgName("schedules")->Arg(8)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ballast
