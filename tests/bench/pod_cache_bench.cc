// The cost of the pod cache: memory for each of 50,000 pods, time to read one, time to select.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include "api/json/json.h"
#include "api/kubernetes/parse_selector.h"
#include "api/kubernetes/pod_reader.h"
#include "operator/cluster/pod_cache.h"
#include "tests/support/pod_json.h"

namespace ballast::bench {
namespace {

constexpr int kPods = 50'000;
using support::PodApplication;
using support::PodJson;

void Fill(cluster::PodCache& store) {
  const auto read = cluster::ReadPackedPods(std::make_shared<cluster::PodPacker>());
  for (int i = 0; i < kPods; ++i) {
    auto pod = read(PodJson(i)).value();
    store.Put(pod.id.key,
              {pod.id.uid, pod.id.resource_version,
               std::make_shared<const cluster::PackedPod>(std::move(pod.object).value())});
  }
}

// Bytes in use by malloc's count, including its overhead and mapped chunks.
double InUse() {
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

void FillPodCache(benchmark::State& state) {
  for (auto _ : state) {
    const double before = InUse();
    cluster::PodCache store;
    Fill(store);
    state.counters["bytes_per_pod"] = (InUse() - before) / kPods;
  }
}
BENCHMARK(FillPodCache)->Iterations(1)->Unit(benchmark::kMillisecond);

void ReadPod(benchmark::State& state) {
  const std::string text = PodJson(0);
  for (auto _ : state) {
    benchmark::DoNotOptimize(api::ReadPod(text));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(ReadPod);

// The same through a JSON document in memory, for comparison.
void ReadPodByDocument(benchmark::State& state) {
  const std::string text = PodJson(0);
  for (auto _ : state) {
    const auto document = json::Parse(text);
    json::Decoder decoder(*document);
    api::Pod pod;
    Decode(decoder.root(), pod);
    benchmark::DoNotOptimize(pod);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(ReadPodByDocument);

// Selects the 100 pods of one Deployment out of 50,000.
void SelectPods(benchmark::State& state) {
  cluster::PodCache store;
  Fill(store);
  const auto selector = api::ParseSelector(
      "app.kubernetes.io/part-of=shop,app.kubernetes.io/name=" + PodApplication(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(store.Select(support::PodNamespace(0), *selector));
  }
}
BENCHMARK(SelectPods)->Unit(benchmark::kMicrosecond);

// Selects the 1,000 pods of a namespace by a label that all have, apart by controller.
void SelectPodsByController(benchmark::State& state) {
  cluster::PodCache store;
  Fill(store);
  const auto selector = api::ParseSelector("app.kubernetes.io/part-of=shop");
  for (auto _ : state) {
    benchmark::DoNotOptimize(store.SelectByController(support::PodNamespace(0), *selector));
  }
}
BENCHMARK(SelectPodsByController)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace ballast::bench
