#include "operator/controllers/reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "api/autoscaling/condition_types.h"
#include "operator/controllers/cluster_ports.h"
#include "operator/controllers/controller.h"
#include "operator/controllers/gather.h"
#include "operator/controllers/testing/await_list.h"
#include "operator/controllers/testing/reconcile.h"
#include "operator/kube/discovery.h"
#include "store/sqlite/reader.h"
#include "store/sqlite/sqlite_ledger.h"
#include "store/testing/test_store.h"
#include "tests/support/channel.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_discovery.h"
#include "tests/support/fake_transport.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_patience.h"

namespace ballast::controllers {
namespace {

using kube::Method;
using kube::Request;
using kube::Response;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

const api::ObjectReference kWeb{api::kPolicyKind, "shop", "web"};

// A fake API server with one policy for one Deployment, whose pods are at twice their target.
class Cluster {
 public:
  std::string policy_extra;    // inserted into the policy's spec
  std::string hpas;            // items
  std::string usage = "100m";  // of each pod; the target is 50m
  std::string sampled = "2023-11-14T22:13:15Z";
  // No request for metrics is answered. Threads of watches look at it, too.
  std::atomic<bool> metrics_silent = false;
  int silences = 0;
  std::string metrics =
      R"({"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":50}}})";
  std::optional<Error> scale_error;        // of the PATCH of the scale
  std::optional<Error> status_error;       // of the PATCH of a status
  std::string scale_after = Scale(2, "");  // of a GET of the scale after a PATCH
  std::function<void()> on_scale_patch = [] {};
  std::function<void()> on_scale_read = [] {};
  // Guards scale_patches and last_status while several threads evaluate and write.
  mutable std::mutex mutex;
  std::vector<std::string> scale_patches;
  std::string last_status;
  std::atomic<int> policy_version = 3;  // incremented by each write of the status

  static std::string Scale(int replicas, const std::string& managed_fields) {
    return R"({"metadata":{"name":"web","namespace":"shop","uid":"d1","resourceVersion":"9",)"
           R"("managedFields":[)" +
           managed_fields + R"(]},"spec":{"replicas":)" + std::to_string(replicas) +
           R"(},"status":{"replicas":2,"selector":"app=web"}})";
  }

  // As lists and watches have it.
  std::string Policy() const {
    return R"({"metadata":{"name":"web","namespace":"shop","uid":"p1","resourceVersion":")" +
           std::to_string(policy_version) +
           R"(","generation":1},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1",)"
           R"("kind":"Deployment","name":"web"},"maxReplicas":10,"mode":"Active","metrics":[)" +
           metrics + "]" + policy_extra + "}}";
  }

  Result<Response> Do(const Request& request) {
    if (request.method == Method::kPatch && request.path.ends_with("/scale")) {
      on_scale_patch();
      {
        const std::lock_guard lock(mutex);
        scale_patches.push_back(request.body);
      }
      if (scale_error) {
        return *scale_error;
      }
      return Response{200, Scale(4, "")};
    }
    if (request.method == Method::kPatch && request.path.ends_with("/status")) {
      if (status_error) {
        return *status_error;
      }
      const std::lock_guard lock(mutex);
      const auto version = [this] {
        return R"("resourceVersion":")" + std::to_string(policy_version) + '"';
      };
      if (request.body.find(version()) == std::string::npos) {
        return Error{Code::kConflict, "the object has been modified"};
      }
      ++policy_version;
      last_status = request.body;
      return Response{200, R"({"metadata":{"uid":"p1",)" + version() + "}}"};
    }
    if (request.method == Method::kPost) {
      return Response{201, R"({"metadata":{"name":"event"}})"};
    }
    if (metrics_silent && request.path.starts_with("/apis/metrics.k8s.io/")) {
      return Error{.code = Code::kTimeout,
                   .message = "no answer within " + std::to_string(++silences) + " ms",
                   .unanswered = true};
    }
    if (request.method == Method::kGet && request.path.ends_with("/scale")) {
      on_scale_read();
    }
    return Response{200, Get(request.path)};
  }

 private:
  static std::string List(const std::string& items) {
    return R"({"metadata":{"resourceVersion":"5"},"items":[)" + items + "]}";
  }
  static std::string Pod(const std::string& name) {
    return R"({"metadata":{"name":")" + name + R"(","namespace":"shop","uid":")" + name +
           R"(","resourceVersion":"1","labels":{"app":"web"}},)"
           R"("spec":{"containers":[{"name":"app","resources":{"requests":{"cpu":"100m"}}}]},)"
           R"("status":{"phase":"Running","startTime":"2023-01-01T00:00:00Z","conditions":)"
           R"([{"type":"Ready","status":"True","lastTransitionTime":"2023-01-01T00:00:10Z"}]}})";
  }
  std::string Usage(const std::string& name) const {
    return R"({"metadata":{"name":")" + name + R"(","namespace":"shop"},"timestamp":")" + sampled +
           R"(","window":"10s","containers":[{"name":"app","usage":{"cpu":")" + usage + R"("}}]})";
  }

  std::string Get(const std::string& path) const {
    if (path.ends_with("/autoscalepolicies")) {
      return List(Policy());
    }
    if (path.ends_with("/horizontalpodautoscalers")) {
      return List(hpas);
    }
    if (path == "/api/v1/pods") {
      return List(Pod("web-0") + "," + Pod("web-1"));
    }
    if (path.starts_with("/apis/metrics.k8s.io/")) {
      return List(Usage("web-0") + "," + Usage("web-1"));
    }
    if (const auto discovered = support::DiscoverApps(path)) {
      return discovered->body;
    }
    if (path.ends_with("/scale")) {
      const std::lock_guard lock(mutex);
      return scale_patches.empty() ? Scale(2, "") : scale_after;
    }
    if (path.ends_with("/autoscalepolicies/web")) {
      return R"({"metadata":{"uid":"p1","resourceVersion":")" + std::to_string(policy_version) +
             R"(","generation":1}})";
    }
    if (path.ends_with("/configmaps/" + MemoryObjectOf({"shop", "api"}).name)) {
      return R"({"metadata":{"name":"any"},"data":{"api":"{}"}})";
    }
    return List("");
  }
};

class ReconcilerTest : public testing::Test {
 protected:
  ~ReconcilerTest() override { events_.reset(); }

  // Starts the watches with the cluster as set up by then.
  void Start() { Start(watches_); }
  static void Start(cluster::Watches& watches) {
    watches.Start();
    ASSERT_TRUE(watches.policies.WaitForSync(std::chrono::minutes(1)));
    ASSERT_TRUE(watches.hpas.WaitForSync(std::chrono::minutes(1)));
    ASSERT_TRUE(watches.overrides.WaitForSync(std::chrono::minutes(1)));
    ASSERT_TRUE(watches.pods.WaitForSync(std::chrono::minutes(1)));
  }
  // A reconciler wired as in the operator, except for the ledger.
  SessionOptions Options() { return {.max_view_age = settings_.max_view_age}; }
  Reconciler With(store::Ledger& ledger) { return With(ledger, Options()); }
  Reconciler With(store::Ledger& ledger, SessionOptions options) {
    return Reconciler(watches_, ports_.With(ledger), std::move(options));
  }

  Status Watch(const Request& request, const kube::LineSink& sink, const std::stop_token& stop) {
    if (request.path.ends_with("/horizontalpodautoscalers")) {
      return support::PushedStream(hpa_events_, request, sink, stop);
    }
    if (!request.path.ends_with("/autoscalepolicies")) {
      return support::SilentStream(request, sink, stop);
    }
    return support::PushedStream(policy_events_, request, sink, stop);
  }

  // Waits until the watch has delivered that version.
  void WaitForVersion(const api::ObjectReference& key, const std::string& version) {
    for (;;) {
      const auto present = watches_.Find(key);
      if (present != nullptr && present->metadata.resource_version == version) {
        return;
      }
      std::this_thread::yield();
    }
  }

  // How often metrics were requested, which only evaluations do.
  auto CountMetricsRequests() const {
    return std::ranges::count_if(transport_.requests(), [](const Request& request) {
      return request.path.starts_with("/apis/metrics.k8s.io/");
    });
  }

  // The events of that reason that the API server received. Stops the recorder.
  std::vector<std::string> EventsOf(const std::string& reason) {
    events_->Stop();
    std::vector<std::string> bodies;
    for (const Request& request : transport_.requests()) {
      if (request.method == Method::kPost &&
          request.body.find(R"("reason":")" + reason) != std::string::npos) {
        bodies.push_back(request.body);
      }
    }
    return bodies;
  }

  Cluster cluster_;
  support::TempDir folder_;
  support::FakeClock clock_;
  support::Channel<std::string> policy_events_;  // lines of the watch of policies
  support::Channel<std::string> hpa_events_;     // of that of HPAs
  support::FakeTransport transport_{
      [this](const Request& request) { return cluster_.Do(request); },
      [this](const Request& request, const kube::LineSink& sink, const std::stop_token& stop) {
        return Watch(request, sink, stop);
      }};
  kube::Client client_{transport_};
  kube::RestMapper mapper_{transport_};
  const std::string store_ = folder_.path() + "/ballast.db";
  std::unique_ptr<store::Ledger> ledger_ =
      store::OpenLedger(store_, {.intent_timeout = support::Patience()}).value();
  cluster::Watches watches_{transport_, clock_, {}};
  cluster::ScaleTargets targets_{transport_, client_, mapper_, clock_, {}};
  sources::Sources sources_{client_, transport_, mapper_, clock_};
  cluster::PodOwners owners_{client_, mapper_, clock_};
  // The watches are silent, which these tests are not about.
  const engine::Settings settings_{.max_view_age = Duration::Seconds(1'000'000)};
  Gatherer gatherer_{watches_, targets_, owners_, sources_, clock_, settings_};
  std::unique_ptr<runtime::EventRecorder> events_ =
      std::make_unique<runtime::EventRecorder>(transport_, clock_);
  ClusterPorts ports_{watches_, client_, targets_, gatherer_, *events_, clock_};
  Reconciler reconciler_ = With(*ledger_);
};

TEST_F(ReconcilerTest, RecordsTheIntentBeforeItWritesTheScale) {
  std::vector<store::Entry> at_patch;
  cluster_.on_scale_patch = [&] {
    at_patch = store::Reader::Open(store_).value()->Entries({}).value();
  };
  Start();
  EXPECT_EQ(Reconcile(reconciler_, kWeb)->period, Duration::Seconds(15));
  ASSERT_EQ(at_patch.size(), 1u);
  EXPECT_EQ(at_patch[0].disposition, store::Disposition::kIntended);
  EXPECT_EQ(at_patch[0].current_replicas, 2);
  EXPECT_EQ(at_patch[0].desired_replicas, 4);
  ASSERT_EQ(cluster_.scale_patches.size(), 1u);
  EXPECT_EQ(cluster_.scale_patches[0], kube::PrintScalePatch({"d1", 2, 4}));
  ASSERT_TRUE(ledger_->Flush().ok());
  const auto seen = store::Reader::Open(store_).value()->Look({.key = kWeb.key()}, clock_.Now());
  EXPECT_EQ(seen->last->disposition, store::Disposition::kWritten);
  EXPECT_THAT(seen->documents.conclusion, HasSubstr(R"("trace":[)"));
  EXPECT_THAT(cluster_.last_status, HasSubstr(R"("desiredReplicas":4)"));
  EXPECT_THAT(cluster_.last_status, HasSubstr(R"("targets":"cpu: 100%/50%")"));
}

std::string Managed(const char* manager) {
  return std::string(R"({"manager":")") + manager +
         R"(","operation":"Update","time":"2099-01-01T00:00:00Z",)"
         R"("fieldsV1":{"f:spec":{"f:replicas":{}}}})";
}

// An HPA that its controller has just scaled from 3 to 5. `writer`: who wrote its status.
std::string ScaledHpa(const std::string& annotations,
                      const std::string& writer = "kube-controller-manager") {
  return R"({"metadata":{"name":"api","namespace":"shop","uid":"h1","resourceVersion":"7",)"
         R"("managedFields":[{"operation":"Update","subresource":"status","manager":")" +
         writer + R"(","time":"2023-11-14T22:13:20Z","fieldsV1":{"f:status":{}}}],)" +
         R"("annotations":{)" + annotations +
         R"(}},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"api"},)"
         R"("maxReplicas":10},"status":{)" +
         (writer == kube::kFieldManager ? R"("observedGeneration":0,)" : "") +
         R"("currentReplicas":3,"desiredReplicas":5,)"
         R"("lastScaleTime":"2023-11-14T22:13:20Z","conditions":[{"type":"AbleToScale",)"
         R"("status":"True","reason":"SucceededRescale","message":"the HPA controller was able"}]}})";
}

const api::ObjectReference kApi{api::kHpaKind, "shop", "api"};

TEST_F(ReconcilerTest, IgnoresAnHpaIfItsAnnotationSaysSo) {
  cluster_.hpas = ScaledHpa(R"("ballast.dev/hpa-mode":"ignore")");
  Start();
  EXPECT_EQ(Reconcile(reconciler_, kApi), std::nullopt);
  EXPECT_FALSE(reconciler_.Serves(*watches_.Find(kApi)));
  ASSERT_TRUE(ledger_->Flush().ok());
  EXPECT_THAT(store::Reader::Open(store_).value()->Entries({}).value(), testing::IsEmpty());
}

// The edit that ends an HPA's history belongs to it.
TEST_F(ReconcilerTest, RecordsThatAnHpaIsToBeIgnored) {
  cluster_.hpas = ScaledHpa("");
  Start();
  Reconcile(reconciler_, kApi);
  std::string ignored = ScaledHpa(R"("ballast.dev/hpa-mode":"ignore")");
  const std::string version = R"("resourceVersion":"7")";
  ignored.replace(ignored.find(version), version.size(), R"("resourceVersion":"8")");
  hpa_events_.Push(R"({"type":"MODIFIED","object":)" + ignored + "}");
  WaitForVersion(kApi, "8");
  EXPECT_EQ(Reconcile(reconciler_, kApi), std::nullopt);
  ASSERT_TRUE(ledger_->Flush().ok());
  const auto edits = store::Reader::Open(store_).value()->Edits({}).value();
  ASSERT_EQ(edits.size(), 1u);
  EXPECT_EQ(edits[0].edit.field, "metadata.annotations[ballast.dev/hpa-mode]");
  EXPECT_EQ(edits[0].edit.before + "|" + edits[0].edit.after, "|ignore");
}

// However its words change: a circuit breaker's, an age's.
TEST_F(ReconcilerTest, AnOutageIsTwoStatusesAtMost) {
  const struct {
    const char* name;
    std::function<void()> begin;
  } kOutages[] = {
      {"a source that does not answer", [this] { cluster_.metrics_silent = true; }},
      {"one whose samples grow old", [this] { cluster_.sampled = "2023-11-14T22:03:15Z"; }},
  };
  cluster_.usage = "50m";
  Start();
  for (const auto& outage : kOutages) {
    cluster_.metrics_silent = false;
    cluster_.sampled = Print(clock_.Now());
    Reconcile(reconciler_, kWeb);
    clock_.Advance(std::chrono::minutes(20));
    outage.begin();
    const int before = cluster_.policy_version;
    for (int i = 0; i < 20; ++i) {
      Reconcile(reconciler_, kWeb);
      clock_.Advance(std::chrono::seconds(15));
    }
    const int written = cluster_.policy_version - before;
    EXPECT_GE(written, 1) << outage.name;
    EXPECT_LE(written, 2) << outage.name;
    EXPECT_THAT(cluster_.last_status, HasSubstr("FailedGetResourceMetric")) << outage.name;
  }
}

TEST_F(ReconcilerTest, TellsTheAttemptsUnderWay) {
  std::chrono::nanoseconds settled_within = kLongestWait + kSettleTime;
  const auto told = [&] {
    std::vector<std::string> attempts;
    for (const auto& attempt : reconciler_.DebugState().items) {
      EXPECT_EQ(attempt.settled_by - clock_.Steady(), settled_within);
      EXPECT_EQ(attempt.decided, Print(clock_.Now()));
      attempts.push_back(attempt.autoscaler + " " + std::to_string(attempt.from) + ">" +
                         std::to_string(attempt.to));
    }
    return attempts;
  };
  std::vector<std::string> while_sent;
  cluster_.on_scale_patch = [&] { while_sent = told(); };
  cluster_.scale_error = Error{Code::kTimeout, "no answer"};
  Start();
  EXPECT_THAT(told(), testing::IsEmpty());
  Reconcile(reconciler_, kWeb);
  EXPECT_THAT(while_sent, testing::ElementsAre("asp/shop/web 2>4"));
  settled_within = kSettleTime;
  EXPECT_THAT(told(), testing::ElementsAre("asp/shop/web 2>4")) << "its outcome is not known";
  cluster_.scale_after = Cluster::Scale(4, Managed("ballast"));
  clock_.Advance(kSettleTime);
  Reconcile(reconciler_, kWeb);
  EXPECT_THAT(told(), testing::IsEmpty());
}

// Its session finds out what became of it; settled blindly, it would count as written.
TEST_F(ReconcilerTest, LeavesTheIntentOfAnHpaToItsSession) {
  cluster_.hpas = ScaledHpa(R"("ballast.dev/hpa-mode":"manage")");
  ledger_->AppendDurably(store::Intended{{.subject = {"h1", api::kHpaKind, kApi.key()},
                                          .time = clock_.Now(),
                                          .current_replicas = 3,
                                          .desired_replicas = 5,
                                          .snapshot = &store::testing::SnapshotOf("api")}});
  ledger_.reset();
  ledger_ = store::OpenLedger(store_, {.intent_timeout = support::Patience()}).value();
  Reconciler restarted = With(*ledger_);
  Start();
  restarted.SettleAbandoned();
  EXPECT_EQ(ledger_->OpenIntents().size(), 1u);
}

// Also if another controller has taken it over since.
TEST_F(ReconcilerTest, RemovesTheMemoryOfAManagedHpaThatIsDeleted) {
  std::string hpa = ScaledHpa(R"("ballast.dev/hpa-mode":"manage")", kube::kFieldManager);
  cluster_.hpas = hpa;
  cluster_.policy_version = 7;  // the HPA's
  SessionOptions options = Options();
  options.take_over_in = {{"shop"}};
  Reconciler reconciler = With(*ledger_, options);
  Start();
  ASSERT_TRUE(Reconcile(reconciler, kApi));  // asks whether it is held still
  const std::string version = R"("resourceVersion":")";
  hpa.replace(hpa.find(version + "7"), version.size() + 1, version + "8");
  hpa_events_.Push(R"({"type":"MODIFIED","object":)" + hpa + "}");
  WaitForVersion(kApi, "8");
  ASSERT_TRUE(Reconcile(reconciler, kApi));
  std::string taken = ScaledHpa(R"("ballast.dev/hpa-mode":"manage")");
  taken.replace(taken.find(version + "7"), version.size() + 1, version + "2000");
  hpa_events_.Push(R"({"type":"MODIFIED","object":)" + taken + "}");
  WaitForVersion(kApi, "2000");
  EXPECT_THAT(reconciler.ObstacleTo(kApi), HasSubstr("another controller is at work"));
  ASSERT_TRUE(Reconcile(reconciler, kApi));
  hpa_events_.Push(R"({"type":"DELETED","object":)" + hpa + "}");
  while (watches_.Find(kApi) != nullptr) {
    std::this_thread::yield();
  }
  EXPECT_FALSE(Reconcile(reconciler, kApi));
  const auto removes = [](const Request& request) {
    return request.path.ends_with("/configmaps/" + MemoryObjectOf({"shop", "api"}).name) &&
           request.body.find(R"({"op":"remove","path":"/data/api"})") != std::string::npos;
  };
  EXPECT_EQ(std::ranges::count_if(transport_.requests(), removes), 1);
}

TEST_F(ReconcilerTest, AsksForNoMetricOfAnHpaThatAnotherControllerHolds) {
  std::string hpa = ScaledHpa(R"("ballast.dev/hpa-mode":"manage")");
  const std::string limit = R"("maxReplicas":10)";
  hpa.replace(hpa.find(limit), limit.size(), limit + R"(,"metrics":[)" + cluster_.metrics + "]");
  cluster_.hpas = hpa;
  SessionOptions options = Options();
  options.take_over_in = {{"shop"}};
  Reconciler reconciler = With(*ledger_, options);
  Start();
  for (int look = 0; look < 3; ++look) {
    support::Channel<bool> ready;
    if (!reconciler.Prepare(kApi, [&] { ready.Push(true); })) {
      EXPECT_TRUE(ready.Pop()) << look;
    }
    Reconcile(reconciler, kApi);
  }
  const auto of_metrics = [](const Request& request) {
    return request.path.find("metrics.k8s.io") != std::string::npos;
  };
  EXPECT_TRUE(std::ranges::none_of(transport_.requests(), of_metrics));
}

TEST_F(ReconcilerTest, TellsOfAModeThatIsNone) {
  cluster_.hpas = ScaledHpa(R"("ballast.dev/hpa-mode":"Manage")");
  Start();
  Reconcile(reconciler_, kApi);
  Reconcile(reconciler_, kApi);
  const auto events = EventsOf("ModeNotUnderstood");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_THAT(events[0], HasSubstr("Manage"));
}

// An API server can be newer than this program.
TEST_F(ReconcilerTest, ManagesNoHpaThatItDoesNotUnderstand) {
  const std::string hpa = ScaledHpa(R"("ballast.dev/hpa-mode":"manage")");
  const struct {
    const char* fields;
    const char* said;
  } kCases[] = {
      {R"("maxReplicas":10,"forecast":{"hours":1})", "spec.forecast: this version"},
      {R"("maxReplicas":10,"metrics":[{"type":"Weather","weather":{}}])",
       "spec.metrics[0].weather"},
  };
  cluster_.hpas = hpa;
  SessionOptions options = Options();
  options.take_over_in = {{"shop"}};
  Reconciler reconciler = With(*ledger_, options);
  Start();
  int version = 0;
  for (const auto& c : kCases) {
    std::string other = hpa;
    const std::string after = std::to_string(version += 1'000);  // also after Ballast's own writes
    other.replace(other.find(R"("resourceVersion":"7")"), 21,
                  R"("resourceVersion":")" + after + '"');
    other.replace(other.find(R"("maxReplicas":10)"), 16, c.fields);
    hpa_events_.Push(R"({"type":"MODIFIED","object":)" + other + "}");
    WaitForVersion(kApi, after);
    ASSERT_TRUE(Reconcile(reconciler, kApi));
  }
  EXPECT_TRUE(cluster_.scale_patches.empty());
  const auto events = EventsOf("NotUnderstood");
  ASSERT_EQ(events.size(), std::size(kCases));
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_THAT(events[i], HasSubstr(kCases[i].said));
  }
}

TEST_F(ReconcilerTest, CountsAutoscalersByTheirConditions) {
  cluster_.hpas =
      R"({"metadata":{"name":"other","namespace":"shop","uid":"h1","resourceVersion":"3"},"spec":)"
      R"({"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"other"},)"
      R"("maxReplicas":9},"status":{"conditions":[{"type":"ScalingLimited","status":"True",)"
      R"("reason":"TooManyReplicas"},{"type":"AbleToScale","status":"True","reason":"Fine"}]}})";
  Start();
  using Labels = std::vector<std::string>;
  const auto counts = reconciler_.CountConditions();
  EXPECT_THAT(counts,
              UnorderedElementsAre(
                  Pair(Labels{api::kHpaKind, "observe", "ScalingLimited", "TooManyReplicas"}, 1),
                  Pair(Labels{api::kHpaKind, "observe", "AbleToScale", "Fine"}, 1)));
}

TEST_F(ReconcilerTest, RefusesWhatIsInConflictOrInvalid) {
  const char* kHpa =
      R"({"metadata":{"name":"rival","namespace":"shop","uid":"h1","resourceVersion":"3"},"spec":)"
      R"({"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"},"maxReplicas":9}})";
  const struct {
    const char* name;
    std::string policy_extra;
    std::string hpas;
    const char* status;
    const char* recorded;
  } kCases[] = {
      {"an HPA on the target", "", kHpa, "HorizontalPodAutoscaler shop/rival", "Conflicted"},
      {"an invalid spec", R"(,"behavior":{"scaleUp":{"policies":[]}})", "", "InvalidSpec",
       "InvalidSpec"},
  };
  for (const auto& c : kCases) {
    cluster_.policy_extra = c.policy_extra;
    cluster_.hpas = c.hpas;
    cluster_.last_status.clear();
    cluster::Watches watches(transport_, clock_, {});
    ASSERT_NO_FATAL_FAILURE(Start(watches));
    Gatherer gatherer(watches, targets_, owners_, sources_, clock_, {});
    ClusterPorts ports(watches, client_, targets_, gatherer, *events_, clock_);
    Reconciler reconciler(watches, ports.With(*ledger_));
    Reconcile(reconciler, kWeb);
    EXPECT_TRUE(cluster_.scale_patches.empty()) << c.name;
    EXPECT_THAT(cluster_.last_status, HasSubstr(c.status)) << c.name;
    // An override of it is told so.
    EXPECT_EQ(reconciler.ObstacleTo(kWeb).starts_with("HorizontalPodAutoscaler "), !c.hpas.empty())
        << c.name;
    EXPECT_NE(reconciler.ObstacleTo(kWeb), "") << c.name;
    ASSERT_TRUE(ledger_->Flush().ok());  // The history says the same.
    const auto history = (*store::Reader::Open(store_))->Entries({}).value();
    ASSERT_FALSE(history.empty()) << c.name;
    EXPECT_EQ(history.back().reason, c.recorded) << c.name;
    EXPECT_EQ(history.back().made_by, store::MadeBy::kRefused) << c.name;
  }
}

TEST_F(ReconcilerTest, AnEvaluationThatBreaksOffIsTriedAgain) {
  support::Channel<int> evaluations;
  int evaluation = 0;
  cluster_.on_scale_read = [&] {
    evaluations.Push(++evaluation);
    if (evaluation == 1) {
      throw std::runtime_error("a defect");
    }
  };
  telemetry::Registry registry;
  Controller controller(watches_, targets_, reconciler_, clock_, 2, ControllerMetrics(registry));
  Start();
  controller.Start();
  EXPECT_EQ(evaluations.Pop(), 1);
  while (controller.DebugState().delayed == 0) {
    std::this_thread::yield();
  }
  clock_.Advance(std::chrono::milliseconds(5));  // less than a period
  EXPECT_EQ(evaluations.Pop(), 2);
  while (registry.Print().find("requeue_after\"} 1\n") == std::string::npos) {
    std::this_thread::yield();  // the scale is read before the evaluation begins
  }
  controller.Stop();
  for (const char* count : {"panics_total{controller=\"autoscalepolicy\"} 1\n",
                            "errors_total{controller=\"autoscalepolicy\"} 1\n",
                            "total{controller=\"autoscalepolicy\",result=\"error\"} 1\n",
                            "total{controller=\"autoscalepolicy\",result=\"requeue_after\"} 1\n"}) {
    EXPECT_THAT(registry.Print(),
                HasSubstr(std::string("\ncontroller_runtime_reconcile_") + count));
  }
}

TEST_F(ReconcilerTest, AnEvaluationThatHangsIsTold) {
  support::Channel<int> patches;
  support::Channel<int> go_on;
  cluster_.on_scale_patch = [&] {
    patches.Push(1);
    go_on.Pop();
  };
  Controller controller(watches_, targets_, reconciler_, clock_, 1);
  Start();
  controller.Start();
  EXPECT_TRUE(patches.Pop());
  clock_.Advance(std::chrono::minutes(10));
  EXPECT_TRUE(controller.CheckAlive().ok());
  clock_.Advance(std::chrono::seconds(1));
  const Status alive = controller.CheckAlive();
  go_on.Push(1);
  controller.Stop();
  ASSERT_FALSE(alive.ok());
  EXPECT_EQ(alive.error().message, "an evaluation has been running for 10m1s");
  EXPECT_TRUE(controller.CheckAlive().ok());
}

TEST_F(ReconcilerTest, AWriteThatBreaksOffIsADefectOfOnePolicy) {
  cluster_.on_scale_patch = [] { throw std::runtime_error("a defect"); };
  telemetry::Registry registry;
  Controller controller(watches_, targets_, reconciler_, clock_, 1, ControllerMetrics(registry));
  Start();
  controller.Start();
  const auto told = [&](const std::string& metric) {
    return registry.Print().find("\ncontroller_runtime_" + metric) != std::string::npos;
  };
  while (!told("reconcile_panics_total{controller=\"autoscalepolicy\"} 1\n")) {
    std::this_thread::yield();
  }
  controller.Stop();
  EXPECT_TRUE(told("reconcile_total{controller=\"autoscalepolicy\",result=\"error\"} 1\n"));
  EXPECT_TRUE(told("active_workers{controller=\"autoscalepolicy\"} 0\n"));
  EXPECT_EQ(reconciler_.DebugState().items.size(), 1u) << "it may have been written";
}

// Between the decision and its turn to be written.
TEST_F(ReconcilerTest, AScaleIsNotSentForAPolicyThatIsAnotherByNow) {
  const struct {
    const char* about;
    const char* event;
    const char* uid;
    const char* more;  // of the metadata
    const char* says;
  } kCases[] = {
      {"edited", "MODIFIED", "p1", R"("generation":2)", "edited"},
      {"paused", "MODIFIED", "p1",
       R"("generation":1,"annotations":{"ballast.dev/paused-until":"2099-01-01T00:00:00Z"})",
       "annotations"},
      {"deleted and created again", "MODIFIED", "p9", R"("generation":1)", "deleted"},
      {"deleted", "DELETED", "p1", R"("generation":1)", "deleted"}};
  Start();
  int version = 20;
  for (const auto& c : kCases) {
    const auto tell = [&](const char* event, const std::string& uid, const std::string& more) {
      const std::string now = std::to_string(++version);
      policy_events_.Push(
          std::string(R"({"type":")") + event +
          R"(","object":{"metadata":{"name":"web","namespace":"shop","uid":")" + uid +
          R"(","resourceVersion":")" + now + R"(",)" + more +
          R"(},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment",)"
          R"("name":"web"},"maxReplicas":10,"mode":"Active","metrics":[)" +
          cluster_.metrics + "]}}}");
      const bool gone = std::string(event) == "DELETED";
      for (;;) {
        const auto policy = watches_.policies.Get(kWeb.key());
        if (policy == nullptr ? gone : policy->metadata.resource_version == now) {
          return;
        }
        std::this_thread::yield();
      }
    };
    tell("MODIFIED", "p1", R"("generation":1)");
    const auto ledger = store::Ledger::WithoutStore({Code::kUnavailable, "none"});
    Reconciler reconciler = With(*ledger);
    const auto progress = reconciler.Begin(kWeb);
    ASSERT_TRUE(progress) << c.about;
    const auto* request = std::get_if<controllers::Request>(&*progress);
    ASSERT_TRUE(request != nullptr && std::holds_alternative<WriteScale>(*request)) << c.about;
    tell(c.event, c.uid, c.more);
    const auto answer = std::get<ScaleAnswer>(reconciler.CarryOut(*request));
    ASSERT_TRUE(answer.outcome) << c.about;
    EXPECT_EQ(answer.outcome->kind, engine::Outcome::Kind::kFailed) << c.about;
    EXPECT_THAT(answer.outcome->message, AllOf(HasSubstr("not sent"), HasSubstr(c.says)));
  }
  EXPECT_TRUE(cluster_.scale_patches.empty());
}

TEST_F(ReconcilerTest, RecordsNothingOfAnIgnoredHpa) {
  cluster_.hpas = ScaledHpa(R"("ballast.dev/hpa-mode":"ignore")");
  Start();
  EXPECT_TRUE(reconciler_.Prepare(kApi, [] {}));
  EXPECT_FALSE(Reconcile(reconciler_, kApi));
  ASSERT_TRUE(ledger_->Flush().ok());
  EXPECT_THAT(store::Reader::Open(store_).value()->Subjects().value(), testing::IsEmpty());
}

// An edit at the wrong moment is no failure of the operator's.
TEST_F(ReconcilerTest, AScaleThatIsNotSentIsRecordedAndNoWarning) {
  Start();
  const auto progress = reconciler_.Begin(kWeb);
  const auto request = std::get<controllers::Request>(*progress);
  ASSERT_TRUE(std::holds_alternative<WriteScale>(request));
  ++cluster_.policy_version;
  std::string paused = cluster_.Policy();
  const std::string generation = R"("generation":1)";
  paused.insert(paused.find(generation) + generation.size(),
                R"(,"annotations":{"ballast.dev/paused-until":"2099-01-01T00:00:00Z"})");
  policy_events_.Push(R"({"type":"MODIFIED","object":)" + paused + "}");
  WaitForVersion(kWeb, std::to_string(cluster_.policy_version));
  testing::internal::CaptureStderr();
  const auto next = reconciler_.Resume(kWeb, reconciler_.CarryOut(request));
  const std::string logged = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(std::holds_alternative<NextEvaluation>(next)) << "no status";
  EXPECT_THAT(logged, HasSubstr(R"("level":"info","msg":"a scale was not sent")"));
  EXPECT_THAT(logged, Not(HasSubstr(R"("level":"warn")")));
  EXPECT_THAT(EventsOf("FailedRescale"), testing::IsEmpty());
  ASSERT_TRUE(ledger_->Flush().ok());
  const auto last = store::Reader::Open(store_).value()->Entries({}).value().back();
  EXPECT_EQ(last.disposition, store::Disposition::kFailed);
}

// Otherwise each write of a status would cause another evaluation.
TEST_F(ReconcilerTest, AStatusIsNoReasonToEvaluate) {
  support::Channel<int> patches;
  support::Channel<int> go_on;
  cluster_.on_scale_patch = [&] {
    patches.Push(1);
    go_on.Pop();
  };
  telemetry::Registry registry;
  Controller controller(watches_, targets_, reconciler_, clock_, 1, ControllerMetrics(registry));
  Start();
  controller.Start();
  EXPECT_TRUE(patches.Pop()) << "whatever is added from here on waits";
  const auto tell = [this](const std::string& type, const std::string& name, const std::string& uid,
                           const std::string& version, const std::string& paused = "") {
    policy_events_.Push(R"({"type":")" + type + R"(","object":{"metadata":{"name":")" + name +
                        R"(","namespace":"shop","uid":")" + uid + R"(","resourceVersion":")" +
                        version + R"(","generation":1,"annotations":{)" + paused +
                        R"(}},"spec":{"scaleTargetRef":{"apiVersion":)" +
                        R"("apps/v1","kind":"Deployment","name":")" + name +
                        R"("},"maxReplicas":10},"status":{"currentReplicas":)" + version + "}}}");
  };
  const auto adds = [&registry] {
    const std::string text = registry.Print();
    const std::string name =
        "\nworkqueue_adds_total{name=\"autoscalepolicy\",controller=\"autoscalepolicy\"} ";
    return std::stoi(text.substr(text.find(name) + name.size()));
  };
  EXPECT_EQ(adds(), 1);
  const api::ObjectReference other{api::kPolicyKind, "shop", "other"};
  tell("MODIFIED", "web", "p1", "20");
  tell("ADDED", "other", "p2", "21");
  tell("MODIFIED", "other", "p2", "22");
  WaitForVersion(other, "22");
  EXPECT_EQ(adds(), 2) << "the new one, and not that whose status changed";
  tell("MODIFIED", "web", "p1", "23", R"("ballast.dev/paused-until":"2099-01-01T00:00:00Z")");
  tell("MODIFIED", "other", "p2", "24");
  WaitForVersion(other, "24");
  EXPECT_EQ(adds(), 3) << "the one that was paused";
  go_on.Push(1);
  controller.Stop();
}

// The watch may hang, and what the policy or HPA now is, or whether it is, nobody knows.
TEST_F(ReconcilerTest, NothingIsWrittenForWhatTheApiServerDoesNotHave) {
  cluster_.usage = "50m";
  cluster_.status_error = Error{Code::kNotFound, "not found"};
  Start();
  AwaitList(watches_.policies, clock_.Steady());
  const auto evaluate = [this] {
    clock_.Advance(std::chrono::seconds(5));
    cluster_.sampled = Print(clock_.Now());
    return Reconcile(reconciler_, kWeb)->period;
  };
  evaluate();
  cluster_.usage = "100m";
  cluster_.status_error.reset();
  const auto before = CountMetricsRequests();
  EXPECT_EQ(evaluate(), Duration::Seconds(15)) << "soon, however long the period";
  EXPECT_EQ(CountMetricsRequests(), before);
  evaluate();
  AwaitList(watches_.policies, clock_.Steady());
  EXPECT_TRUE(cluster_.scale_patches.empty());
  evaluate();
  EXPECT_EQ(cluster_.scale_patches.size(), 1u) << "it is there all the same";
}

TEST_F(ReconcilerTest, ForgetsAPolicyThatIsGone) {
  Start();
  EXPECT_FALSE(Reconcile(reconciler_, {api::kPolicyKind, "shop", "gone"}));
}

}  // namespace
}  // namespace ballast::controllers
