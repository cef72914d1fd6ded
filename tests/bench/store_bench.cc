// The cost of the store, through the ledger and its writer thread: how many decisions it records a
// second, which share of a core many policies need, how fast it opens, how much it writes a day,
// and how long writes wait while old history is deleted.
//
//   store_bench [intake] [fleet] [growth]      all of it, or these parts
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "operator/engine/testing/test_snapshot.h"
#include "operator/session/evaluation_record.h"
#include "store/sqlite/reader.h"
#include "store/testing/open_ledger.h"
#include "tests/bench/fleet.h"

namespace ballast::bench {
namespace {

namespace fs = std::filesystem;
using engine::testing::kNow;
using Clock = std::chrono::steady_clock;

double Since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Exits on an error.
void Check(const Status& status) {
  if (!status.ok()) {
    std::fprintf(stderr, "store_bench: %s\n", status.error().message.c_str());
    std::exit(1);
  }
}

std::unique_ptr<store::Ledger> Opened(const fs::path& path,
                                      const store::LedgerOptions& options = {}) {
  auto ledger = store::testing::OpenLedger(path.string(), options);
  Check(ledger.ok() ? Status(Done{}) : Status(ledger.error()));
  return std::move(ledger).value();
}

void CheckHealthy(const store::Ledger& ledger) {
  const store::LedgerHealth health = ledger.health();
  Check(health.problem ? Status(*health.problem) : Status(Done{}));
  Check(health.dropped == 0 ? Status(Done{})
                            : Error{Code::kFull, "records were dropped: nothing to measure"});
}

// A temporary folder.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "ballast-bench-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

void Row(const std::string& what, const std::string& measured, const std::string& aim = "") {
  std::printf("  %-64s %12s %10s\n", what.c_str(), measured.c_str(), aim.c_str());
  std::fflush(stdout);
}

std::string Number(double value, const char* unit, int digits = 0) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f%s%s", digits, value, *unit == '\0' ? "" : " ", unit);
  return text;
}

// Waiting times in milliseconds.
class Waits {
 public:
  void Add(double milliseconds) { waits_.push_back(milliseconds); }
  void Add(const Waits& more) {
    waits_.insert(waits_.end(), more.waits_.begin(), more.waits_.end());
  }
  // Median, 99th of a hundred, longest.
  std::string Print() {  // Median, 99th percentile, maximum.
    std::ranges::sort(waits_);
    char text[64];
    std::snprintf(text, sizeof text, "%.1f / %.1f / %.1f", At(0.5), At(0.99), waits_.back());
    return text;
  }

 private:
  double At(double share) const {
    return waits_[static_cast<std::size_t>(share * static_cast<double>(waits_.size() - 1))];
  }
  std::vector<double> waits_;
};

// ---- Intake

// An evaluation of a policy with ten pods, and its conclusion.
struct Sample {
  engine::Snapshot snapshot;
  engine::Conclusion conclusion;
  store::EvaluationRecord evaluation;

  Sample(const Sample&) = delete;  // the evaluation refers to the snapshot
  Sample(const std::string& name, std::int32_t replicas) {
    snapshot = engine::testing::MakePolicy(10);
    snapshot.autoscaler.metadata.name = name;
    snapshot.autoscaler.metadata.uid = "uid-" + name;
    snapshot.autoscaler.spec.metrics = {engine::testing::CpuMetric()};
    snapshot.metrics = {engine::testing::CpuOf(std::vector<std::string>(10, "48m"))};
    const engine::Decision decision = engine::Decide(snapshot);
    conclusion = engine::Conclude(snapshot, decision, {});
    evaluation = session::Describe(snapshot, decision, Duration::Seconds(15));
    evaluation.current_replicas = evaluation.desired_replicas = replicas;
  }
};

// Runs `work(thread, i)` for `each` values of i in each of `threads` threads; returns the calls a
// second.
template <typename Work>
double PerSecond(int threads, int each, store::Ledger& ledger, Work work) {
  const auto begin = Clock::now();
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      for (int i = 0; i < each; ++i) {
        work(t, i);
      }
    });
  }
  for (std::thread& thread : running) {
    thread.join();
  }
  while (ledger.health().waiting > 0) {
    (void)ledger.Flush();
  }
  const double seconds = Since(begin);
  CheckHealthy(ledger);
  return threads * each / seconds;
}

// Decisions that no caller waits for. Each begins a run, with snapshot and conclusion.
void MeasureDecisions(const Folder& folder) {
  constexpr int kThreads = 4;
  constexpr int kEach = 15'000;
  constexpr std::int64_t kMostWaiting = 8'000;  // of the writer's 20,000
  const auto ledger = Opened(folder / "decisions");
  const double rate = PerSecond(kThreads, kEach, *ledger, [&](int thread, int i) {
    const std::string name = "web-" + std::to_string(thread);
    thread_local Sample turns[] = {Sample(name, 10), Sample(name, 11)};
    while (ledger->health().waiting > kMostWaiting) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    Sample& sample = turns[i % 2];
    sample.evaluation.time = kNow + Duration::Seconds(i * 15);
    ledger->Append(
        store::Evaluated{sample.evaluation, sample.conclusion.memory, &sample.conclusion});
  });
  Row("decisions with their snapshots, a second, sustained", Number(rate, ""), "5,000");
}

// Attempts of five workers, each waiting until its intent is on disk.
void MeasureIntents(const Folder& folder) {
  constexpr int kThreads = 5;
  constexpr int kEach = 600;
  const auto ledger = Opened(folder / "intents");
  std::vector<Waits> waits(kThreads);
  const double rate = PerSecond(kThreads, kEach, *ledger, [&](int thread, int i) {
    thread_local Sample sample("web-" + std::to_string(thread), 10);
    sample.evaluation.time = kNow + Duration::Seconds(i * 15);
    sample.evaluation.desired_replicas = 11;
    const auto begin = Clock::now();
    const auto intent = ledger->AppendDurably(store::Intended{sample.evaluation});
    waits[static_cast<std::size_t>(thread)].Add(Since(begin) * 1e3);
    Check(intent.durable);
    store::Concluded concluded{intent.id};
    concluded.outcome.kind = engine::Outcome::Kind::kWritten;
    concluded.time = sample.evaluation.time;
    concluded.memory = sample.conclusion.memory;
    concluded.conclusion = &sample.conclusion;
    ledger->Append(concluded);
  });
  for (std::size_t i = 1; i < waits.size(); ++i) {
    waits[0].Add(waits[i]);
  }
  Row("intents and their outcomes, a second, by 5 workers", Number(rate, ""));
  Row("  until an intent is on disk, ms: median / 99 % / longest", waits[0].Print());
}

// ---- A fleet

constexpr std::size_t kPolicies = 10'000;
constexpr Pace kPace{Duration::Seconds(30), 0.3};

// The store's CPU time for `span` of simulated time, as a share of one core: the writer's, and the
// callers' while they are in the ledger. Commits are as far apart as in the operator.
double CpuShare(Fleet& fleet, store::Ledger& ledger, Duration span) {
  const auto delay = Duration::Milliseconds(store::LedgerOptions().commit_delay.count());
  const double process = ProcessCpu();
  const double caller = ThreadCpu();
  const double in_ledger = fleet.ledger_cpu();
  const Time end = fleet.now() + span;
  double flushing = 0;
  while (fleet.now() < end) {
    fleet.Live(ledger, delay);
    const double before = ThreadCpu();
    Check(ledger.Flush());
    flushing += ThreadCpu() - before;
  }
  const double writer = (ProcessCpu() - process) - (ThreadCpu() - caller);
  return (writer + flushing + fleet.ledger_cpu() - in_ledger) / span.seconds();
}

void MeasureFleet(const Folder& folder) {
  const fs::path path = folder / "fleet";
  auto ledger = Opened(path);
  Fleet fleet(kPolicies, kPace, kNow);
  fleet.Live(*ledger, Duration::Seconds(3'600));
  Row("CPU of 333 evaluations a second (10,000 policies, every 30 s)",
      Number(CpuShare(fleet, *ledger, Duration::Seconds(600)) * 100, "%", 2), "1 %");
  CheckHealthy(*ledger);

  // Copies as kill -9 and as SIGTERM leave them.
  Check(ledger->Flush());
  fs::copy(path, folder / "crashed");
  fs::copy(path.string() + "-wal", (folder / "crashed").string() + "-wal");
  ledger.reset();
  for (const auto& [name, file] :
       {std::pair("after a shutdown", path), std::pair("after a crash", folder / "crashed")}) {
    const auto begin = Clock::now();
    const auto restored = Opened(file);
    for (const Policy& policy : fleet.policies()) {
      if (!restored->Recall(policy.uid(), fleet.now())) {
        Check(Error{Code::kNotFound, policy.uid() + " has no memory"});
      }
    }
    Row(std::string("opening and restoring 10,000 policies ") + name,
        Number(Since(begin) * 1e3, "ms"), "1,000 ms");
  }
}

// ---- Growth

// Measures a day of some policies, and extrapolates: each policy has rows of its own.
void MeasureGrowth(const fs::path& path, const std::string& what, double swing,
                   std::int32_t size = 1) {
  constexpr std::size_t kSome = 200;
  Opened(path).reset();
  const auto empty = fs::file_size(path);
  Fleet fleet(kSome, {Duration::Seconds(15), swing, {}, size}, kNow);
  {
    const auto ledger = Opened(path);
    fleet.Live(*ledger, Duration::Seconds(86'400));
    CheckHealthy(*ledger);
  }
  const double each = static_cast<double>(fs::file_size(path) - empty) / kSome;
  Row(what + ": scalings of one policy in a day",
      Number(static_cast<double>(fleet.scalings()) / kSome, "", 1));
  Row("  bytes a day of one policy, every 15 s", Number(each, ""));
  Row("  of 1,000 policies", Number(each / 1e3, "MB"));
  Row("  of 5,000 policies", Number(each * 5 / 1e3, "MB"), "150 MB");
}

// The bytes a day of one of some policies; commits are a second apart, as in life.
double BytesADay(const fs::path& path, Duration late) {
  constexpr std::size_t kSome = 50;
  constexpr int kSeconds = 6 * 3'600;
  Opened(path).reset();
  const auto empty = fs::file_size(path);
  Fleet fleet(kSome, {Duration::Seconds(15), 0, late}, kNow);
  {
    const auto ledger = Opened(path);
    for (int i = 0; i < kSeconds; ++i) {
      fleet.Live(*ledger, Duration::Seconds(1));
      Check(ledger->Flush());
    }
    CheckHealthy(*ledger);
  }
  return static_cast<double>(fs::file_size(path) - empty) / kSome * 86'400 / kSeconds;
}

void MeasureLateness(const Folder& folder) {
  const double punctual = BytesADay(folder / "punctual", {});
  const double late = BytesADay(folder / "late", Duration::Seconds(1));
  Row("noise of 5 %, a commit every second: bytes a day of one policy", Number(punctual, ""));
  Row("  every other one 1 s late", Number(late, ""));
  Row("  that is so many times as much", Number(late / punctual, "", 2), "1.2");
}

// ---- Pauses

// How long intents wait for the disk while 333 evaluations a second arrive.
Waits WaitsOfIntents(const fs::path& path, const store::Retention& retention, Fleet& fleet) {
  const auto ledger = Opened(path, {.retention = retention});
  Waits waits;
  Sample sample("scaled", 10);
  sample.evaluation.desired_replicas = 11;
  for (auto next = Clock::now(), end = next + std::chrono::seconds(20); next < end;
       next += std::chrono::milliseconds(20)) {
    std::this_thread::sleep_until(next);
    fleet.Live(*ledger, Duration::Milliseconds(20));
    sample.evaluation.time = fleet.now();
    const auto begin = Clock::now();
    const auto intent = ledger->AppendDurably(store::Intended{sample.evaluation});
    waits.Add(Since(begin) * 1e3);
    Check(intent.durable);
    ledger->Append(store::Concluded{intent.id,
                                    {engine::Outcome::Kind::kFailed, "not tried"},
                                    fleet.now(),
                                    {},
                                    &sample.conclusion});
  }
  CheckHealthy(*ledger);
  return waits;
}

void MeasurePauses(const Folder& folder) {
  const fs::path path = folder / "fleet";
  const auto old = [&] {  // decisions of the day before
    auto reader = store::Reader::Open(path.string());
    return (*reader)->Entries({.until = kNow + Duration::Seconds(7'200)})->size();
  };
  Fleet fleet(kPolicies, kPace, kNow + Duration::Seconds(86'400));
  fleet.Live(*Opened(path), kPace.period);  // the first evaluation of each
  const std::string unit = ", ms: median / 99 % / longest";
  Row("until an intent is on disk" + unit, WaitsOfIntents(path, {}, fleet).Print());
  const auto before = old();
  Row("  while old history goes" + unit,
      WaitsOfIntents(path, {.age = Duration::Seconds(3'600)}, fleet).Print(), "50 ms");
  Row("  decisions that went meanwhile", std::to_string(before - old()));
}

int Run(const std::vector<std::string>& parts) {
  const Folder folder;
  const auto wanted = [&](const char* part) {
    return parts.empty() || std::ranges::find(parts, part) != parts.end();
  };
  std::printf("The store, by way of its writer's thread:\n");
  Row("", "measured", "aim");
  if (wanted("intake")) {
    MeasureDecisions(folder);
    MeasureIntents(folder);
  }
  if (wanted("fleet")) {
    MeasureFleet(folder);
    MeasurePauses(folder);
  }
  if (wanted("growth")) {
    MeasureGrowth(folder / "noise", "noise of 5 %", 0);
    MeasureGrowth(folder / "swing", "noise, and 30 % up and down in a day", 0.3);
    MeasureGrowth(folder / "large", "the same, with ten times the pods", 0.3, 10);
    MeasureLateness(folder);
  }
  return 0;
}

}  // namespace
}  // namespace ballast::bench

int main(int argc, char** argv) { return ballast::bench::Run({argv + 1, argv + argc}); }
