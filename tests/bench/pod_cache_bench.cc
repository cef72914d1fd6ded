// What the cache of pods costs: memory for each of 50,000 pods, time to read one, time to select.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include "api/json.h"
#include "api/pod_reader.h"
#include "operator/controllers/pod_store.h"

namespace ballast::bench {
namespace {

constexpr int kPods = 50'000;
constexpr int kOfOneDeployment = 100;
constexpr int kNamespaces = 50;

std::string Namespace(int pod) {
  return "team-" + std::to_string(pod / kOfOneDeployment % kNamespaces);
}
std::string Application(int pod) { return "checkout-" + std::to_string(pod / kOfOneDeployment); }
std::string OwnerUid(int pod) { return "1b2c3d4e-0000-4000-8000-" + Application(pod); }

// Of the size and shape that a pod of a Deployment has: two containers, probes, volumes,
// tolerations, conditions, managedFields. About 5.5 kB.
std::string PodJson(int pod) {
  const std::string id = std::to_string(1'000'000 + pod);
  const std::string app = Application(pod);
  std::string filler;
  for (int i = 0; i < 24; ++i) {
    filler += R"({"manager":"kubelet","operation":"Update","apiVersion":"v1",)"
              R"("time":"2026-01-01T00:00:09Z","fieldsType":"FieldsV1","fieldsV1":{"f:status":)"
              R"({"f:conditions":{"k:{\"type\":\"Ready\"}":{".":{},"f:status":{}}}}}},)";
  }
  filler.pop_back();
  const auto container = [](const char* name) {
    return R"({"name":")" + std::string(name) +
           R"(","image":"registry.example/team/app:v1.2.3","ports":[{"containerPort":8080}],)"
           R"("resources":{"limits":{"memory":"512Mi"},"requests":{"cpu":"250m","memory":"256Mi"}},)"
           R"("readinessProbe":{"httpGet":{"path":"/ready","port":8080},"periodSeconds":10},)"
           R"("env":[{"name":"MODE","value":"production"},{"name":"REGION","value":"eu"}]})";
  };
  return R"({"metadata":{"name":")" + app + "-7d9c5b8f6d-" + id + R"(","generateName":")" + app +
         R"(-7d9c5b8f6d-","namespace":")" + Namespace(pod) +
         R"(","uid":"8a1c3f5e-2b4d-4f6a-9c8e-00000)" + id + R"(","resourceVersion":"9)" + id +
         R"(","creationTimestamp":"2026-01-01T00:00:00Z","labels":{"app.kubernetes.io/name":")" +
         app + R"(","app.kubernetes.io/part-of":"shop","pod-template-hash":"7d9c5b8f6d",)" +
         R"("version":"v1.2.3"},"annotations":{"prometheus.io/scrape":"true"},)" +
         R"("ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":")" + app +
         R"(-7d9c5b8f6d","uid":")" + OwnerUid(pod) +
         R"(","controller":true,"blockOwnerDeletion":true}],"managedFields":[)" + filler +
         R"(]},"spec":{"containers":[)" + container("app") + "," + container("proxy") +
         R"(],"nodeName":"node-17","schedulerName":"default-scheduler"},"status":{"phase":)" +
         R"("Running","startTime":"2026-01-01T00:00:02Z","podIP":"10.1.2.3","conditions":[)" +
         R"({"type":"Initialized","status":"True","lastTransitionTime":"2026-01-01T00:00:05Z"},)" +
         R"({"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:09Z"}]}})";
}

void Fill(controllers::PodStore& store) {
  const auto read = controllers::ReadPackedPods(std::make_shared<controllers::PodPacker>());
  for (int i = 0; i < kPods; ++i) {
    auto pod = read(PodJson(i)).value();
    store.Put(pod.id.key,
              {pod.id.uid, pod.id.resource_version,
               std::make_shared<const controllers::PackedPod>(std::move(pod.object).value())});
  }
}

// Memory in use, as malloc counts it (with its own overhead); mapped chunks included.
double InUse() {
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

void FillPodCache(benchmark::State& state) {
  for (auto _ : state) {
    const double before = InUse();
    controllers::PodStore store;
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

// The same by way of a document in memory, for comparison.
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

// The 100 pods of one Deployment, of 50,000.
void SelectPods(benchmark::State& state) {
  controllers::PodStore store;
  Fill(store);
  const auto selector =
      api::ParseSelector("app.kubernetes.io/part-of=shop,app.kubernetes.io/name=" + Application(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(store.Select(Namespace(0), *selector));
  }
}
BENCHMARK(SelectPods)->Unit(benchmark::kMicrosecond);

// The same pods, by a label that 1,000 pods of the namespace have and by who controls them.
void SelectOwnedPods(benchmark::State& state) {
  controllers::PodStore store;
  Fill(store);
  const auto selector = api::ParseSelector("app.kubernetes.io/part-of=shop");
  const controllers::PodStore::Uids owner = {OwnerUid(0)};
  for (auto _ : state) {
    benchmark::DoNotOptimize(store.Select(Namespace(0), *selector, &owner));
  }
}
BENCHMARK(SelectOwnedPods)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace ballast::bench
