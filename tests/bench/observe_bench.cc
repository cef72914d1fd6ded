// What it costs to observe HorizontalPodAutoscalers that another controller scales: requests,
// memory, CPU time, and bytes in the store.
//
// The watches, sessions and the ledger are the operator's own; a fake API server sends the lists,
// and a status of each HPA as often as its controller would write one whose metric drifts by 5 %.
// Each HPA is scaled four times a day. The time that the ledger sees is virtual.
//
//   observe_bench [HPAS]      default: 5000, with five pods each
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "operator/controllers/cluster_ports.h"
#include "operator/controllers/gather.h"
#include "operator/controllers/reconcilers.h"
#include "operator/kube/discovery.h"
#include "operator/os/allocator.h"
#include "operator/runtime/events.h"
#include "operator/sources/sources.h"
#include "operator/telemetry/process_metrics.h"
#include "store/testing/open_ledger.h"
#include "tests/bench/fleet.h"
#include "tests/support/channel.h"
#include "tests/support/fake_transport.h"
#include "tests/support/pod_json.h"

namespace ballast::bench {
namespace {

namespace fs = std::filesystem;
using session::kObservationPeriod;

constexpr int kPodsEach = 5;
constexpr int kStatusSeconds = 15;       // how often a controller writes a status
constexpr int kScalingSeconds = 21'600;  // four a day
constexpr int kNamespaces = 50;
constexpr int kTogether = 20;  // statuses that arrive at once
constexpr int kInACommit = 50;

[[noreturn]] void Fail(const char* what) {
  std::fprintf(stderr, "observe_bench: %s\n", what);
  std::exit(1);
}

// The wall clock shows a time of its own; everything else is as in life.
class VirtualClock final : public process::Clock {
 public:
  Time Now() const override { return Time(1'700'000'000 + seconds_, 0); }
  process::SteadyTime Steady() const override { return real_.Steady(); }
  void WaitUntil(std::unique_lock<std::mutex>& lock, std::condition_variable& wake,
                 process::SteadyTime deadline) override {
    real_.WaitUntil(lock, wake, deadline);
  }
  void Advance(int seconds) { seconds_ += seconds; }

 private:
  process::SystemClock real_;
  std::atomic<std::int64_t> seconds_ = 0;
};

std::string NameOf(int hpa) { return "web-" + std::to_string(hpa); }
std::string NamespaceOf(int hpa) { return "team-" + std::to_string(hpa % kNamespaces); }

// An HPA as API servers send it, with managedFields; some 3 kB.
std::string HpaJson(int hpa, std::int64_t version, int utilization, int replicas, Time scaled) {
  const std::string number = std::to_string(replicas);
  const std::string condition = R"(,"lastTransitionTime":"2026-03-04T12:00:00Z",)";
  return R"({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":")" +
         NameOf(hpa) + R"(","namespace":")" + NamespaceOf(hpa) + R"(","uid":"00000000-0000-4000-)" +
         std::to_string(1000 + hpa % 9000) + "-" + std::to_string(100'000'000'000 + hpa) +
         R"(","resourceVersion":")" + std::to_string(version) +
         R"(","creationTimestamp":"2026-01-01T00:00:00Z","labels":{"app.kubernetes.io/name":")" +
         NameOf(hpa) + R"(","app.kubernetes.io/part-of":"shop"},"managedFields":[)" +
         R"({"manager":"helm","operation":"Update","apiVersion":"autoscaling/v2","time":)" +
         R"("2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":)" +
         R"({".":{},"f:app.kubernetes.io/name":{},"f:app.kubernetes.io/part-of":{}}},"f:spec":)" +
         R"({"f:behavior":{"f:scaleDown":{"f:policies":{},"f:stabilizationWindowSeconds":{}}},)" +
         R"("f:maxReplicas":{},"f:metrics":{},"f:minReplicas":{},"f:scaleTargetRef":{}}}},)" +
         R"({"manager":"kube-controller-manager","operation":"Update","apiVersion":)" +
         R"("autoscaling/v2","time":"2026-03-04T12:00:00Z","fieldsType":"FieldsV1","fieldsV1":)" +
         R"({"f:status":{"f:conditions":{},"f:currentMetrics":{},"f:currentReplicas":{},)" +
         R"("f:desiredReplicas":{},"f:lastScaleTime":{}}},"subresource":"status"}]},)" +
         R"("spec":{"scaleTargetRef":{"kind":"Deployment","name":")" + NameOf(hpa) +
         R"(","apiVersion":"apps/v1"},"minReplicas":2,"maxReplicas":20,"metrics":[{"type":)" +
         R"("Resource","resource":{"name":"cpu","target":{"type":"Utilization",)" +
         R"("averageUtilization":60}}}],"behavior":{"scaleDown":{"stabilizationWindowSeconds":300,)" +
         R"("selectPolicy":"Max","policies":[{"type":"Percent","value":100,"periodSeconds":15}]}}},)" +
         R"("status":{"lastScaleTime":")" + Print(scaled) + R"(","currentReplicas":)" + number +
         R"(,"desiredReplicas":)" + number +
         R"(,"currentMetrics":[{"type":"Resource","resource":{"name":"cpu","current":)" +
         R"({"averageUtilization":)" + std::to_string(utilization) + R"(,"averageValue":")" +
         std::to_string(utilization * 5 + 3) + R"(m"}}}],"conditions":[)" +
         R"({"type":"AbleToScale","status":"True")" + condition +
         R"("reason":"ReadyForNewScale","message":"recommended size matches current size"},)" +
         R"({"type":"ScalingActive","status":"True")" + condition +
         R"("reason":"ValidMetricFound","message":"the HPA was able to successfully calculate a )" +
         R"-(replica count from cpu resource utilization (percentage of request)"},)-" +
         R"({"type":"ScalingLimited","status":"False")" + condition +
         R"("reason":"DesiredWithinRange","message":"the desired count is within the acceptable )" +
         R"(range"}]}})";
}

// The fleet as its controller sees it, and the API server that sends it.
class World {
 public:
  World(int hpas, VirtualClock& clock) : hpas_(hpas), clock_(clock) {}

  // Lists in pages, as API servers do.
  Result<kube::Response> Answer(const kube::Request& request) {
    const bool hpas = request.path.ends_with("/horizontalpodautoscalers");
    const bool pods = request.path.ends_with("/pods");
    const int all = hpas ? hpas_ : pods ? hpas_ * kPodsEach : 0;
    const int first = std::atoi(support::QueryOf(request, "continue").c_str());
    const int limit = std::atoi(support::QueryOf(request, "limit").c_str());
    const int end = limit > 0 ? std::min(first + limit, all) : all;
    std::string list = R"({"metadata":{"resourceVersion":"5")";
    if (end < all) {
      list += R"(,"continue":")" + std::to_string(end) + '"';
    }
    list += R"(},"items":[)";
    for (int i = first; i < end; ++i) {
      list += (i > first ? "," : "") + (hpas ? Next(i) : support::PodJson(i));
    }
    return kube::Response{200, list + "]}"};
  }

  Status Stream(const kube::Request& request, const kube::LineSink& sink,
                const std::stop_token& stop) {
    return request.path.ends_with("/horizontalpodautoscalers")
               ? support::PushedStream(lines_, request, sink, stop)
               : support::SilentStream(request, sink, stop);
  }

  // Sends a new status of every HPA, some at a time, and returns when the watch has them all.
  // Returns the CPU seconds that this took, without what the world itself used.
  double WriteStatuses(const cluster::Watches& watches) {
    const double before = ProcessCpu() - ThreadCpu();
    for (int i = 0; i < hpas_;) {
      std::string lines;
      for (int end = std::min(i + kTogether, hpas_); i < end; ++i) {
        lines += R"({"type":"MODIFIED","object":)" + Next(i) + "}\n";
      }
      lines_.Push(std::move(lines));
      const std::string last = std::to_string(version_);
      while (watches.hpas.Get({NamespaceOf(i - 1), NameOf(i - 1)})->metadata.resource_version !=
             last) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
    }
    return ProcessCpu() - ThreadCpu() - before;
  }

 private:
  // The next status of an HPA; each is scaled at a time of its own.
  std::string Next(int hpa) {
    const std::int64_t now = clock_.Now().unix_nanoseconds() / 1'000'000'000;
    const std::int64_t turn = (now + hpa * 7) / kScalingSeconds;
    const Time scaled((turn * kScalingSeconds) - hpa * 7, 0);
    const int utilization = 57 + static_cast<int>(random_() % 7);
    return HpaJson(hpa, ++version_, utilization, 3 + static_cast<int>(turn % 2), scaled);
  }

  const int hpas_;
  VirtualClock& clock_;
  std::mt19937 random_{20260304};
  std::int64_t version_ = 10;
  support::Channel<std::string> lines_;
};

// Megabytes of this process that are in memory.
double Resident() {
  malloc_trim(0);
  long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%*d %ld", &pages) != 1) {
      Fail("/proc/self/statm cannot be read");
    }
    std::fclose(file);
  }
  return static_cast<double>(pages) * 4'096 / 1e6;
}

class Bench {
 public:
  Bench(int hpas, const fs::path& store) : hpas_(hpas), store_(store) {
    store::LedgerOptions options;
    ledger_ = store::testing::OpenLedger(store.string(), options).value();
    reconcilers_ = std::make_unique<controllers::Reconcilers>(watches_, ports_.With(*ledger_));
  }
  ~Bench() { watches_.Stop(); }

  void Start() {
    watches_.Start();
    constexpr std::chrono::minutes kPatience{2};
    if (!watches_.hpas.WaitForSync(kPatience) || !watches_.overrides.WaitForSync(kPatience) ||
        !watches_.pods.WaitForSync(kPatience)) {
      Fail("the watches have no list");
    }
    Observe();
    requests_ = transport_.requests().size();
  }

  // The CPU seconds of one status, from the watch's bytes to the cache.
  double TimeOfStatus(int rounds) {
    double used = 0;
    for (int i = 0; i < rounds; ++i) {
      clock_.Advance(kStatusSeconds);
      used += world_.WriteStatuses(watches_);
    }
    return used / rounds / hpas_;
  }

  // Lives for `seconds`; returns the CPU seconds of one observation, with the ledger's.
  double Live(int seconds) {
    const int period = static_cast<int>(kObservationPeriod.seconds());
    double used = 0;
    for (int i = 0; i < seconds / period; ++i) {
      clock_.Advance(period);
      world_.WriteStatuses(watches_);
      const double before = ProcessCpu();
      Observe();
      used += ProcessCpu() - before;
    }
    return used / (static_cast<double>(seconds) / period) / hpas_;
  }

  // What the store has, once it is closed.
  double Close() {
    reconcilers_.reset();
    ledger_.reset();
    return static_cast<double>(fs::file_size(store_));
  }

  // Requests since Start().
  std::size_t requests() const { return transport_.requests().size() - requests_; }

 private:
  // A commit takes what an operator's would: its looks are spread over the period.
  void Observe() {
    for (int i = 0; i < hpas_; ++i) {
      if (i % kInACommit == 0 && !ledger_->Flush().ok()) {
        Fail("the disk is too slow");
      }
      const auto next = reconcilers_->Begin({api::kHpaKind, NamespaceOf(i), NameOf(i)});
      if (!next) {
        Fail("an HPA is not served");
      }
    }
  }

  const int hpas_;
  const fs::path store_;
  VirtualClock clock_;
  World world_{hpas_, clock_};
  support::FakeTransport transport_{
      [this](const kube::Request& request) { return world_.Answer(request); },
      [this](const kube::Request& request, const kube::LineSink& sink,
             const std::stop_token& stop) { return world_.Stream(request, sink, stop); }};
  kube::Client client_{transport_};
  kube::RestMapper mapper_{transport_};
  cluster::Watches watches_{transport_, clock_, {}};
  cluster::ScaleTargets targets_{transport_, client_, mapper_, clock_, {}, Duration::Seconds(120)};
  sources::Sources sources_{client_, transport_, mapper_, clock_};
  cluster::PodOwners owners_{client_, mapper_, clock_};
  controllers::Gatherer gatherer_{watches_, targets_, owners_, sources_, clock_, {}};
  runtime::EventRecorder events_{transport_, clock_};
  controllers::ClusterPorts ports_{watches_, client_, targets_, gatherer_, events_, clock_};
  std::unique_ptr<store::Ledger> ledger_;
  std::unique_ptr<controllers::Reconcilers> reconcilers_;
  std::size_t requests_ = 0;
};

void Row(const char* what, const char* format, double measured, const char* aim) {
  char text[32];
  std::snprintf(text, sizeof text, format, measured);
  std::printf("  %-60s %12s %10s\n", what, text, aim);
  std::fflush(stdout);
}

constexpr int kSome = 500;

// The bytes of a store after that many seconds with kSome HPAs.
double SizeAfter(int seconds, const fs::path& store) {
  Bench some(kSome, store);
  some.Start();
  some.Live(seconds);
  return some.Close();
}

int Run(int hpas) {
  os::KeepTheHeapSmall();
  std::string name = (fs::temp_directory_path() / "ballast-bench-XXXXXX").string();
  const fs::path folder = mkdtemp(name.data());
  std::printf("Observing %d HPAs with %d pods, every status drifting every %d s:\n", hpas,
              hpas * kPodsEach, kStatusSeconds);
  Bench all(hpas, folder / "all");
  all.Start();
  const double status = all.TimeOfStatus(3);
  const double observation = all.Live(600);
  double most = Resident();
  Row("resident memory of the process after ten minutes", "%.1f MB", most, "60 MB");
  for (int i = 0; i < 24; ++i) {
    all.Live(600);
    most = std::max(most, Resident());
  }
  Row("the most that it has within four hours, seen every ten minutes", "%.1f MB", most, "60 MB");
  Row("CPU time of a status that the watch sends", "%.1f us", status * 1e6, "");
  Row("CPU time of an observation, with the ledger's", "%.1f us", observation * 1e6, "");
  const double a_second =
      hpas * (status / kStatusSeconds + observation / kObservationPeriod.seconds());
  Row("of one core", "%.2f %%", a_second * 100, "1 %");
  Row("requests beside the watches", "%.0f", static_cast<double>(all.requests()), "0");

  // A store begins with what each HPA needs once; that is no growth.
  const double begin = SizeAfter(6 * 3'600, folder / "begin");
  const double a_day = SizeAfter(30 * 3'600, folder / "a day later") - begin;
  Row("the store grows in a day by", "%.1f MB", a_day / kSome * hpas / 1e6, "20 MB");
  fs::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace ballast::bench

int main(int argc, char** argv) {
  return ballast::bench::Run(argc > 1 ? std::atoi(argv[1]) : 5'000);
}
