#include "tests/golden/policies.h"

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "api/autoscaling/pause_annotation.h"
#include "api/autoscaling/trust_annotation.h"
#include "operator/engine/testing/test_snapshot.h"

namespace ballast::golden {
namespace {

using namespace engine;  // NOLINT: snapshots are made of nothing else
using engine::testing::Ago;
using engine::testing::kNow;
using engine::testing::Parse;
using engine::testing::QueueMetric;
using engine::testing::QueueOf;
using engine::testing::QueueValueMetric;
using Kind = Outcome::Kind;

// A way to bend a snapshot.
struct Bend {
  const char* name;
  std::function<void(Snapshot&)> apply;
};

class Corpus {
 public:
  void Add(const std::string& id, Snapshot snapshot, Outcome outcome = {Kind::kWritten, ""}) {
    snapshot.id = id;
    lines_.push_back({std::move(snapshot), std::move(outcome), ""});
  }
  // `base` bent by each of `first` and then by each of `second`.
  void AddEach(const std::string& family, const Snapshot& base, const std::vector<Bend>& first,
               const std::vector<Bend>& second) {
    for (const Bend& a : first) {
      for (const Bend& b : second) {
        Snapshot snapshot = base;
        a.apply(snapshot);
        b.apply(snapshot);
        Add(family + "/" + a.name + ", " + b.name, std::move(snapshot));
      }
    }
  }
  std::vector<Line> Take() { return std::move(lines_); }

 private:
  std::vector<Line> lines_;
};

// A policy of the queue metric, which looks at no pod.
Snapshot Queue(std::int32_t replicas) {
  Snapshot snapshot = engine::testing::MakePolicy(0);
  auto& scale = std::get<api::Scale>(snapshot.scale);
  scale.spec_replicas = scale.status_replicas = replicas;
  snapshot.metrics = {QueueOf(std::to_string(10 * replicas))};
  snapshot.memory = Memory{{{Ago(15), replicas}}, {}, {}, {}};
  return snapshot;
}

// The same with the pods.
Snapshot WithPods(std::int32_t replicas) {
  Snapshot snapshot = engine::testing::MakePolicy(replicas);
  snapshot.memory = Memory{{{Ago(400), replicas}}, {}, {}, {}};
  return snapshot;
}

api::AutoscalerSpec& SpecOf(Snapshot& snapshot) { return snapshot.autoscaler.spec; }
api::Scale& ScaleOf(Snapshot& snapshot) { return std::get<api::Scale>(snapshot.scale); }
api::Pod& PodOf(Snapshot& snapshot, std::size_t index) {
  auto& pods = std::get<PodList>(snapshot.pods);
  auto pod = std::make_shared<api::Pod>(*pods[index]);
  pods[index] = pod;
  return *pod;
}

template <typename Edit>
void EditContainer(api::Pod& pod, const Edit& edit) {
  std::vector<api::Container> containers = *pod.containers;
  edit(containers.front());
  pod.containers = std::move(containers);
}

const Bend kNothing{"as it is", [](Snapshot&) {}};

Bend Load(const char* name, const std::string& value) {
  return {name, [value](Snapshot& s) { s.metrics = {QueueOf(value)}; }};
}
const Bend kIdle = Load("idle", "20");
const Bend kBusy = Load("busy", "60");

void SetReplicas(Snapshot& snapshot, std::int32_t replicas) {
  ScaleOf(snapshot).spec_replicas = ScaleOf(snapshot).status_replicas = replicas;
}
Bend Replicas(const char* name, std::int32_t replicas) {
  return {name, [replicas](Snapshot& s) { SetReplicas(s, replicas); }};
}
Bend Bounded(const char* name, std::optional<std::int32_t> min, std::int32_t max) {
  return {name, [min, max](Snapshot& s) {
            SpecOf(s).min_replicas = min;
            SpecOf(s).max_replicas = max;
          }};
}
Bend Old(const char* name) {
  return {name, [](Snapshot& s) { s.memory->recommendations = {{Ago(400), 4}}; }};
}

// A metric that is so many thousandths, of the type `which`.
api::MetricSpec MetricOf(const std::string& which) {
  api::MetricSpec metric = which == "External value" ? QueueValueMetric() : QueueMetric();
  const api::MetricTarget average = metric.external->target;
  if (which == "Resource utilization") {
    return engine::testing::CpuMetric();
  }
  if (which == "Resource amount") {
    metric = {.type = "Resource"};
    metric.resource = {"cpu", {"AverageValue", {}, Parse("50m"), {}}};
  } else if (which == "ContainerResource") {
    metric = {.type = "ContainerResource"};
    metric.container_resource = {"cpu", {"Utilization", {}, {}, 50}, "app"};
  } else if (which == "Pods") {
    metric = {.type = "Pods"};
    metric.pods = {{"requests", {}}, average};
  } else if (which == "Object average") {
    metric = {.type = "Object"};
    metric.object = {{"v1", "Service", "web"}, average, {"requests", {}}};
  } else if (which == "Object value") {
    metric = {.type = "Object"};
    metric.object = {{"v1", "Service", "web"}, {"Value", Parse("10"), {}, {}}, {"requests", {}}};
  } else if (which == "Prometheus average") {
    metric = {.type = "Prometheus"};
    metric.prometheus = {"main", "sum(requests)", average};
  } else if (which == "Prometheus value") {
    metric = {.type = "Prometheus"};
    metric.prometheus = {"main", "sum(requests)", {"Value", Parse("10"), {}, {}}};
  }
  return metric;
}

constexpr std::array kMetrics = {
    "Resource utilization", "Resource amount", "ContainerResource", "Pods",
    "Object average",       "Object value",    "External average",  "External value",
    "Prometheus average",   "Prometheus value"};

// The answer in which each of `pods` pods is at `percent` of its target, or the whole is.
MetricAnswer AnswerOf(const std::string& which, int percent, int pods) {
  if (which.starts_with("Resource") || which.starts_with("Container")) {
    const std::string milli = std::to_string(percent / 2) + "m";
    return engine::testing::CpuOf(std::vector<std::string>(static_cast<std::size_t>(pods), milli));
  }
  const bool whole = which.ends_with("average");
  const int milli = percent * 100 * (whole ? pods : 1);
  MetricValueList values = QueueOf(std::to_string(milli) + "m");
  if (which == "Pods") {
    for (int i = 0; i < pods; ++i) {
      values.resize(static_cast<std::size_t>(i) + 1, values[0]);
      values.back().described_object = "pod-" + std::to_string(i);
    }
  }
  return values;
}

void AddMetrics(Corpus& corpus) {
  for (const std::string which : kMetrics) {
    for (const int percent : {0, 90, 110, 112, 200}) {
      Snapshot snapshot = WithPods(2);
      SpecOf(snapshot).metrics = {MetricOf(which)};
      snapshot.metrics = {AnswerOf(which, percent, 2)};
      corpus.Add("metric/" + which + " at " + std::to_string(percent) + " %", std::move(snapshot));
    }
  }
  for (const std::string which : {"Prometheus average", "Prometheus value"}) {
    Snapshot snapshot = WithPods(2);
    SpecOf(snapshot).metrics = {MetricOf(which)};
    snapshot.metrics = {AnswerOf(which, -50, 2)};
    corpus.Add("metric/" + which + " below zero", std::move(snapshot));
  }
}

// Pods that do not count in full.
void AddPods(Corpus& corpus) {
  const std::vector<Bend> kPods = {
      {"no pod at all", [](Snapshot& s) { s.pods = PodList(); }},
      {"none ready",
       [](Snapshot& s) {
         for (const std::size_t i : {0, 1}) {
           PodOf(s, i).ready->status = "False";
         }
       }},
      {"one pending", [](Snapshot& s) { PodOf(s, 0).phase = "Pending"; }},
      {"one failed", [](Snapshot& s) { PodOf(s, 0).phase = "Failed"; }},
      {"one that succeeded", [](Snapshot& s) { PodOf(s, 0).phase = "Succeeded"; }},
      {"one that has less than it requests",
       [](Snapshot& s) {
         EditContainer(PodOf(s, 0), [](auto& container) {
           container.has = {{"cpu", Parse("20m")}};
         });
       }},
      {"more than the target has",
       [](Snapshot& s) { std::get<api::Scale>(s.scale).status_replicas = 1; }},
      {"one young", [](Snapshot& s) { PodOf(s, 0).start_time = Ago(60); }},
      {"one young, readiness overridden",
       [](Snapshot& s) {
         PodOf(s, 0).start_time = Ago(60);
         SpecOf(s).readiness = api::Readiness{10, 5};
       }},
      {"one without a request",
       [](Snapshot& s) {
         EditContainer(PodOf(s, 0), [](auto& container) { container.requests.clear(); });
       }},
      {"one without a sample",
       [](Snapshot& s) {
         if (auto* pods = std::get_if<PodMetricsList>(&s.metrics[0])) {
           pods->pop_back();
         }
       }},
      {"one with a sample an hour ahead",
       [](Snapshot& s) {
         if (auto* pods = std::get_if<PodMetricsList>(&s.metrics[0])) {
           auto ahead = std::make_shared<api::PodMetrics>(*pods->back());
           ahead->timestamp = Ago(-3600);
           pods->back() = ahead;
         }
       }},
  };
  for (const std::string which : {"Resource utilization", "External value"}) {
    for (const int percent : {50, 200}) {
      Snapshot base = WithPods(2);
      SpecOf(base).metrics = {MetricOf(which)};
      base.metrics = {AnswerOf(which, percent, 2)};
      for (const Bend& bend : kPods) {
        Snapshot snapshot = base;
        bend.apply(snapshot);
        corpus.Add("pods/" + which + " at " + std::to_string(percent) + " %, " + bend.name,
                   std::move(snapshot));
      }
    }
  }
}

void AddBounds(Corpus& corpus) {
  corpus.AddEach(
      "bounds", Queue(4),
      {Bounded("1 to 20", 1, 20), Bounded("no minimum, to 3", {}, 3), Bounded("0 to 20", 0, 20),
       Bounded("6 to 6", 6, 6), Bounded("5 to 4", 5, 4)},
      {kIdle, kBusy, Load("at zero load", "0"), Load("at a huge load", "900G"),
       Load("at a negative load", "-5"), Replicas("with 1", 1), Replicas("with 40", 40)});
  Snapshot large = Queue(4);
  SpecOf(large).max_replicas = 2'000'000'000;
  corpus.AddEach("bounds", large,
                 {Replicas("beyond 2^29", 600'000'000), Replicas("beyond 2^30", 1'500'000'000)},
                 {Load("at a huge load", "90G"), kIdle});
}

api::Behavior BehaviorOf(const std::vector<api::ScalingPolicy>& policies, const char* select,
                         std::int32_t window) {
  const api::ScalingRules rules{window, select, policies, {}};
  return {rules, rules};
}

void AddZero(Corpus& corpus) {
  const Bend own{
      "its own", [](Snapshot& s) {
        s.autoscaler.status.conditions = {{"ScaledToZero", "True", "ScaledToZero", "", Ago(600)}};
      }};
  const Bend foreign{"not its own", [](Snapshot&) {}};
  for (const char* which :
       {"External average", "Object value", "Resource utilization", "Prometheus average"}) {
    for (const std::int32_t min : {0, 2}) {
      Snapshot base = Queue(0);
      SpecOf(base).min_replicas = min;
      SpecOf(base).metrics = {MetricOf(which)};
      const auto answer = [which](int percent) {
        return [which, percent](Snapshot& s) { s.metrics = {AnswerOf(which, percent, 1)}; };
      };
      corpus.AddEach(std::string("zero/") + which + ", minimum " + std::to_string(min), base,
                     {own, foreign}, {{"no load", answer(0)}, {"load", answer(300)}});
    }
  }
  Snapshot down = Queue(4);
  SpecOf(down).min_replicas = 0;
  corpus.AddEach("zero", down, {Old("to zero")},
                 {Load("at zero load", "0"), Load("at little load", "1")});
  Snapshot up = Queue(0);
  SpecOf(up).min_replicas = 0;
  up.metrics = {QueueOf("60")};
  corpus.AddEach("zero", up,
                 {{"a percentage of it",
                   [](Snapshot& s) {
                     SpecOf(s).behavior = BehaviorOf({{"Percent", 100, 60}}, "Max", 0);
                   }},
                  {"a fallback",
                   [](Snapshot& s) {
                     SpecOf(s).fallback = api::Fallback{.after_seconds = 60, .replicas = 2};
                     s.memory->no_value_since = Ago(90);
                     s.metrics = {Failure{"no answer"}};
                   }}},
                 {own, foreign});
}

void AddBehavior(Corpus& corpus) {
  const auto with = [](const char* name, const api::Behavior& behavior) {
    return Bend{name, [behavior](Snapshot& s) { SpecOf(s).behavior = behavior; }};
  };
  api::Behavior tolerant = BehaviorOf({{"Percent", 100, 15}}, "Max", 0);
  tolerant.scale_up->tolerance = Parse("0.6");
  api::Behavior up_only;
  up_only.scale_up = api::ScalingRules{0, "Max", {{{"Pods", 1, 60}}}, {}};
  const std::vector<Bend> kBehaviors = {
      {"none", [](Snapshot&) {}},
      with("one pod a minute", BehaviorOf({{"Pods", 1, 60}}, "Max", 0)),
      with("half a minute's worth", BehaviorOf({{"Percent", 50, 30}}, "Max", 0)),
      with("the lesser of two", BehaviorOf({{"Pods", 1, 60}, {"Percent", 100, 60}}, "Min", 0)),
      with("disabled", BehaviorOf({{"Pods", 4, 15}}, "Disabled", 0)),
      with("windows of two minutes", BehaviorOf({{"Pods", 9, 15}}, "Max", 120)),
      with("tolerant", tolerant),
      with("only up", up_only),
      with("an unknown policy", BehaviorOf({{"Furlongs", 1, 60}}, "Max", 0)),
  };
  const auto remembering = [](const char* load, Memory memory) {
    return [load, memory = std::move(memory)](Snapshot& s) {
      s.metrics = {QueueOf(load)};
      s.memory = memory;
    };
  };
  const Memory quiet{{{Ago(400), 4}}, {}, {}, {}};
  const Memory moved{{{Ago(400), 9}, {Ago(100), 5}, {Ago(20), 3}},
                     {{Ago(50), 1}, {Ago(10), 1}},
                     {{Ago(55), 2}, {Ago(20), 1}},
                     {}};
  corpus.AddEach("behavior", Queue(4), kBehaviors,
                 {{"idle after a quiet time", remembering("20", quiet)},
                  {"busy after a quiet time", remembering("90", quiet)},
                  {"idle after moves", remembering("20", moved)},
                  {"busy after moves", remembering("90", moved)},
                  {"content after moves", remembering("40", moved)}});
}

// What is remembered, and what the clocks do.
void AddTime(Corpus& corpus) {
  const std::vector<Bend> kTimes = {
      kNothing,
      {"first evaluation", [](Snapshot& s) { s.memory.reset(); }},
      {"on time", [](Snapshot& s) { s.last_evaluation = Ago(15); }},
      {"late", [](Snapshot& s) { s.last_evaluation = Ago(3600); }},
      {"interrupted", [](Snapshot& s) { s.interrupted = true; }},
      {"the clock jumped", [](Snapshot& s) { s.clock_jumped = true; }},
      {"last evaluation in the future", [](Snapshot& s) { s.last_evaluation = Ago(-1); }},
      {"entries in the future",
       [](Snapshot& s) {
         s.memory = Memory{{{Ago(-60), 4}}, {{Ago(-60), 1}}, {{Ago(-60), 2}}, {}};
       }},
      {"takes over", [](Snapshot& s) { s.takes_over_from = "old"; }},
      {"disabled until now",
       [](Snapshot& s) {
         s.autoscaler.status.conditions = {{"Held", "True", "Disabled", "", Ago(600)}};
       }},
      {"many recommendations",
       [](Snapshot& s) {
         s.memory->recommendations = {{Ago(500), 8}, {Ago(300), 7}, {Ago(200), 5},
                                      {Ago(150), 5}, {Ago(301), 9}, {Ago(20), 3}};
       }},
      {"a shorter window of the installation",
       [](Snapshot& s) { s.settings.downscale_stabilization = Duration::Seconds(10); }},
      {"a wider tolerance", [](Snapshot& s) { s.settings.tolerance = 0.7; }},
      {"gates off",
       [](Snapshot& s) { s.settings.scale_to_zero = s.settings.configurable_tolerance = false; }},
  };
  for (const Bend& load : {kIdle, kBusy}) {
    Snapshot base = Queue(4);
    base.memory->recommendations = {{Ago(400), 4}};
    corpus.AddEach("time", base, {load}, kTimes);
  }
}

void AddSamples(Corpus& corpus) {
  const auto used = [](const char* name, Time at) {
    return Bend{name, [at](Snapshot& s) {
                  s.memory->used_samples = {{"External/queue", at}, {"External/gone", Ago(60)}};
                }};
  };
  corpus.AddEach("sample", Queue(4),
                 {used("an older one is used", Ago(20)), used("it is used", Ago(5)),
                  used("a newer one is used", Ago(-20)), used("one ahead by a minute", Ago(-60)),
                  used("one ahead by 301 s", Ago(-301)), used("one of a wrong clock", Ago(-3601))},
                 {kIdle, kBusy, {"busy without a time", [](Snapshot& s) {
                                   s.metrics = {QueueOf("60")};
                                   std::get<MetricValueList>(s.metrics[0])[0].timestamp.reset();
                                 }}});
  const auto asked_before = [](const char* name, std::int32_t count, bool with_behavior) {
    return Bend{name, [=](Snapshot& s) {
                  s.memory->recommendations = {{Ago(290), count}};
                  if (with_behavior) {
                    SpecOf(s).behavior = BehaviorOf({{"Pods", 2, 15}}, "Max", 120);
                  }
                }};
  };
  Snapshot again = Queue(4);
  again.memory->used_samples = {{"External/queue", Ago(5)}};
  corpus.AddEach(
      "sample", again,
      {asked_before("asked for 6 before", 6, false), asked_before("asked for 5 before", 5, false),
       asked_before("asked for 6 before, by a rate", 6, true),
       asked_before("asked for 4 before, by a rate", 4, true)},
      {kIdle, kBusy, Load("busier", "90")});
  const auto aged = [](const char* name, std::int64_t age) {
    return Bend{name, [age](Snapshot& s) {
                  for (const std::size_t i : {0, 1}) {
                    s.metrics[i] = QueueOf(i == 0 ? "20" : "90", Ago(i == 0 ? age : 5));
                  }
                }};
  };
  Snapshot two = Queue(4);
  SpecOf(two).metrics = {QueueMetric(), QueueMetric()};
  SpecOf(two).metrics[1].external->metric.name = "other";
  two.metrics.resize(2);
  const Bend alone{"alone", [](Snapshot& s) {
                     SpecOf(s).metrics.pop_back();
                     s.metrics.pop_back();
                   }};
  const Bend content{"beside one that would do with fewer",
                     [](Snapshot& s) { s.metrics[1] = QueueOf("10"); }};
  corpus.AddEach(
      "stale", two,
      {aged("300 s", 300), aged("301 s", 301), aged("a day", 86'400), aged("300 s ahead", -300),
       aged("301 s ahead", -301), aged("a day ahead", -86'400)},
      {alone,
       content,
       {"beside one that is busy", [](Snapshot&) {}},
       {"where an hour is allowed",
        [](Snapshot& s) { s.settings.stale_after = Duration::Seconds(3600); }},
       {"where the metrics allow ten seconds",
        [](Snapshot& s) {
          for (api::MetricSpec& metric : SpecOf(s).metrics) {
            metric.max_sample_age_seconds = 10;
          }
        }},
       {"with windows of 200 s", [](Snapshot& s) {
          for (MetricAnswer& answer : s.metrics) {
            std::get<MetricValueList>(answer).front().window_seconds = 200;
          }
        }}});
}

void AddHolds(Corpus& corpus) {
  const auto view = [](const char* name, std::int64_t age) {
    return Bend{name, [age](Snapshot& s) { s.pods_age = Duration::Seconds(age); }};
  };
  const Bend unsettled{"an unsettled write", [](Snapshot& s) {
                         s.unsettled_write = UnsettledWrite{Ago(3), 4, 8};
                       }};
  Snapshot base = Queue(4);
  base.memory->recommendations = {{Ago(400), 4}};
  const Bend undone{"undone again and again", [](Snapshot& s) {
                      s.opponent = Opponent{"kubectl", 4, 2};
                    }};
  const Bend yielded{"in conflict until now", [](Snapshot& s) {
                       s.autoscaler.status.conditions = {{"Conflicted", "True", "", "", Ago(60)}};
                     }};
  corpus.AddEach("conflict", base, {undone, yielded}, {kNothing, kBusy});
  const Bend trouble{"trouble", [](Snapshot& s) {
                       s.ledger_trouble = LedgerTrouble{"Full", "no"};
                     }};
  const Bend told{
      "told before", [](Snapshot& s) {
        s.autoscaler.status.conditions = {{"HistoryDegraded", "True", "Full", "", Ago(60)}};
      }};
  corpus.AddEach("ledger", base, {trouble, told}, {kNothing, told, trouble});
  corpus.AddEach("hold", base,
                 {unsettled,
                  view("news", 120),
                  view("an old view", 121),
                  {"both",
                   [=](Snapshot& s) {
                     unsettled.apply(s);
                     s.pods_age = Duration::Seconds(1000);
                   }}},
                 {kNothing, kIdle, kBusy, Bounded("above the maximum", 1, 3),
                  Bounded("below the minimum", 6, 9)});
}

void AddFallbacks(Corpus& corpus) {
  const auto fallback = [](const char* name, const char* behavior, std::int32_t replicas,
                           bool allow_scale_in) {
    return Bend{name, [=](Snapshot& s) {
                  SpecOf(s).fallback = api::Fallback{.after_seconds = 60,
                                                     .replicas = replicas,
                                                     .behavior = behavior,
                                                     .allow_scale_in = allow_scale_in};
                }};
  };
  const auto since = [](const char* name, std::optional<Time> time) {
    return Bend{name, [=](Snapshot& s) { s.memory->no_value_since = time; }};
  };
  Snapshot base = Queue(4);
  base.memory->recommendations = {{Ago(400), 4}};
  base.metrics = {Failure{"no such metric"}};
  base.last_evaluation = Ago(15);
  corpus.AddEach(
      "fallback", base,
      {fallback("more", "Static", 6, false), fallback("fewer", "Static", 2, false),
       fallback("scale in", "Static", 2, true), fallback("the same", "CurrentReplicas", 6, true),
       fallback("if higher", "CurrentReplicasIfHigher", 6, true),
       fallback("if lower", "CurrentReplicasIfLower", 2, true)},
      {since("a value at the last evaluation", {}),
       since("not yet", Ago(59)),
       since("now", Ago(60)),
       since("for an hour", Ago(3600)),
       {"a value", [](Snapshot& s) { s.metrics = {QueueOf("40")}; }}});
}

void AddSuspicions(Corpus& corpus) {
  const auto since = [](const char* name, std::int64_t seconds) {
    return Bend{name, [=](Snapshot& s) {
                  s.suspect_source = SuspectSource{"external.metrics.k8s.io", Ago(seconds)};
                }};
  };
  const Bend suspect = since("by chance", 60);
  const auto trusted = [=](const char* name, const std::string& until) {
    return Bend{name, [=](Snapshot& s) {
                  suspect.apply(s);
                  s.autoscaler.metadata.annotations = {{api::kSourcesTrustedUntil, until}};
                }};
  };
  Snapshot base = Queue(4);
  base.memory->recommendations = {{Ago(400), 4}};
  corpus.AddEach(
      "suspect", base,
      {since("now", 0),
       since("for 899 s", 899),
       since("for 900 s", 900),
       since("by a clock that was ahead", -60),
       {"for a minute of one",
        [=](Snapshot& s) {
          suspect.apply(s);
          s.settings.suspect_hold = Duration::Seconds(60);
        }},
       {"told before",
        [=](Snapshot& s) {
          suspect.apply(s);
          s.autoscaler.status.conditions = {{"Held", "True", "SourceSuspect", "", {}}};
        }},
       {"no more", [](Snapshot& s) { s.memory->suspect_since = Ago(60); }},
       trusted("trusted", Print(Ago(-60))),
       trusted("trusted until now", Print(kNow)),
       trusted("trusted until nobody knows when", "tomorrow")},
      {kNothing,
       Load("at zero", "0"),
       kBusy,
       Bounded("above the maximum", 1, 3),
       {"at zero, failing", [](Snapshot& s) { s.metrics = {Failure{"no such metric"}}; }},
       {"at zero, paused",
        [](Snapshot& s) {
          s.metrics = {QueueOf("0")};
          s.autoscaler.metadata.annotations[api::kPausedUntil] = Print(Ago(-3600));
        }},
       {"at zero in a dry run", [](Snapshot& s) {
          s.metrics = {QueueOf("0")};
          SpecOf(s).mode = "DryRun";
        }}});
}

void AddPauses(Corpus& corpus) {
  const auto paused = [](const char* name, const std::string& until, const char* direction) {
    return Bend{name, [=](Snapshot& s) {
                  s.autoscaler.metadata.annotations = {{api::kPausedUntil, until},
                                                       {api::kPausedDirection, direction},
                                                       {api::kPausedBy, "alice"},
                                                       {api::kPausedReason, "a migration"}};
                }};
  };
  const std::string later = Print(Ago(-3600));
  Snapshot base = Queue(4);
  base.memory->recommendations = {{Ago(400), 4}};
  corpus.AddEach("pause", base,
                 {paused("both", later, "Both"),
                  paused("in", later, "In"),
                  paused("out", later, "Out"),
                  paused("sideways", later, "Sideways"),
                  paused("until now", Print(kNow), "Both"),
                  paused("until nobody knows when", "tomorrow", "Both"),
                  {"by nobody",
                   [=](Snapshot& s) {
                     s.autoscaler.metadata.annotations = {{api::kPausedUntil, later}};
                   }}},
                 {kNothing,
                  kIdle,
                  kBusy,
                  Bounded("above the maximum", 1, 3),
                  Bounded("below the minimum", 6, 9),
                  {"idle within a window",
                   [](Snapshot& s) {
                     kIdle.apply(s);
                     s.memory->recommendations = {{Ago(100), 4}};
                   }},
                  {"busy with an unsettled write",
                   [](Snapshot& s) {
                     kBusy.apply(s);
                     s.unsettled_write = UnsettledWrite{Ago(3), 4, 8};
                   }},
                  {"idle in a dry run", [](Snapshot& s) {
                     kIdle.apply(s);
                     SpecOf(s).mode = "DryRun";
                   }}});
}

// From a number of seconds after now to another.
ScheduleWindow Window(const char* name, std::int64_t from, std::int64_t to) {
  return {.name = name, .time_zone = "Europe/Berlin", .start = Ago(-from), .end = Ago(-to)};
}
Bend Scheduled(const char* name, ScheduleWindow window, std::optional<std::int32_t> min,
               std::optional<std::int32_t> max, std::optional<std::int32_t> ramp = {}) {
  window.min_replicas = min;
  window.max_replicas = max;
  window.ramp_minutes = ramp;
  return {name, [window](Snapshot& s) {
            if (!s.schedules) {
              s.schedules.emplace().tzdata = "2026a";
            }
            s.schedules->windows.push_back(window);
          }};
}
Bend Scheduled(const char* name, const char* hold) {
  ScheduleWindow window = Window("hold", -600, 7200);
  window.hold = hold;
  return Scheduled(name, std::move(window), {}, {});
}

void AddSchedules(Corpus& corpus) {
  const ScheduleWindow open = Window("open", -300, 7200);
  Snapshot base = Queue(4);
  base.memory->recommendations = {{Ago(400), 4}};
  Snapshot with_rates = base;
  SpecOf(with_rates).behavior = BehaviorOf({{"Pods", 1, 60}}, "Max", 120);
  const std::vector<Bend> kSchedules = {
      Scheduled("a floor", open, 6, {}),
      Scheduled("a ceiling", open, {}, 2),
      Scheduled("a floor and a ceiling", open, 4, 5),
      Scheduled("a floor that rises by minutes", Window("soon", 360, 7200), 10, {}, 10),
      Scheduled("a floor that rises by rates", Window("soon", 180, 7200), 10, {}),
      Scheduled("a ceiling that comes down by minutes", open, {}, 1, 10),
      Scheduled("a floor that has ended", Window("over", -7200, -60), 4, {}),
      Scheduled("a ceiling of none", open, {}, 0),
      Scheduled("a hold", "All"),
      Scheduled("a hold of scaling up", "ScaleUp"),
      Scheduled("a hold of scaling down", "ScaleDown")};
  const std::vector<Bend> kLoads = {
      kNothing,
      kIdle,
      kBusy,
      {"failing", [](Snapshot& s) { s.metrics = {Failure{"no answer"}}; }},
      {"below a second floor", Scheduled("", Window("high", -60, 60), 9, {}).apply},
      {"at its own zero", [](Snapshot& s) {
         ScaleOf(s).spec_replicas = ScaleOf(s).status_replicas = 0;
         s.autoscaler.status.conditions = {
             {"ScaledToZero", "True", "ZeroBySchedule", "", Ago(600)}};
       }}};
  corpus.AddEach("schedule", base, kSchedules, kLoads);
  for (const Bend& schedule : kSchedules) {
    Snapshot snapshot = with_rates;
    schedule.apply(snapshot);
    kIdle.apply(snapshot);
    corpus.Add(std::string("schedule/") + schedule.name + ", one pod a minute", snapshot);
  }
  Snapshot lost = base;
  Scheduled("", open, 6, {}).apply(lost);
  lost.schedules->windows[0].end.reset();
  lost.schedules->lost = {{"open", "Europe/Berlin"}};
  corpus.Add("schedule/a zone that is gone", lost);
}

// Of alice, for a sale.
Bend Overridden(const char* name, ScheduleWindow window) {
  window.time_zone.clear();
  window.ramp_minutes = 0;
  window.origin = engine::OverrideOrigin{"alice", "sale"};
  return {name, [window](Snapshot& s) { s.overrides.push_back(window); }};
}

// HPAs have them, too.
void AddOverrides(Corpus& corpus) {
  const auto window = [](std::optional<std::int32_t> floor, std::optional<std::int32_t> ceiling,
                         std::optional<std::int32_t> pin, const char* hold = "") {
    ScheduleWindow open = Window("web-override", -300, 7200);
    open.min_replicas = floor;
    open.max_replicas = ceiling;
    open.pin = pin;
    open.hold = hold;
    return open;
  };
  ScheduleWindow over = window({}, {}, 4);
  over.end = Ago(60);
  const std::vector<Bend> kOverrides = {
      Overridden("a floor", window(6, {}, {})),
      Overridden("a ceiling", window({}, 2, {})),
      Overridden("a ceiling of none", window({}, 0, {})),
      Overridden("a pin", window({}, {}, 7)),
      Overridden("a pin above the maximum", window({}, {}, 99)),
      Overridden("a pin of none", window({}, {}, 0)),
      Overridden("a pin that has ended", over),
      Overridden("a hold", window({}, {}, {}, "All")),
      Overridden("a hold of scaling up", window({}, {}, {}, "ScaleUp")),
      Overridden("a hold of scaling down", window({}, {}, {}, "ScaleDown"))};
  const std::vector<Bend> kLoads = {
      kNothing,
      kIdle,
      kBusy,
      {"failing", [](Snapshot& s) { s.metrics = {Failure{"no answer"}}; }},
      {"beside a floor and a hold",
       [&](Snapshot& s) {
         Overridden("", window(9, {}, {})).apply(s);
         Overridden("", window({}, {}, {}, "ScaleDown")).apply(s);
       }},
      {"at its own zero", [](Snapshot& s) {
         ScaleOf(s).spec_replicas = ScaleOf(s).status_replicas = 0;
         s.autoscaler.status.conditions = {
             {"ScaledToZero", "True", "ZeroBySchedule", "", Ago(600)}};
       }}};
  Snapshot base = Queue(4);
  base.memory->recommendations = {{Ago(400), 4}};
  corpus.AddEach("override", base, kOverrides, kLoads);
  Snapshot scheduled = base;
  Scheduled("", Window("day", -300, 7200), 5, 6).apply(scheduled);
  corpus.AddEach("override", scheduled, kOverrides, {{"beside a schedule", [](Snapshot&) {}}});
  base.autoscaler.api_version = api::kHpaApiVersion;
  base.autoscaler.kind = api::kHpaKind;
  corpus.AddEach("hpa-override", base, kOverrides, kLoads);
  SpecOf(base).min_replicas = 0;
  corpus.AddEach("hpa-override-zero", base, kOverrides, {kNothing, kIdle, kLoads.back()});
  base.settings.scale_to_zero = false;
  corpus.AddEach("hpa-override-no-zero", base, kOverrides, {kNothing, kIdle});
}

void AddModes(Corpus& corpus) {
  const auto mode = [](const char* name) {
    return Bend{name, [name](Snapshot& s) { SpecOf(s).mode = name; }};
  };
  Snapshot base = Queue(4);
  base.memory->recommendations = {{Ago(400), 4}};
  SpecOf(base).behavior = BehaviorOf({{"Pods", 4, 15}}, "Max", 0);
  corpus.AddEach("mode", base, {mode("Active"), mode("DryRun"), mode("Disabled"), mode("Nonsense")},
                 {kNothing,
                  kIdle,
                  kBusy,
                  Bounded("above the maximum", 1, 3),
                  {"failing", [](Snapshot& s) { s.metrics = {Failure{"no answer"}}; }},
                  {"with an unsettled write", [](Snapshot& s) {
                     s.metrics = {QueueOf("60")};
                     s.unsettled_write = UnsettledWrite{Ago(3), 4, 8};
                   }}});
}

void AddFailures(Corpus& corpus) {
  const std::vector<Bend> kFailures = {
      {"no scale", [](Snapshot& s) { s.scale = Failure{"deployments.apps \"web\" not found"}; }},
      {"a target that is none",
       [](Snapshot& s) { SpecOf(s).scale_target_ref.api_version = "a/b/c"; }},
      {"no pods", [](Snapshot& s) { s.pods = Failure{"pods is forbidden"}; }},
      {"no selector", [](Snapshot& s) { ScaleOf(s).selector.clear(); }},
      {"a selector that is none", [](Snapshot& s) { ScaleOf(s).selector = "app in"; }},
      {"a rival",
       [](Snapshot& s) {
         s.rivals = {{"other", "app=web"}, {"far", "app=db"}};
       }},
      {"no answer", [](Snapshot& s) { s.metrics.clear(); }},
      {"an answer of another API", [](Snapshot& s) { s.metrics = {PodMetricsList()}; }},
      {"an empty answer", [](Snapshot& s) { s.metrics = {MetricValueList()}; }},
      {"no metric",
       [](Snapshot& s) {
         SpecOf(s).metrics.clear();
         s.metrics.clear();
       }},
      {"a metric of no known type", [](Snapshot& s) { SpecOf(s).metrics[0].type = "Sundial"; }},
      {"a metric without a target",
       [](Snapshot& s) { SpecOf(s).metrics[0].external->target = {}; }},
      {"a metric selector that is none",
       [](Snapshot& s) {
         SpecOf(s).metrics[0].external->metric.selector =
             api::LabelSelector{{}, {{"app", "Near", {}}}};
       }},
      {"one metric of two, the other busy",
       [](Snapshot& s) {
         SpecOf(s).metrics.push_back(QueueMetric());
         s.metrics = {Failure{"no answer"}, QueueOf("60")};
       }},
      {"one metric of two, the other idle",
       [](Snapshot& s) {
         SpecOf(s).metrics.push_back(QueueMetric());
         s.metrics = {Failure{"no answer"}, QueueOf("20")};
       }},
  };
  corpus.AddEach("failure", WithPods(1), {Old("of")}, kFailures);
}

void AddOutcomes(Corpus& corpus) {
  const Outcome kOutcomes[] = {{Kind::kNotAttempted, "the lease was lost"},
                               {Kind::kWritten, ""},
                               {Kind::kFailed, "forbidden"},
                               {Kind::kUnknown, "time-out"}};
  constexpr std::array kNames = {"not attempted", "written", "failed", "unknown"};
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    for (const Bend& load : {kIdle, kBusy, Bounded("above the maximum", 1, 3)}) {
      for (const bool with_behavior : {false, true}) {
        Snapshot snapshot = Queue(4);
        snapshot.memory->recommendations = {{Ago(400), 4}};
        if (with_behavior) {
          SpecOf(snapshot).behavior = BehaviorOf({{"Pods", 1, 60}}, "Max", 0);
        }
        load.apply(snapshot);
        corpus.Add(std::string("outcome/") + kNames.at(i) + ", " + load.name +
                       (with_behavior ? ", one pod a minute" : ""),
                   std::move(snapshot), kOutcomes[i]);
      }
    }
  }
}

}  // namespace

std::vector<Line> Policies() {
  Corpus corpus;
  for (const auto add : {AddMetrics, AddPods, AddBounds, AddZero, AddBehavior, AddTime, AddSamples,
                         AddHolds, AddFallbacks, AddSuspicions, AddPauses, AddSchedules,
                         AddOverrides, AddModes, AddFailures, AddOutcomes}) {
    add(corpus);
  }
  return corpus.Take();
}

}  // namespace ballast::golden
