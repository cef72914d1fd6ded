#include "operator/controllers/gather.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "operator/controllers/testing/await_answer.h"
#include "operator/kube/discovery.h"
#include "tests/support/channel.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_discovery.h"
#include "tests/support/fake_transport.h"

namespace ballast::controllers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Duration kPeriod = Duration::Seconds(15);

// An autoscaler and its target.
struct Pair {
  std::string name;
  std::string selector;     // of the target, a LabelSelector
  std::string target = "";  // empty: the autoscaler's name
  std::string kind = "Deployment";
  bool hpa = false;
  std::string mode = "Active";
  std::string namespace_ = "shop";
  std::string conditions = "";  // of the autoscaler's status
  int wanted = -1;              // spec.replicas of the target; -1: as the fixture says

  std::string Target() const { return target.empty() ? name : target; }
};

std::string Join(const std::vector<std::string>& items) {
  std::string all;
  for (const std::string& item : items) {
    all += (all.empty() ? "" : ",") + item;
  }
  return R"({"metadata":{"resourceVersion":"5"},"items":[)" + all + "]}";
}

std::string Metadata(const std::string& name, const std::string& namespace_,
                     const std::string& more = "") {
  return R"({"metadata":{"name":")" + name + R"(","namespace":")" + namespace_ + R"(","uid":")" +
         name + R"(","resourceVersion":"3")" + more + "},";
}

class GatherTest : public testing::Test {
 protected:
  Result<kube::Response> Do(const kube::Request& request) {
    if (const auto discovered = support::DiscoverApps(request.path)) {
      return *discovered;
    }
    std::vector<std::string> items;
    const std::string& path = request.path;
    if (path.ends_with("/scale")) {
      before_scale_();
      // Of kinds that are watched none is answered where others are read: Gather() awaits these.
      const bool none = scale_.empty() || (refused_ && path.find("/deployments/") != path.npos);
      return none ? Result<kube::Response>(Error{Code::kNotFound, "no scale here"})
                  : kube::Response{200, scale_};
    }
    if (path.starts_with("/apis/external.metrics.k8s.io/")) {
      const std::string name = path.substr(path.rfind('/') + 1);
      before_metric_(name);
      clock_.Advance(metric_takes_);
      items.push_back(R"({"value":")" + std::to_string(name.size()) + R"("})");
    }
    if (path.ends_with("/statefulsets") && refused_) {
      return Error{Code::kForbidden, "no right to list them"};
    }
    for (const Pair& pair : pairs_) {
      if (path.ends_with(pair.hpa ? "/horizontalpodautoscalers" : "/autoscalepolicies")) {
        items.push_back(
            Metadata(pair.name, pair.namespace_) +
            R"("spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":")" + pair.kind +
            R"(","name":")" + pair.Target() + R"("},"mode":")" + pair.mode +
            R"(","maxReplicas":9,"metrics":[{"type":"Resource","resource":{"name":"cpu",)"
            R"("target":{"type":"Utilization","averageUtilization":50}}}]},"status":{"conditions":[)" +
            pair.conditions + "]}}");
      } else if (path.ends_with(pair.kind == "Deployment" ? "/deployments" : "/statefulsets") &&
                 pair.target.empty()) {
        items.push_back(Metadata(pair.name, pair.namespace_) + R"("spec":{"replicas":)" +
                        std::to_string(pair.wanted < 0 ? wanted_ : pair.wanted) +
                        R"(,"selector":)" + pair.selector + R"(},"status":{"replicas":)" +
                        std::to_string(counted_) + "}}");
      }
    }
    if (path.ends_with("/autoscaleoverrides") && !override_.empty()) {
      items.push_back(override_);
    }
    if (path.ends_with("/pods")) {
      for (const std::string& pod : path.starts_with("/apis/metrics.k8s.io/") ? measured_ : pods_) {
        items.push_back(Metadata(pod, "shop", R"(,"labels":{"app":"web","tier":"front"})") +
                        R"("spec":{},"status":{"phase":"Running"}})");
      }
    }
    return kube::Response{200, Join(items)};
  }

  void AwaitWatches() {
    if (!watches_.pods.HasSynced()) {
      watches_.Start();
    }
    EXPECT_TRUE(watches_.policies.WaitForSync(std::chrono::minutes(1)));
    EXPECT_TRUE(watches_.hpas.WaitForSync(std::chrono::minutes(1)));
    EXPECT_TRUE(watches_.overrides.WaitForSync(std::chrono::minutes(1)));
    EXPECT_TRUE(watches_.pods.WaitForSync(std::chrono::minutes(1)));
    // The watch of a kind starts with its first target and is not waited for. Until it has synced a
    // GET is sent, which this server does not answer.
    for (const auto& [kind, name] : {std::pair{"Deployment", "web"}, {"StatefulSet", "set"}}) {
      const auto kind_resource = targets_.Resolve({"apps/v1", kind, ""});
      while (!targets_.Read(*kind_resource, {"shop", name}).ok()) {
        std::this_thread::yield();
      }
    }
  }
  // The snapshot of policy "web" once all watches have synced.
  engine::Snapshot Gather() {
    AwaitWatches();
    return Gather(*watches_.policies.Get({"shop", "web"}));
  }
  // What is read for an evaluation of that autoscaler, and the snapshot with it.
  session::MetricsAnswer ReadFor(const api::Autoscaler& autoscaler) {
    return Read(gatherer_, {std::make_shared<const api::Autoscaler>(autoscaler), kPeriod});
  }
  engine::Snapshot Gather(const session::MetricsAnswer& answer) {
    engine::Snapshot snapshot{.now = clock_.Now(), .autoscaler = *answer.request.autoscaler};
    gathered_ = gatherer_.Gather(answer, *gatherer_.TargetOf(answer), snapshot);
    return snapshot;
  }
  engine::Snapshot Gather(const api::Autoscaler& autoscaler) { return Gather(ReadFor(autoscaler)); }
  std::size_t PodsSeen() { return std::get<engine::PodList>(Gather().pods).size(); }
  // Each as "name: selector".
  std::vector<std::string> Rivals() {
    std::vector<std::string> rivals;
    for (const engine::Rival& rival : Gather().rivals) {
      rivals.push_back(rival.name + ": " + rival.selector);
    }
    return rivals;
  }

  // The policy itself, and a disabled one for a StatefulSet.
  std::vector<Pair> pairs_ = {
      {"web", R"({"matchLabels":{"app":"web"}})"},
      {"set", R"({"matchLabels":{"app":"web"}})", "", "StatefulSet", false, "Disabled"}};
  std::vector<std::string> pods_ = {"web-0", "web-1"};
  std::vector<std::string> measured_;           // names of the pods with metrics
  std::string override_;                        // empty: there is none
  int wanted_ = 2;                              // spec.replicas of each target
  int counted_ = 2;                             // status.replicas
  std::string scale_;                           // the body of a GET of a scale; empty: 404
  std::function<void()> before_scale_ = [] {};  // before that is answered
  bool refused_ = false;                        // StatefulSets may not be listed
  // Before an external metric is answered, whose value is the length of its name.
  std::function<void(const std::string&)> before_metric_ = [](const auto&) {};
  std::chrono::milliseconds metric_takes_{3000};
  session::Gathered gathered_;  // with the newest snapshot
  support::FakeClock clock_;
  support::Channel<std::string> changed_;  // lines of the watch of Deployments
  support::FakeTransport transport_{[this](const kube::Request& request) { return Do(request); },
                                    [this](const kube::Request& request, const kube::LineSink& sink,
                                           const std::stop_token& stop) {
                                      return request.path.ends_with("/deployments")
                                                 ? support::PushedStream(changed_, request, sink,
                                                                         stop)
                                                 : support::SilentStream(request, sink, stop);
                                    }};
  kube::Client client_{transport_};
  kube::RestMapper mapper_{transport_};
  cluster::Watches watches_{transport_, clock_, {}};
  // Their watches are silent, which these tests are not about.
  cluster::ScaleTargets targets_{transport_, client_, mapper_,
                                 clock_,     {},      Duration::Seconds(1'000'000)};
  sources::Sources sources_{client_, transport_, mapper_, clock_};
  cluster::PodOwners owners_{client_, mapper_, clock_};
  Gatherer gatherer_{watches_, targets_, owners_, sources_, clock_, {}};
};

TEST_F(GatherTest, TellsForHowLongNothingWasHeardOfThePods) {
  EXPECT_EQ(Gather().pods_age, Duration::Seconds(0));
  clock_.Advance(std::chrono::milliseconds(61'900));
  EXPECT_EQ(Gather().pods_age, Duration::Seconds(61)) << "whole seconds";
}

TEST_F(GatherTest, TellsTheGatesAndTheVersionInUse) {
  for (const bool on : {true, false}) {
    gatherer_.Use({.scale_to_zero = on, .configurable_tolerance = !on}, on ? 41 : 29);
    const engine::Settings settings = Gather().settings;
    EXPECT_EQ(settings.scale_to_zero, on);
    EXPECT_EQ(settings.configurable_tolerance, !on);
    EXPECT_EQ(settings.kubernetes_minor, on ? 37 : 36) << "the nearest that is known";
  }
}

// Its watch may be refused, or hang.
TEST_F(GatherTest, AScaleIsReadAnewIfThatIsAskedFor) {
  Gather();
  scale_ = R"({"metadata":{"name":"web","namespace":"shop","uid":"web","resourceVersion":"9"},)"
           R"("spec":{"replicas":7},"status":{"replicas":7,"selector":"app=web"}})";
  const auto policy = watches_.policies.Get({"shop", "web"});
  for (const auto& [anew, replicas] : {std::pair(false, 2), std::pair(true, 7)}) {
    const auto answer = Read(gatherer_, {policy, kPeriod, true, anew});
    EXPECT_EQ(gatherer_.TargetOf(answer)->scale->spec_replicas, replicas);
  }
}

// As at the end of a silence.
TEST_F(GatherTest, AnEvaluationThatBeginsOnceMoreHasTheAnswersThatItHad) {
  AwaitWatches();
  scale_ = R"({"metadata":{"name":"web","namespace":"shop","uid":"web","resourceVersion":"9"},)"
           R"("spec":{"replicas":7},"status":{"replicas":7,"selector":"app=web"}})";
  auto policy = std::make_shared<api::Autoscaler>(*watches_.policies.Get({"shop", "web"}));
  api::MetricSpec queue{.type = "External"};
  queue.external.emplace().metric.name = "queue";
  policy->spec.metrics = {queue};
  int asked = 0;
  before_metric_ = [&](const auto&) { ++asked; };
  session::FetchMetrics request{.autoscaler = policy, .period = kPeriod, .last = clock_.Steady()};
  const auto gather = [&] {
    clock_.Advance(std::chrono::seconds(5));  // it was answered to another
    (void)Gather(Read(gatherer_, request));
  };
  gather();
  request.anew = true;
  gather();
  EXPECT_EQ(asked, 1);
  request.last = clock_.Steady();
  gather();
  EXPECT_EQ(asked, 2) << "the next evaluation";
}

// The watch reports no third pod, but the target counts one.
TEST_F(GatherTest, PodsAreReadAgainWhenTheTargetCountsOthers) {
  counted_ = 3;
  scale_ = R"({"metadata":{"name":"web","namespace":"shop","uid":"web","resourceVersion":"3"},)"
           R"("spec":{"replicas":3},"status":{"replicas":3,"selector":"app=web"}})";
  Gather();
  pods_.push_back("web-2");
  clock_.Advance(std::chrono::seconds(10));
  EXPECT_EQ(PodsSeen(), 2U);
  while (PodsSeen() < 3U) {
    std::this_thread::yield();
  }
}

TEST_F(GatherTest, PodsAreReadAgainWhenOthersAreMeasured) {
  measured_ = {"web-0", "web-2"};
  Gather();
  pods_.push_back("web-2");
  clock_.Advance(std::chrono::seconds(9));
  EXPECT_EQ(PodsSeen(), 2U);
  clock_.Advance(std::chrono::seconds(1));
  while (PodsSeen() < 3U) {
    std::this_thread::yield();
  }
}

// They are ending, so they count no more.
TEST_F(GatherTest, NoMetricsAreAskedForOfThePodsThatATargetAtZeroHasLeft) {
  wanted_ = counted_ = 0;
  EXPECT_EQ(PodsSeen(), 2U);
  EXPECT_TRUE(std::holds_alternative<engine::Failure>(Gather().metrics.at(0)));
  for (const kube::Request& request : transport_.requests()) {
    EXPECT_FALSE(request.path.starts_with("/apis/metrics.k8s.io/")) << request.path;
  }
}

TEST_F(GatherTest, TellsWhichMetricTookLongest) {
  (void)Rivals();
  api::Autoscaler policy = *watches_.policies.Get({"shop", "web"});
  api::MetricSpec cpu{.type = "Resource"};
  cpu.resource.emplace().name = "cpu";
  api::MetricSpec queue{.type = "External"};
  queue.external.emplace().metric.name = "queue";
  policy.spec.metrics = {queue, cpu};  // at the same time
  (void)Gather(policy);
  EXPECT_EQ(gathered_.slowest, "External/queue");
  EXPECT_EQ(gathered_.asked.at(0), std::chrono::seconds(3));
  policy.spec.metrics.clear();
  (void)Gather(policy);
  EXPECT_EQ(gathered_.slowest, "");
}

TEST_F(GatherTest, EachAnswerIsInItsPlaceInWhateverOrderTheyCome) {
  AwaitWatches();
  api::Autoscaler policy = *watches_.policies.Get({"shop", "web"});
  const std::vector<std::string> names = {"a", "bb", "ccc"};
  policy.spec.metrics.clear();
  for (const std::string& name : names) {
    policy.spec.metrics.emplace_back().external.emplace().metric.name = name;
  }
  for (std::size_t last = 0; last < names.size(); ++last) {
    clock_.Advance(std::chrono::seconds(1));  // what was answered serves no more
    support::Channel<bool> answered;
    before_metric_ = [&](const std::string& name) {
      if (name == names[last]) {
        EXPECT_TRUE(answered.Pop() && answered.Pop());
      } else {
        answered.Push(true);
      }
    };
    const engine::Snapshot snapshot = Gather(policy);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto& values = std::get<engine::MetricValueList>(snapshot.metrics.at(i));
      EXPECT_EQ(values.at(0).value.MilliValue(), 1000 * (std::int64_t(i) + 1)) << names[last];
    }
  }
}

TEST_F(GatherTest, WhatIsThereIsToldAtOnce) {
  AwaitWatches();
  const auto policy = watches_.policies.Get({"shop", "web"});
  int told = 0;
  session::MetricsAnswer second;
  const session::MetricsAnswer first = ReadFor(*policy);
  gatherer_.Start({policy, kPeriod}, [&](session::MetricsAnswer answer) {
    ++told;
    second = std::move(answer);
  });
  EXPECT_EQ(told, 1);
  EXPECT_EQ(std::get<engine::PodMetricsList>(Gather(first).metrics.at(0)),
            std::get<engine::PodMetricsList>(Gather(second).metrics.at(0)));
}

TEST_F(GatherTest, WhatIsThrownWhereItWaitsIsTold) {
  refused_ = true;
  scale_ = R"({"metadata":{"name":"set","namespace":"shop","uid":"set","resourceVersion":"3"},)"
           R"("spec":{"replicas":2},"status":{"replicas":2,"selector":"app=set"}})";
  AwaitWatches();
  api::Autoscaler policy = *watches_.policies.Get({"shop", "web"});
  policy.spec.scale_target_ref = {"apps/v1", "StatefulSet", "set"};
  before_scale_ = [] { throw std::runtime_error("a defect"); };
  EXPECT_TRUE(ReadFor(policy).defect);
}

// A ceiling comes down from the end of a floor on, however long that takes.
TEST_F(GatherTest, AnOverrideThatHasEndedCountsAsLongAsTheLongestRamp) {
  override_ = Metadata("launch", "shop", R"(,"creationTimestamp":"2023-11-14T22:00:00Z")") +
              R"("spec":{"target":{"kind":"AutoScalePolicy","name":"web"},"reason":"launch",)"
              R"("until":"2023-11-14T22:13:21Z","floor":5}})";
  (void)Gather();
  api::Autoscaler policy = *watches_.policies.Get({"shop", "web"});
  const auto overrides = [&] { return Gather(policy).overrides.size(); };
  clock_.Advance(std::chrono::seconds(300));
  EXPECT_EQ(overrides(), 1U) << "the scale-down window";
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(overrides(), 0U);
  policy.spec.schedules = {{.name = "night", .max_replicas = 2, .ramp_minutes = 240}};
  clock_.Advance(std::chrono::minutes(235));
  EXPECT_EQ(overrides(), 0U);
  clock_.Advance(std::chrono::seconds(-1));
  EXPECT_EQ(overrides(), 1U);
}

// A target that is not watched is read before its metrics, and again if these took long.
class GatherRereadTest : public GatherTest, public testing::WithParamInterface<int> {};

TEST_P(GatherRereadTest, AScaleThatWasReadLongAgoIsReadAgain) {
  refused_ = true;
  scale_ = R"({"metadata":{"name":"set","namespace":"shop","uid":"set","resourceVersion":"3"},)"
           R"("spec":{"replicas":2},"status":{"replicas":2,"selector":"app=set"}})";
  metric_takes_ = std::chrono::milliseconds(GetParam());
  (void)Gather();
  api::Autoscaler policy = *watches_.policies.Get({"shop", "web"});
  policy.spec.scale_target_ref = {"apps/v1", "StatefulSet", "set"};
  api::MetricSpec queue{.type = "External"};
  queue.external.emplace().metric.name = "queue";
  policy.spec.metrics = {queue};
  const auto reads = [this] {
    return std::ranges::count_if(transport_.requests(), [](const kube::Request& request) {
      return request.path.ends_with("/statefulsets/set/scale");
    });
  };
  const auto before = reads();
  const session::MetricsAnswer answer = ReadFor(policy);
  EXPECT_EQ(reads() - before, GetParam() < 1000 ? 1 : 2);
  const engine::Snapshot snapshot = Gather(answer);
  EXPECT_EQ(std::get<api::Scale>(snapshot.scale).spec_replicas, 2);
  EXPECT_EQ(reads() - before, GetParam() < 1000 ? 1 : 2) << "the worker reads none";
}

INSTANTIATE_TEST_SUITE_P(Milliseconds, GatherRereadTest, testing::Values(999, 1000));

// There are more targets of the group than can be read at a time, and it hangs.
TEST_F(GatherTest, ATargetThatIsNotReadInTimeIsAFailure) {
  refused_ = true;
  scale_ = R"({"metadata":{"name":"set","namespace":"shop","uid":"set","resourceVersion":"3"},)"
           R"("spec":{"replicas":2},"status":{"replicas":2,"selector":"app=set"}})";
  (void)Gather();
  clock_.Advance(runtime::SharedLanes::kRemembered);  // it has asked for the watch, in another line
  support::Channel<bool> asked;
  support::Channel<bool> answers;
  before_scale_ = [&] {
    asked.Push(true);
    (void)answers.Pop();
  };
  api::Autoscaler policy = *watches_.policies.Get({"shop", "web"});
  policy.spec.scale_target_ref = {"apps/v1", "StatefulSet", "set"};
  policy.spec.metrics.clear();
  support::Channel<session::MetricsAnswer> done;
  constexpr std::size_t kLanes = sources::RequestPool::kThreads;
  for (std::size_t i = 0; i <= kLanes; ++i) {
    policy.metadata.name = "policy-" + std::to_string(i);
    gatherer_.Start({std::make_shared<const api::Autoscaler>(policy), kPeriod},
                    [&](session::MetricsAnswer answer) { done.Push(std::move(answer)); });
  }
  for (std::size_t i = 0; i < kLanes; ++i) {
    EXPECT_TRUE(asked.Pop());
  }
  clock_.Advance(sources::RequestPool::kLongestInLine + std::chrono::seconds(1));
  answers.Push(true);
  EXPECT_TRUE(done.Pop());
  const auto answer = done.Pop();  // as soon as a thread is free
  EXPECT_TRUE(asked.empty());
  EXPECT_EQ(answer->request.autoscaler->metadata.name, policy.metadata.name);
  const engine::Snapshot late = Gather(*answer);
  const auto* failure = std::get_if<engine::Failure>(&late.scale);
  ASSERT_NE(failure, nullptr);
  EXPECT_EQ(failure->message,
            "not asked, because apps/v1 answers too slowly: the request waited in line for longer "
            "than 30s");
  for (std::size_t i = 1; i < kLanes; ++i) {
    answers.Push(true);
    EXPECT_TRUE(done.Pop());
  }
}

TEST_F(GatherTest, RivalsAreThoseWhoseTargetsMaySelectThePods) {
  const std::vector<Pair> others = {
      {"by-hpa", R"({"matchLabels":{"app":"web"}})", "", "Deployment", true},
      {"by-set",
       R"({"matchExpressions":[{"key":"tier","operator":"In","values":["back","front"]}]})", "",
       "StatefulSet"},
      {"by-presence", R"({"matchExpressions":[{"key":"tier","operator":"Exists"}]})"},
      {"dry-run", R"({"matchLabels":{"app":"web"}})", "", "Deployment", false, "DryRun"},
      {"other-app", R"({"matchLabels":{"app":"other"}})"},
      {"other-tier", R"({"matchExpressions":[{"key":"tier","operator":"In","values":["back"]}]})"},
      {"off", R"({"matchLabels":{"app":"web"}})", "", "Deployment", false, "Disabled"},
      {"same-target", "", "web", "Deployment", true},
      {"no-selector", "{}"},
      {"elsewhere", R"({"matchLabels":{"app":"web"}})", "", "Deployment", false, "Active", "other"},
  };
  pairs_.insert(pairs_.end(), others.begin(), others.end());
  EXPECT_THAT(Rivals(), ElementsAre("by-hpa: app=web", "by-presence: tier",
                                    "by-set: tier in (back,front)", "dry-run: app=web"));
}

// Upstream's controller knows an HPA's selector from the HPA's first computation on.
TEST_F(GatherTest, AnHpaThatIsSwitchedOffIsNoRivalOfAnother) {
  const std::string web = R"({"matchLabels":{"app":"web"}})";
  const std::vector<Pair> others = {
      {"alone", web, "", "Deployment", true},
      {"off", web, "", "Deployment", true, "Active", "shop", "", 0},
      {"asleep", web, "", "Deployment", true, "Active", "shop",
       R"({"type":"ScaledToZero","status":"True","reason":"ScaledToZero"})", 0}};
  pairs_.insert(pairs_.end(), others.begin(), others.end());
  (void)Rivals();
  std::vector<std::string> rivals;
  const auto hpa = watches_.hpas.Get({"shop", "alone"});
  for (const engine::Rival& rival : Gather(*hpa).rivals) {
    rivals.push_back(rival.name);
  }
  EXPECT_THAT(rivals, ElementsAre("asleep"));
}

// Then it is one for as long as it is there.
TEST_F(GatherTest, AnHpaThatIsSwitchedOffLaterStaysARival) {
  const std::string web = R"({"matchLabels":{"app":"web"}})";
  pairs_.push_back({"alone", web, "", "Deployment", true});
  pairs_.push_back({"off", web, "", "Deployment", true});
  const auto rivals = [this] {
    const auto hpa = watches_.hpas.Get({"shop", "alone"});
    return Gather(*hpa).rivals.size();
  };
  (void)Rivals();
  EXPECT_EQ(rivals(), 1U);
  changed_.Push(
      R"({"type":"MODIFIED","object":{"metadata":{"name":"off","namespace":"shop","uid":"off",)"
      R"("resourceVersion":"4"},"spec":{"replicas":0,"selector":)" +
      web + R"(},"status":{"replicas":0}}})");
  const auto resource = targets_.Resolve({"apps/v1", "Deployment", ""});
  while (targets_.Read(*resource, {"shop", "off"})->spec_replicas != 0) {
    std::this_thread::yield();
  }
  EXPECT_EQ(rivals(), 1U);
}

TEST_F(GatherTest, AnotherHpaOfTheTargetIsARivalAlsoIfItsKindCannotBeWatched) {
  refused_ = true;
  scale_ = R"({"metadata":{"name":"set","namespace":"shop","uid":"set","resourceVersion":"3"},)"
           R"("spec":{"replicas":2},"status":{"replicas":2,"selector":"app=web"}})";
  pairs_.push_back({"first", "", "set", "StatefulSet", true});
  pairs_.push_back({"second", "", "set", "StatefulSet", true});
  (void)Gather();
  const auto hpa = watches_.hpas.Get({"shop", "first"});
  const auto rivals = Gather(*hpa).rivals;
  ASSERT_EQ(rivals.size(), 1U);
  EXPECT_EQ(rivals[0].name, "second");
  EXPECT_EQ(rivals[0].selector, "app=web");
}

// The kind of the others cannot be watched, so their scales are read one by one.
TEST_F(GatherTest, RivalsThatCannotBeWatchedAreReadOneByOne) {
  refused_ = true;
  const auto scale = [](const std::string& selector) {
    return R"({"metadata":{"name":"other","namespace":"shop","uid":"other","resourceVersion":"3"},)"
           R"("spec":{"replicas":2},"status":{"replicas":2,"selector":")" +
           selector + R"("}})";
  };
  scale_ = scale("app=set");
  pairs_.push_back({"rival", "", "other", "StatefulSet", false, "DryRun"});
  const auto reads = [this] {
    return std::ranges::count_if(transport_.requests(), [](const kube::Request& request) {
      return request.path.ends_with("/statefulsets/other/scale");
    });
  };
  const auto says = [](const engine::Snapshot& snapshot) {
    const auto* unknown = std::get_if<engine::Failure>(&snapshot.pods);
    return unknown == nullptr ? "" : unknown->message;
  };
  AwaitWatches();
  const auto policy = watches_.policies.Get({"shop", "web"});
  EXPECT_EQ(says(Gather(*policy)), "");
  EXPECT_EQ(reads(), 1);
  scale_ = scale("app=web");
  EXPECT_THAT(Gather(*policy).rivals, IsEmpty());
  clock_.Advance(cluster::ReadScales::kKept);
  const session::MetricsAnswer answer = ReadFor(*policy);
  EXPECT_EQ(Gather(answer).rivals.size(), 1U);
  EXPECT_EQ(reads(), 2) << "once in a while";
  clock_.Advance(cluster::ReadScales::kKept);
  EXPECT_EQ(says(Gather(answer)),
            "it is not known whether asp/shop/rival scales the same pods: the scale of "
            "its target can neither be watched nor read");
  EXPECT_EQ(reads(), 2) << "a worker waits for nothing";
  scale_.clear();  // 404: there is no such target
  EXPECT_THAT(Gather(*policy).rivals, IsEmpty());
}

// One that hangs may take as long.
TEST_F(GatherTest, RivalsAreReadForAsLongAsALineMayBe) {
  refused_ = true;
  scale_ = R"({"metadata":{"name":"any","namespace":"shop","uid":"any","resourceVersion":"3"},)"
           R"("spec":{"replicas":2},"status":{"replicas":2,"selector":"app=any"}})";
  for (const std::string name : {"a", "b", "c"}) {
    pairs_.push_back({"rival-" + name, "", "other-" + name, "StatefulSet", false, "DryRun"});
  }
  int reads = 0;
  AwaitWatches();
  before_scale_ = [&] {
    ++reads;
    clock_.Advance(sources::RequestPool::kLongestInLine);
  };
  const auto policy = watches_.policies.Get({"shop", "web"});
  EXPECT_TRUE(std::holds_alternative<engine::Failure>(Gather(*policy).pods));
  EXPECT_EQ(reads, 2);
  EXPECT_TRUE(std::holds_alternative<engine::PodList>(Gather(*policy).pods));
  EXPECT_EQ(reads, 3) << "the next evaluation reads the other";
}

// The snapshot, and so the ledger, contains none of the others, whichever label they share.
class GatherManyTest : public GatherTest, public testing::WithParamInterface<const char*> {};

TEST_P(GatherManyTest, AThousandOthersAreNoRivals) {
  for (int i = 0; i < 1000; ++i) {
    const std::string name = "other-" + std::to_string(i);
    const std::string tier = GetParam() == std::string("tier") ? "front" : name;
    const std::string app = GetParam() == std::string("app") ? "web" : name;
    pairs_.push_back(
        {name, R"({"matchLabels":{"app":")" + app + R"(","tier":")" + tier + R"("}})"});
  }
  EXPECT_THAT(Rivals(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(SharedLabel, GatherManyTest, testing::Values("app", "tier"));

}  // namespace
}  // namespace ballast::controllers
