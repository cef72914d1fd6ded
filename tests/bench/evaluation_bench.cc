// How long a whole evaluation takes, but for what it waits for: a session recalls, gathers,
// decides, concludes, records and reports.
#include <benchmark/benchmark.h>

#include "tests/bench/quiet_policy.h"

namespace ballast::bench {
namespace {

void EvaluateWhole(benchmark::State& state) {
  QuietPolicy policy;
  for (auto _ : state) {
    policy.Evaluate();
  }
}
BENCHMARK(EvaluateWhole);

}  // namespace
}  // namespace ballast::bench
