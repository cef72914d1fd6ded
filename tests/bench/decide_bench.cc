// How long the engine takes: parsing a snapshot, deciding, and printing the answer, measured
// separately.
#include <benchmark/benchmark.h>

#include "api/decision/decision_json.h"
#include "api/json/json_writer.h"
#include "operator/engine/engine.h"
#include "tests/bench/snapshots.h"

namespace ballast::bench {
namespace {

using engine::Tracing;

engine::Conclusion Evaluate(const engine::Snapshot& snapshot, Tracing tracing) {
  using Kind = engine::Outcome::Kind;
  engine::Decision decision = Decide(snapshot, tracing);
  const Kind outcome = decision.rescale ? Kind::kWritten : Kind::kNotAttempted;
  return Conclude(snapshot, std::move(decision), {outcome, ""});
}

void DecideInProcess(benchmark::State& state, Tracing tracing) {
  const auto snapshots = SimpleSnapshots(2'000);
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(Evaluate(snapshots[i++ % snapshots.size()], tracing));
  }
}
BENCHMARK_CAPTURE(DecideInProcess, without_trace, Tracing::kOff);
BENCHMARK_CAPTURE(DecideInProcess, with_trace, Tracing::kOn);

void ParseSnapshots(benchmark::State& state) {
  const std::string text = Print(SimpleSnapshots(1)[0]);
  for (auto _ : state) {
    benchmark::DoNotOptimize(engine::ParseSnapshot(text));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(ParseSnapshots);

void PrintDecisions(benchmark::State& state) {
  const engine::Conclusion conclusion = Evaluate(SimpleSnapshots(1)[0], Tracing::kOn);
  for (auto _ : state) {
    json::Writer writer;
    Encode(writer, "id", conclusion);
    benchmark::DoNotOptimize(writer.Take());
  }
}
BENCHMARK(PrintDecisions);

}  // namespace
}  // namespace ballast::bench
