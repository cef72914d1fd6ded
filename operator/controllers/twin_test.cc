// Compares two runs of the same policy under the same load: one with slow or lost answers and
// kills, and an undisturbed one. The expected result is another run, not a computation.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "operator/controllers/cluster_ports.h"
#include "operator/controllers/gather.h"
#include "operator/controllers/reconcilers.h"
#include "operator/controllers/testing/reconcile.h"
#include "operator/kube/discovery.h"
#include "store/sqlite/reader.h"
#include "store/testing/open_ledger.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_discovery.h"
#include "tests/support/fake_transport.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_patience.h"

namespace ballast::controllers {
namespace {

using namespace std::chrono_literals;
using std::chrono::seconds;

const api::ObjectReference kWeb{api::kPolicyKind, "shop", "web"};

// A change of the replicas that the API server carried out.
struct Write {
  seconds at;  // since the start
  int from = 0;
  int to = 0;
};

// How a PATCH of the scale ends.
enum class Patch { kDone, kAnswerLost, kRequestLost, kLate, kRefusedByProxy };

// A cluster with one policy for one Deployment, and the operator's code that evaluates it.
class World {
 public:
  // The length of the queue, of which the target is ten a replica; negative: it cannot be had.
  using Load = std::function<int(seconds)>;

  World(int period, std::string behavior, Load load)
      : period_(period), behavior_(std::move(behavior)), load_(std::move(load)) {
    watches_.Start();
    EXPECT_TRUE(watches_.policies.WaitForSync(1min) && watches_.hpas.WaitForSync(1min) &&
                watches_.overrides.WaitForSync(1min) && watches_.pods.WaitForSync(1min));
    Restart();
  }

  // How long the metrics API takes for its n-th answer.
  std::function<seconds(int)> metric_takes = [](int) { return 0s; };
  std::function<Patch(int)> patch_comes_to = [](int) { return Patch::kDone; };
  bool stands_still = false;  // the process, while it sleeps
  std::vector<Write> writes;

  seconds elapsed() const { return std::chrono::duration_cast<seconds>(clock_.Steady() - start_); }

  // Evaluates as the controller does, each evaluation `late`, until `until` after the start.
  void Run(seconds until, std::chrono::nanoseconds late = 0s) {
    while (elapsed() < until) {
      const auto started = clock_.Steady();
      const auto next = Reconcile(*reconcilers_, kWeb);
      ASSERT_TRUE(next);
      std::chrono::nanoseconds wait =
          reconcilers_->NextRun(kWeb, next->period, started) - clock_.Steady();
      if (next->sooner) {
        wait = std::min(wait, std::chrono::nanoseconds(next->sooner->nanoseconds));
      }
      clock_.Advance(std::max(wait, std::chrono::nanoseconds(1ms)) + late);
      Arrive();
    }
  }

  // kill -9, and a start from what is on disk by then.
  void Restart() {
    const std::string path = folder_.path() + "/" + std::to_string(++starts_) + ".db";
    if (ledger_) {
      EXPECT_TRUE(ledger_->Flush().ok());
      for (const char* part : {"", "-wal"}) {
        std::filesystem::copy_file(path_ + part, path + part);
      }
    }
    path_ = path;
    reconcilers_.reset();
    events_.reset();
    ledger_ = store::testing::OpenLedger(path_, {.intent_timeout = support::Patience()}).value();
    events_ = std::make_unique<runtime::EventRecorder>(transport_, clock_);
    targets_ = std::make_unique<cluster::ScaleTargets>(
        transport_, client_, mapper_, clock_, std::vector<std::string>(), settings_.max_view_age);
    gatherer_ =
        std::make_unique<Gatherer>(watches_, *targets_, owners_, sources_, clock_, settings_);
    ports_ =
        std::make_unique<ClusterPorts>(watches_, client_, *targets_, *gatherer_, *events_, clock_);
    reconcilers_ = std::make_unique<Reconcilers>(
        watches_, ports_->With(*ledger_),
        ReconcilersOptions{.sessions = {.max_view_age = settings_.max_view_age,
                                        .longest_stall = [this](auto since) {
                                          return awake_ > since ? slept_ : 0ns;
                                        }}});
  }
  void Sleep(seconds span) {
    clock_.Advance(span);
    if (stands_still) {
      slept_ = span;
      awake_ = clock_.Steady();
    }
  }

  // The number of writes that the ledger has as written.
  int Recorded() {
    EXPECT_TRUE(ledger_->Flush().ok());
    int written = 0;
    const auto history = store::Reader::Open(path_).value()->Entries({}).value();
    for (const auto& entry : history) {
      written += entry.disposition == store::Disposition::kWritten ? 1 : 0;
    }
    return written;
  }

 private:
  static std::string List(const std::string& items) {
    return R"({"metadata":{"resourceVersion":"5"},"items":[)" + items + "]}";
  }

  Result<kube::Response> Do(const kube::Request& request) {
    if (request.method == kube::Method::kPatch && request.path.ends_with("/scale")) {
      return PatchScale(request.body);
    }
    if (request.method == kube::Method::kPatch) {
      stored_policy_ = request.body;
      return kube::Response{200, R"({"metadata":{"resourceVersion":"9"}})"};
    }
    if (request.method == kube::Method::kPost) {
      return kube::Response{201, R"({"metadata":{"name":"event"}})"};
    }
    if (request.path.starts_with("/apis/external.metrics.k8s.io/") && load_(elapsed()) < 0) {
      return Error{Code::kUnavailable, "the adapter is down"};
    }
    return kube::Response{200, Get(request.path)};
  }

  std::string Get(const std::string& path) {
    if (path.ends_with("/autoscalepolicies")) {
      return List(
          R"({"metadata":{"name":"web","namespace":"shop","uid":"p1","resourceVersion":"3","generation":1},)"
          R"("spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"},)"
          R"("minReplicas":1,"maxReplicas":20,"mode":"Active","syncPeriodSeconds":)" +
          std::to_string(period_) + R"(,"behavior":)" + behavior_ +
          R"(,"metrics":[{"type":"External","external":{"metric":{"name":"queue"},)"
          R"("target":{"type":"AverageValue","averageValue":"10"}}}]}})");
    }
    if (path.starts_with("/apis/external.metrics.k8s.io/")) {
      // The value at the time of the request, however long the answer takes.
      const std::string value = std::to_string(load_(elapsed()));
      const std::string sampled = Print(clock_.Now());
      clock_.Advance(metric_takes(++asked_));
      return R"({"items":[{"metricName":"queue","timestamp":")" + sampled + R"(","value":")" +
             value + R"("}]})";
    }
    if (const auto discovered = support::DiscoverApps(path)) {
      return discovered->body;
    }
    if (path.ends_with("/scale")) {
      return Scale();
    }
    if (path.ends_with("/autoscalepolicies/web")) {
      return stored_policy_;
    }
    if (path.ends_with("/deployments/web")) {
      return Scale();
    }
    return List("");
  }

  std::string Scale() const {
    const std::string count = std::to_string(replicas_);
    return R"({"metadata":{"name":"web","namespace":"shop","uid":"d1","resourceVersion":")" +
           std::to_string(10 + writes.size()) +
           R"(","managedFields":[{"manager":"ballast","operation":"Update","fieldsV1":)"
           R"({"f:spec":{"f:replicas":{}}}}]},"spec":{"replicas":)" +
           count + R"(},"status":{"replicas":)" + count + R"(,"selector":"app=web"}})";
  }

  Result<kube::Response> PatchScale(const std::string& body) {
    const Patch fate = patch_comes_to(++patches_);
    if (fate == Patch::kRequestLost) {
      return Error{Code::kTimeout, "no answer"};
    }
    if (fate == Patch::kRefusedByProxy) {
      return Error{Code::kUnavailable, "502"};
    }
    if (fate == Patch::kLate) {
      late_ = body;
      arrives_ = clock_.Steady() + 7s;
      return Error{Code::kTimeout, "no answer"};
    }
    const Status applied = Apply(body);
    if (fate == Patch::kAnswerLost) {
      return Error{Code::kTimeout, "no answer"};
    }
    TRY(applied);
    return kube::Response{200, Scale()};
  }

  // As the API server applies a JSON patch: all tests must pass, or nothing changes.
  Status Apply(const std::string& body) {
    const std::string replicas = R"("path":"/spec/replicas","value":)";
    std::vector<int> values;
    for (auto at = body.find(replicas); at != std::string::npos; at = body.find(replicas, at + 1)) {
      values.push_back(std::stoi(body.substr(at + replicas.size())));
    }
    if (values.size() != 2 || values[0] != replicas_) {
      return Error{Code::kConflict, "the test failed"};
    }
    writes.push_back({elapsed(), values[0], values[1]});
    replicas_ = values[1];
    return Done{};
  }

  void Arrive() {
    if (!late_.empty() && clock_.Steady() >= arrives_) {
      EXPECT_TRUE(Apply(std::exchange(late_, "")).ok());
    }
  }

  // The watches are silent, which these tests are not about.
  const engine::Settings settings_{.max_view_age = Duration::Seconds(1'000'000)};
  const int period_;
  const std::string behavior_;
  const Load load_;
  support::TempDir folder_;
  std::string path_;
  int starts_ = 0;
  int asked_ = 0;
  int patches_ = 0;
  int replicas_ = 1;
  std::chrono::nanoseconds slept_{0};
  process::SteadyTime awake_;
  std::string late_;  // a delayed PATCH
  process::SteadyTime arrives_;
  std::string stored_policy_ = "{}";
  support::FakeClock clock_;
  const process::SteadyTime start_ = clock_.Steady();
  support::FakeTransport transport_{[this](const kube::Request& request) { return Do(request); },
                                    support::SilentStream};
  kube::Client client_{transport_};
  kube::RestMapper mapper_{transport_};
  cluster::Watches watches_{transport_, clock_, {}};
  std::unique_ptr<cluster::ScaleTargets> targets_;
  sources::Sources sources_{client_, transport_, mapper_, clock_};
  cluster::PodOwners owners_{client_, mapper_, clock_};
  std::unique_ptr<store::Ledger> ledger_;
  std::unique_ptr<Gatherer> gatherer_;
  std::unique_ptr<runtime::EventRecorder> events_;
  std::unique_ptr<ClusterPorts> ports_;
  std::unique_ptr<Reconcilers> reconcilers_;
};

constexpr int kPeriod = 5;
constexpr seconds kWindow{60};
constexpr const char* kBehavior =
    R"({"scaleUp":{"policies":[{"type":"Pods","value":4,"periodSeconds":15}]},)"
    R"("scaleDown":{"stabilizationWindowSeconds":60,"policies":)"
    R"([{"type":"Percent","value":100,"periodSeconds":15}]}})";

// A steep rise, a swing on the plateau that a window has to bridge, and a fall for good: after the
// last look of each run at the plateau, however late its looks are.
int Swinging(seconds at) {
  if (at < 20s) {
    return 10;
  }
  if (at < 302s) {
    return at > 200s && at < 240s ? 90 : 150;
  }
  return 20;
}

struct Disturbance {
  std::string name;
  std::function<void(World&)> live;  // ten minutes
  seconds late{0};                   // how much later than the twin's a write may be
};

void PrintTo(const Disturbance& d, std::ostream* out) { *out << d.name; }

class Twins : public testing::TestWithParam<Disturbance> {};

std::function<void(World&)> WithPatches(std::function<Patch(int)> comes_to) {
  return [=](World& world) {
    world.patch_comes_to = comes_to;
    world.Run(600s);
  };
}

// The same counts, never earlier than the twin, and later by at most `late`.
TEST_P(Twins, ComeToTheSameCounts) {
  World twin(kPeriod, kBehavior, Swinging);
  twin.Run(600s);
  ASSERT_GE(twin.writes.size(), 5u);
  World world(kPeriod, kBehavior, Swinging);
  GetParam().live(world);
  std::string seen;
  for (const Write& write : world.writes) {
    seen += std::to_string(write.at.count()) + " s: " + std::to_string(write.from) + " to " +
            std::to_string(write.to) + "\n";
  }
  ASSERT_EQ(world.writes.size(), twin.writes.size()) << seen;
  for (std::size_t i = 0; i < twin.writes.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(world.writes[i].from, twin.writes[i].from) << seen;
    EXPECT_EQ(world.writes[i].to, twin.writes[i].to) << seen;
    EXPECT_GE(world.writes[i].at, twin.writes[i].at) << seen;
    EXPECT_LE(world.writes[i].at, twin.writes[i].at + GetParam().late) << seen;
  }
  EXPECT_EQ(world.Recorded(), static_cast<int>(world.writes.size()))
      << "each write is on record, and none that was not made";
}

constexpr seconds kEvaluation{kPeriod};

INSTANTIATE_TEST_SUITE_P(
    All, Twins,
    testing::Values(Disturbance{"SlowAnswers",
                                [](World& world) {
                                  world.metric_takes = [](int n) { return n % 6 == 0 ? 4s : 0s; };
                                  world.Run(600s);
                                },
                                2 * 4s},  // the rise meets two, and rates count from the decision
                    Disturbance{"AlwaysLate", [](World& world) { world.Run(600s, 12s); }, 12s},
                    Disturbance{"KilledEvery20s",
                                [](World& world) {
                                  for (seconds at = 20s; at <= 600s; at += 20s) {
                                    world.Run(at);
                                    world.Restart();
                                    world.Sleep(2s);
                                  }
                                },
                                2 * kEvaluation},
                    Disturbance{"AnswersLost", WithPatches([](int) { return Patch::kAnswerLost; }),
                                kEvaluation},
                    Disturbance{"EachFirstRequestLost", WithPatches([](int n) {
                                  return n % 2 == 1 ? Patch::kRequestLost : Patch::kDone;
                                }),
                                4 * (seconds(session::kSettleTime) + kEvaluation)},
                    Disturbance{"EachFirstRefusedOnTheWay", WithPatches([](int n) {
                                  return n % 2 == 1 ? Patch::kRefusedByProxy : Patch::kDone;
                                }),
                                4 * (seconds(session::kSettleTime) + kEvaluation)},
                    Disturbance{"ArriveLate", WithPatches([](int) { return Patch::kLate; }),
                                4 * (8s + kEvaluation)}),
    [](const auto& d) { return d.param.name; });

// There are no evaluations for 400 s in which the load falls.
TEST(Twin, APauseCountsOnlyWhereTheProcessStoodStill) {
  for (const bool longest_stall : {false, true}) {
    World world(kPeriod, kBehavior, [](seconds at) { return at < 100s ? 80 : 20; });
    world.Run(90s);
    world.stands_still = longest_stall;
    world.Sleep(400s);
    world.Run(600s);
    ASSERT_EQ(world.writes.back().to, 2);
    if (longest_stall) {  // what was recommended meanwhile is unknown
      EXPECT_GE(world.writes.back().at, 490s + kWindow);
      EXPECT_LE(world.writes.back().at, 490s + kWindow + 2 * kEvaluation);
    } else {  // merely late
      EXPECT_LE(world.writes.back().at, 490s + kEvaluation);
    }
  }
}

// No metric gives a value for two minutes, the last one at most a period before.
TEST(Twin, AFallbackCountsInItsTimeHoweverOftenTheProcessIsKilled) {
  constexpr seconds kAfter{42};
  constexpr seconds kLost{71};
  constexpr seconds kBack{200};
  const std::string fallback =
      std::string(kBehavior) + R"(,"fallback":{"afterSeconds":42,"replicas":6})";
  for (const bool killed : {false, true}) {
    SCOPED_TRACE(killed);
    World world(kPeriod, fallback, [=](seconds at) { return at >= kLost && at < kBack ? -1 : 20; });
    for (seconds at = 20s; at <= 300s; at += 20s) {
      world.Run(at);
      if (killed) {
        world.Restart();
        world.Sleep(2s);
      }
    }
    ASSERT_EQ(world.writes.size(), 3u);
    EXPECT_EQ(world.writes[1].to, 6);
    EXPECT_GE(world.writes[1].at, kLost - kEvaluation + kAfter);
    EXPECT_LE(world.writes[1].at, kLost + kAfter + 2s);
    EXPECT_EQ(world.writes[2].to, 2);
    EXPECT_GE(world.writes[2].at, kBack + kWindow) << "no value was there for longer than that";
    EXPECT_LE(world.writes[2].at, kBack + kWindow + 2 * kEvaluation);
  }
}

}  // namespace
}  // namespace ballast::controllers
