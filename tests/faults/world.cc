#include "tests/faults/world.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <string_view>
#include <utility>

#include "api/base/time.h"
#include "operator/controllers/memory_object.h"
#include "tests/faults/replica.h"

namespace ballast::faults {
namespace {

constexpr const char* kNamespace = "shop";
constexpr std::size_t kTraced = 60;  // lines that are kept
constexpr Nanoseconds kLook = 5 * kSecond;
constexpr Nanoseconds kHpaPeriod = 15 * kSecond;
constexpr int kAsked = 5;  // how often `why` is asked before all is calm, and then once more
constexpr int kQuestions = 10;
constexpr Nanoseconds kDrawn = 2 * 3600 * kSecond;

// Without news of these no policy is evaluated.
bool IsOfAutoscalers(const std::string& kind) {
  return kind == kPolicies || kind == kHpas || kind == kOverrides;
}

void AddParts(Load& load, Dice& dice) {
  constexpr std::array<MetricKind, 3> kKinds{MetricKind::kExternal, MetricKind::kPodMetrics,
                                             MetricKind::kObject};
  for (std::uint64_t left = dice.Below(3); left > 0; --left) {
    load.parts.push_back({kKinds[dice.Below(kKinds.size())], dice.Between(1, 3)});
  }
}

// Each direction has rules of its own kind, which never allow more than max_ups.
Load::Rules AnyRules(Dice& dice, bool tolerances) {
  constexpr Nanoseconds kSlowest = 20 * 75 * kSecond;  // a replica a minute
  Load::Rules rules{.any = true};
  const auto tolerance = [&]() -> std::string {
    static constexpr std::array<const char*, 3> kTolerances{"", "0", "50m"};
    const char* const one = kTolerances[dice.Below(kTolerances.size())];
    return tolerances ? one : "";
  };
  rules.up_tolerance = tolerance();
  rules.down_tolerance = tolerance();
  if (dice.OneIn(2)) {
    rules.up_window = (dice.OneIn(2) ? 30 : 90) * kSecond;
    rules.climb += rules.up_window;
  }
  switch (dice.Below(4)) {
    case 0:
      rules.up_select = "Min";
      rules.up_more = R"(,{"type":"Percent","value":50,"periodSeconds":60})";
      rules.climb += kSlowest;
      break;
    case 1:
      rules.up_more = R"(,{"type":"Percent","value":10,"periodSeconds":60})";
      break;
    default:
      break;
  }
  switch (dice.Below(5)) {
    case 0:
      rules.down_select = "Min";
      rules.down_policies = R"({"type":"Percent","value":50,"periodSeconds":60},)"
                            R"({"type":"Pods","value":3,"periodSeconds":30})";
      rules.climb += kSlowest;
      break;
    case 1:
      rules.down_policies = R"({"type":"Pods","value":2,"periodSeconds":60},)"
                            R"({"type":"Percent","value":20,"periodSeconds":120})";
      rules.climb += kSlowest;
      break;
    case 2:
      rules.down_select = "Disabled";
      break;
    default:
      break;
  }
  return rules;
}

}  // namespace

World::World(const WorldOptions& options)
    : options_(options),
      layout_(options.seed),
      checks_(options.swarm, loads_),
      answers_(options.seed, options_.swarm, loads_, checks_) {
  Fibers::Get().Seed(options.seed);
  Fibers::Get().Preempt(options.swarm.Has(Fault::kPreemption) ? 20 : 0);
  for (std::uint64_t i = 0; i < kFaultNames.size(); ++i) {
    dice_.emplace_back(options.seed * 1000 + i);
  }
  if (options.swarm.Has(Fault::kCalendars)) {
    BeginNearZoneChange();
  }
  server_.streams_lists = !layout_.OneIn(4);
  if (options.swarm.Has(Fault::kPages)) {
    server_.page_size = 3;
  }
  server_.loses_page = [this](const std::string& kind) {
    if (options_.swarm.Has(Fault::kPages)) {
      Met(Fault::kPages, kind);
    }
    return Strikes(Fault::kExpiry, "page", 10);
  };
  server_.metrics = [this](const auto& request) { return metrics_.Answer(request); };
  server_.on_scale = [this](const ScaleWrite& write) { OnScale(write); };
  server_.on_lease = [this](const JsonValue& lease) {
    checks_.LeaseIs(lease.At({"spec", "holderIdentity"}).Text(),
                    lease.At({"spec", "leaseDurationSeconds"}).Integer() * kSecond);
    answers_.LeaseIs(lease.At({"spec", "holderIdentity"}).Text());
  };
  server_.on_refused = [this](const api::ObjectKey& target, const std::string& patch) {
    Trace(target.name + ": a write is refused: " + patch);
    if (const auto index = Find(target.name)) {
      checks_.Refused(*index, patch);
    }
  };
  server_.on_status = [this](const api::ObjectKey& policy, const JsonValue& before,
                             const JsonValue& patch) {
    if (const auto index = Find(policy.name)) {
      checks_.StatusWritten(*index, before, patch);
    }
  };
  WatchHpas();
  MakePolicies();
  for (int i = 0; i < options.replicas; ++i) {
    replicas_.push_back(std::make_unique<Replica>(*this, i));
  }
}

World::~World() = default;

std::string World::Stamp(Nanoseconds world, Nanoseconds ahead) {
  return Print(Time::FromUnixNanoseconds(Machine().Wall(world) + ahead));
}

std::optional<std::size_t> World::Find(const std::string& name) const {
  const auto found = std::ranges::find(loads_, LoadOfTarget(name), &Load::name);
  return found == loads_.end() ? std::nullopt
                               : std::optional(static_cast<std::size_t>(found - loads_.begin()));
}

bool World::Strikes(Fault fault, const std::string& phase, std::uint64_t one_in) {
  if (calm_ || !options_.swarm.Has(fault) ||
      !DiceOf(fault).OneIn(options_.swarm.extreme ? std::max<std::uint64_t>(one_in / 4, 2)
                                                  : one_in)) {
    return false;
  }
  if (!Happens(Name(fault))) {
    return false;
  }
  Met(fault, phase);
  if (!options_.skipped.empty()) {
    Trace(std::string(Name(fault)) + " strikes: " + phase);
  }
  return true;
}

bool World::Happens(const std::string& kind) {
  const std::uint64_t number = events_[kind]++;
  const auto skipped = options_.skipped.find(kind);
  return skipped == options_.skipped.end() || !skipped->second.contains(number);
}

void World::CallFails(const kube::Request& request, const std::string& phase) {
  if (phase == "lease" || phase == "event" || phase.ends_with("certificates")) {
    return;  // another leader is a disturbance when it leads
  }
  if (const auto index = PolicyOf(request)) {
    checks_.DelayPolicy(*index);
  } else {
    checks_.Disturb(now() + 60 * kSecond);
  }
}

// The policy that the request is for, or whose metric or target; absent: all.
std::optional<std::size_t> World::PolicyOf(const kube::Request& request) const {
  constexpr std::string_view kName = "web-";
  std::optional<std::size_t> last;
  const auto look = [&](std::string_view text) {
    for (auto at = text.find(kName); at != std::string_view::npos; at = text.find(kName, at)) {
      at += kName.size();
      std::size_t number = loads_.size();
      std::from_chars(text.data() + at, text.data() + text.size(), number);
      if (number < loads_.size()) {
        last = std::max(last.value_or(0), number);
      }
    }
  };
  look(request.path);
  for (const auto& [name, value] : request.query) {
    look(value);
  }
  return last;
}

void World::Asks(const Process& process, const kube::Request& request) {
  if (const auto index = PolicyOf(request); index && !AsksForPart(request)) {
    checks_.Asks(*index, process.identity());
  }
}

void World::Delivered(Process& process, const kube::Request& request, Nanoseconds handled) {
  const auto index = PolicyOf(request);
  // By a clock that is wrong, the sample is out of date.
  const Nanoseconds ahead = process.machine().Wall(now()) - Machine().Wall(now());
  if (index && !AsksForPart(request) && !loads_[*index].per_pod() &&
      std::abs(ahead) < 100 * kSecond) {
    const Load& load = loads_[*index];
    const Nanoseconds sampled = load.SampledAt(handled);
    checks_.Delivered(*index, process.identity(), sampled, load.At(sampled));
  }
}

void World::Trace(const std::string& text) {
  for (const char c : text) {
    digest_ = (digest_ ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  digest_ = (digest_ ^ static_cast<std::uint64_t>(now())) * 1099511628211ULL;
  char time[32];
  const Nanoseconds since = now() - 3600 * kSecond;
  std::snprintf(time, sizeof time, "%8.3f s  ", static_cast<double>(since / 1'000'000) / 1000);
  trace_.push_back(time + text);
  if (options_.trace) {
    std::printf("=   %s\n", trace_.back().c_str());
  }
  if (trace_.size() > 2 * kTraced) {
    trace_.erase(trace_.begin(), trace_.begin() + kTraced);
  }
}

// ---- The cluster

void World::MakePolicies() {
  // A shorter run has the same beginning.
  const Nanoseconds end = now() + std::max(options_.length, kDrawn);
  for (int i = 0; i < options_.policies; ++i) {
    const std::string name = "web-" + std::to_string(i);
    Load load{.name = name,
              .target = name,
              .period = kPeriods[layout_.Below(kPeriods.size())],
              .window = kWindows[layout_.Below(kWindows.size())],
              .max_ups = layout_.OneIn(2) ? 4 : 0};
    if (options_.swarm.Has(Fault::kSparseSamples)) {
      load.sample_every = 60 * kSecond;
    }
    if (options_.swarm.Has(Fault::kAheadSamples)) {
      load.ahead = layout_.Between(kSecond, 200 * kSecond);
    }
    if (options_.swarm.Has(Fault::kAllMetrics)) {
      load.metric = static_cast<MetricKind>(DiceOf(Fault::kAllMetrics).Below(kMetricKinds.size()));
    }
    if (options_.swarm.Has(Fault::kNativeHpas) && DiceOf(Fault::kNativeHpas).OneIn(2)) {
      load.hpa = true;
      load.mode = load.usual_mode = "manage";
      if (options_.swarm.Has(Fault::kObservedHpas)) {
        load.mode = load.usual_mode = DiceOf(Fault::kObservedHpas).OneIn(2) ? "observe" : "shadow";
        load.suspensions.push_back({now(), kNever, true, true});
      }
      load.period = kHpaPeriod;
      load.metric = load.metric == MetricKind::kPrometheus ? MetricKind::kExternal : load.metric;
    }
    if (options_.swarm.Has(Fault::kSeveralMetrics)) {
      AddParts(load, DiceOf(Fault::kSeveralMetrics));
    }
    if (options_.swarm.Has(Fault::kFallback) && !load.hpa && load.parts.empty() &&
        DiceOf(Fault::kFallback).OneIn(2)) {
      load.fallback_after = (DiceOf(Fault::kFallback).OneIn(2) ? 300 : 600) * kSecond;
      load.fallback_replicas = DiceOf(Fault::kFallback).Between(1, kMax);
    }
    if (options_.swarm.Has(Fault::kBehaviors) && DiceOf(Fault::kBehaviors).OneIn(2)) {
      load.rules = AnyRules(DiceOf(Fault::kBehaviors), !load.hpa);
      Met(Fault::kBehaviors, load.rules.up_select + std::string("/") + load.rules.down_select);
    }
    load.levels.push_back({0, 1});
    Nanoseconds at = now() + layout_.Between(30 * kSecond, 120 * kSecond);
    while (at < end) {
      const std::int64_t replicas = layout_.Between(1, kMax);
      if (Happens(kLoad)) {
        load.levels.push_back({at, replicas});
      }
      // What a leader sees for a moment only is what the next one may not know of.
      const bool is_short = layout_.OneIn(3) || options_.swarm.Has(Fault::kFlaps);
      at += is_short ? layout_.Between(30 * kSecond, 180 * kSecond)
                     : layout_.Between(180 * kSecond, 2400 * kSecond);
    }
    loads_.push_back(std::move(load));
  }
  checks_.Begin();
  hpa_checks_.Begin();
  pods_.resize(loads_.size());
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    PutTarget(i, 1);
    PutAutoscaler(i);
    checks_.Anew(i);
    if (loads_[i].hpa) {
      checks_.DisturbPolicy(i, now() + kReclaimed);
    }
  }
}

void World::PutTarget(std::size_t index, std::int64_t replicas) {
  const std::string labels = R"({"app":")" + loads_[index].name + R"("})";
  server_.Put(
      kDeployments, TargetOf(loads_[index]),
      JsonValue::Of(R"({"metadata":{"creationTimestamp":")" + Stamp(now()) +
                    R"("},"spec":{"replicas":)" + std::to_string(replicas) +
                    R"(,"selector":{"matchLabels":)" + labels + R"(}},"status":{"replicas":0}})"));
  RollOut(index);
}

// The Deployment's controller and the kubelet, in one: pods are made and removed soon after the
// replicas change, and become ready after a while.
void World::ManagePods(std::size_t index) {
  const Load& load = loads_[index];
  const JsonValue* target = server_.Get(kDeployments, TargetOf(load));
  if (target == nullptr) {
    return;
  }
  const std::int64_t wanted = target->At({"spec", "replicas"}).Integer();
  const std::string set = load.name + "-" + target->At({"status", "template"}).Text();
  std::vector<Pod>& pods = pods_[index];
  while (static_cast<std::int64_t>(pods.size()) > wanted) {
    server_.Delete(kPods, pods.back().key);
    pods.pop_back();
  }
  const JsonValue* owner = server_.Get(kReplicaSets, {kNamespace, set});
  while (static_cast<std::int64_t>(pods.size()) < wanted) {
    const api::ObjectKey key{kNamespace, set + "-" + std::to_string(++pods_made_)};
    pods.push_back({key, std::nullopt});
    const auto status = [&](const char* ready) {
      return JsonValue::Of(R"({"phase":"Running","startTime":")" + Stamp(now()) +
                           R"(","conditions":[{"type":"Ready","status":")" + ready +
                           R"(","lastTransitionTime":")" + Stamp(now()) + R"("}]})");
    };
    JsonValue pod = JsonValue::Of(
        R"({"metadata":{"labels":{"app":")" + load.name +
        R"("},"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":")" + set +
        R"(","uid":")" + owner->At({"metadata", "uid"}).Text() +
        R"(","controller":true}]},"spec":{"containers":[{"name":"web","resources":{"requests":{"cpu":"100m"}}}]}})");
    pod["status"] = status("False");
    server_.Put(kPods, key, std::move(pod));
    Fibers::Get().At(now() + layout_.Between(2 * kSecond, 40 * kSecond), [=, this] {
      if (const JsonValue* found = server_.Get(kPods, key)) {
        std::ranges::find(pods_[index], key, &Pod::key)->ready = now();
        JsonValue ready = *found;
        ready["status"] = status("True");
        server_.Put(kPods, key, std::move(ready));
      }
    });
  }
  if (target->At({"status", "replicas"}).Integer() != wanted) {
    JsonValue changed = *target;
    changed["status"]["replicas"] = JsonValue(wanted);
    server_.Put(kDeployments, TargetOf(load), std::move(changed));
  }
}

void World::RollOut(std::size_t index) {
  const api::ObjectKey key = TargetOf(loads_[index]);
  const JsonValue* found = server_.Get(kDeployments, key);
  if (found == nullptr) {
    return;
  }
  JsonValue target = *found;
  for (const Pod& pod : std::exchange(pods_[index], {})) {
    server_.Delete(kPods, pod.key);
  }
  const std::string made = std::to_string(++pods_made_);
  target["status"]["template"] = JsonValue(made);
  server_.Put(kReplicaSets, {kNamespace, loads_[index].name + "-" + made},
              JsonValue::Of(R"({"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":)"
                            R"("Deployment","name":")" +
                            key.name + R"(","uid":")" + target.At({"metadata", "uid"}).Text() +
                            R"(","controller":true}]}})"));
  server_.Put(kDeployments, key, std::move(target));
  ManagePods(index);
  if (loads_[index].per_pod()) {
    const Nanoseconds until = now() + loads_[index].settling();
    checks_.Blind(index, now(), until + checks_.Lateness());
    checks_.DisturbPolicy(index, until);
  }
}

MetricModel::View World::MetricView() {
  return {.ready_pods =
              [this](std::size_t load, Nanoseconds sampled) {
                std::vector<std::string> names;
                for (const Pod& pod : pods_[load]) {
                  if (pod.ready && *pod.ready <= sampled) {
                    names.push_back(pod.key.name);
                  }
                }
                return names;
              },
          .misses_pods = [this](std::size_t load) { return missing_.contains(load); },
          .fails =
              [this](std::size_t load, std::optional<std::size_t> part) {
                const auto found = failing_.find(load);
                const bool fails = found != failing_.end() && found->second == part;
                if (fails) {
                  Met(Fault::kMetricOutages, "metrics");
                }
                return fails;
              },
          .on_sample =
              [this](MetricKind kind) {
                for (const Fault fault : {Fault::kAllMetrics, Fault::kSeveralMetrics}) {
                  if (options_.swarm.Has(fault)) {
                    Met(fault, kMetricKinds[static_cast<std::size_t>(kind)]);
                  }
                }
              }};
}

void World::OnScale(const ScaleWrite& write) {
  const auto index = Find(write.target.name);
  if (!index) {
    return;
  }
  Trace(write.target.name + ": " + write.by + " changes " + std::to_string(write.from) + " to " +
        std::to_string(write.to) + " replicas, " + std::to_string(loads_[*index].At(now())) +
        " are needed");
  Fibers::Get().At(now() + layout_.Between(kSecond / 10, 2 * kSecond),
                   [this, i = *index] { ManagePods(i); });
  if (write.by == "ballast") {
    checks_.Applied(*index, write);
    if (loads_[*index].hpa) {
      hpa_checks_.Scaled(*index, write);
    }
  } else {
    checks_.DisturbPolicy(*index, now());
  }
  checks_.Scaled(*index, write.to);
  answers_.Scaled(*index, write);
  if (const Nanoseconds settling = loads_[*index].settling(); settling > 0) {
    checks_.DisturbPolicy(*index, now() + settling);
    const bool is_too_many =
        write.to > write.from && write.to > loads_[*index].At(now());  // as by a floor
    if (write.by != "ballast" || is_too_many) {
      // As upstream counts, pods that are not ready make fewer of those that are too many.
      checks_.Blind(*index, now(), now() + settling + checks_.Lateness());
    }
  }
}

void World::WatchHpas() {
  server_.on_hpa_status = [this](const api::ObjectKey& hpa, const JsonValue& before,
                                 const JsonValue& after, const std::string& manager) {
    Trace(hpa.name + ": " + manager + " writes the status, observedGeneration " +
          after.At({"observedGeneration"}).Print());
    if (const auto index = Find(hpa.name)) {
      hpa_checks_.StatusWritten(*index, before, after, manager);
    }
  };
  server_.on_config_map = [this](const JsonValue& before, const JsonValue& after) {
    hpa_checks_.MemoryWritten(before, after);
  };
}

// ---- Faults that come by themselves

Replica& World::AnyReplica(Dice& dice) { return *replicas_[dice.Below(replicas_.size())]; }

void World::Every(Fault fault, Nanoseconds about, std::function<Event(Dice&)> draw) {
  if (!options_.swarm.Has(fault)) {
    return;
  }
  if (options_.swarm.extreme) {
    about /= 4;
  }
  const Nanoseconds at = now() + DiceOf(fault).Between(about / 8, about * 2);
  Fibers::Get().At(at, [this, fault, about, draw = std::move(draw)]() mutable {
    if (calm_) {
      return;
    }
    if (const Event event = draw(DiceOf(fault)); event && Happens(Name(fault))) {
      event();
    }
    // `about` has been divided already.
    const bool extreme = options_.swarm.extreme;
    Every(fault, extreme ? about * 4 : about, std::move(draw));
  });
}

void World::ScheduleFaults() {
  ScheduleReplicaFaults();
  ScheduleServerFaults();
  SchedulePeople();
  ScheduleRivals();
}

void World::ScheduleRivals() {
  if (options_.swarm.Has(Fault::kObservedHpas)) {
    Met(Fault::kObservedHpas, "hpas");
    return rival_.Start(kHpaPeriod, DiceOf(Fault::kObservedHpas));
  }
  Every(Fault::kRivals, 1800 * kSecond, [this](Dice& dice) -> Event {
    const Nanoseconds until = now() + dice.Between(10 * kSecond, 900 * kSecond);
    const Nanoseconds period = dice.OneIn(3) ? 60 * kSecond : 15 * kSecond;
    if (rival_.running() || !options_.swarm.Has(Fault::kNativeHpas)) {
      return {};
    }
    return [=, this, &dice] {
      Trace("the cluster's own controller of HPAs starts");
      Met(Fault::kRivals, "hpas");
      rival_.Start(period, dice);
      Fibers::Get().At(until, [this] {
        Trace("the cluster's own controller of HPAs ends");
        rival_.Stop();
      });
      for (std::size_t i = 0; i < loads_.size(); ++i) {
        if (loads_[i].hpa) {
          checks_.DisturbPolicy(i, until + kReclaimed);
        }
      }
    };
  });
}

// One of the metrics, until the outage ends.
void World::FailMetric(std::size_t index) {
  std::optional<std::size_t> part;
  if (const std::size_t parts = loads_[index].parts.size(); parts > 0) {
    const std::uint64_t drawn = DiceOf(Fault::kSeveralMetrics).Below(parts + 1);
    part = drawn < parts ? std::optional(drawn) : std::nullopt;
  }
  Trace(loads_[index].name + ": its metric " + (part ? std::to_string(*part) + " " : "") + "fails");
  failing_.try_emplace(index, part);
  checks_.OutageBegins(index);
}

std::optional<std::int64_t> World::WishOf(std::size_t index) const {
  const Load& load = loads_[index];
  return checks_.InOutage(index) ? std::nullopt : std::optional(load.At(load.SampledAt(now())));
}

void World::TraceLoads() {
  for (const Load& load : loads_) {
    for (const Load::Level& level : load.levels) {
      Fibers::Get().At(level.from, [this, &load, needed = level.replicas] {
        Trace(load.name + ": the load needs " + std::to_string(needed) + " replicas");
      });
    }
  }
}

// It strikes that replica now.
void World::Disturb(Fault fault, Replica& replica) {
  for (const std::string& phase : replica.process().Phases()) {
    Met(fault, phase);
  }
  Trace(replica.process().identity() + ": " + Name(fault));
  // Another replica may take over, when the Lease has run out, and begin anew.
  checks_.Disturb(now() + 60 * kSecond);
  checks_.LoseRate(now() + 60 * kSecond);
}

void World::StopLeader() {
  for (const auto& replica : replicas_) {
    if (replica->running() && replica->process().identity() == checks_.holder()) {
      Disturb(Fault::kFlaps, *replica);
      replica->process().Stop();
    }
  }
}

void World::Pause(Process& process, Nanoseconds span) {
  Fibers::Get().Stop(process.machine());
  const Nanoseconds until = now() + span;
  checks_.Disturb(until + 60 * kSecond);
  checks_.LoseRate(until + 60 * kSecond);
  Fibers::Get().At(until, [this, &process] {
    for (const auto& replica : replicas_) {
      if (replica->running() && &replica->process() == &process) {
        Fibers::Get().Continue(process.machine());
      }
    }
  });
}

void World::ScheduleReplicaFaults() {
  using Strike = std::function<void(Replica&)>;
  const auto every = [this](Fault fault, Nanoseconds about,
                            const std::function<Strike(Dice&)>& draw) {
    Every(fault, about, [this, draw, fault](Dice& dice) -> Event {
      Replica& replica = AnyReplica(dice);
      if (!replica.running()) {
        return {};
      }
      return [this, fault, &replica, strike = draw(dice)] {
        Disturb(fault, replica);
        strike(replica);
      };
    });
  };
  // The first leader is back before its own memory is old.
  Every(Fault::kFlaps, 600 * kSecond, [this](Dice& dice) -> Event {
    return [this, back = dice.Between(10 * kSecond, 90 * kSecond)] {
      StopLeader();
      Fibers::Get().At(now() + back, [this] {
        if (!calm_) {
          StopLeader();
        }
      });
    };
  });
  every(Fault::kKills, 900 * kSecond, [this](Dice& dice) -> Strike {
    const Nanoseconds after = dice.OneIn(3) ? dice.Between(kSecond, 90 * kSecond)
                                            : dice.Between(kSecond / 2, 5 * kSecond);
    const bool of_power =
        options_.swarm.Has(Fault::kPowerCuts) && DiceOf(Fault::kPowerCuts).OneIn(2);
    return [this, after, of_power](Replica& replica) {
      if (of_power && options_.swarm.Has(Fault::kSqlite)) {
        replica.disk().AtNextSync([this, &replica, after] { CutPower(replica, after); });
      } else {
        replica.Kill(after);
      }
    };
  });
  every(Fault::kRestarts, 900 * kSecond,
        [](Dice&) -> Strike { return [](Replica& replica) { replica.process().Stop(); }; });
  every(Fault::kPauses, 600 * kSecond, [this](Dice& dice) -> Strike {
    const Nanoseconds longest = dice.OneIn(3) ? 120 * kSecond : 12 * kSecond;
    const Nanoseconds span = dice.Between(kSecond, longest);
    return [this, span](Replica& replica) { Pause(replica.process(), span); };
  });
  every(Fault::kPartitions, 900 * kSecond, [this](Dice& dice) -> Strike {
    return [this, span = dice.Between(kSecond, 60 * kSecond)](Replica& replica) {
      replica.process().PartitionUntil(now() + span);
      checks_.Disturb(now() + span + 60 * kSecond);
      checks_.LoseRate(now() + span + 60 * kSecond);
    };
  });
  every(Fault::kClockSteps, 1200 * kSecond, [this](Dice& dice) -> Strike {
    const Nanoseconds by =
        dice.OneIn(2) ? dice.Between(-4, 4) * kSecond : dice.Between(-7200, 7200) * kSecond;
    // It is set right again: by a clock that is hours off, all samples are out of date.
    const Nanoseconds span = dice.Between(10 * kSecond, 400 * kSecond);
    const auto to = AnyBoundary(dice);
    return [this, by, span, to](Replica& replica) {
      const Nanoseconds wall = replica.process().machine().Wall(now());
      StepClock(replica, to ? *to - wall : by, now() + span);
    };
  });
  every(Fault::kClockDrift, 1200 * kSecond, [this](Dice& dice) -> Strike {
    const double rate = 1 + static_cast<double>(dice.Between(-10, 10)) / 1000;
    return [this, rate](Replica& replica) { replica.process().machine().Drift(now(), rate); };
  });
  every(Fault::kFailingDisk, 900 * kSecond, [this](Dice& dice) -> Strike {
    return [this, span = dice.Between(kSecond, 300 * kSecond)](Replica& replica) {
      replica.disk().FailUntil(now() + span);
    };
  });
}

void World::CutPower(Replica& replica, Nanoseconds start_after) {
  if (replica.running() && !calm_) {
    Disturb(Fault::kPowerCuts, replica);
    replica.disk().LosePower();
    replica.Kill(start_after);
  }
}

void World::StepClock(Replica& replica, Nanoseconds by, Nanoseconds until) {
  SetClock(replica, by);
  checks_.Disturb(until + 60 * kSecond);
  checks_.LoseRate(until + 60 * kSecond);
  Fibers::Get().At(until, [this, &replica, by] { SetClock(replica, -by); });
}

void World::SetClock(Replica& replica, Nanoseconds by) {
  LookOnce();  // what it shows may be shown for a moment only
  replica.process().machine().StepWall(by);
  LookOnce();
  checks_.ClockSet();
}

void World::ScheduleServerFaults() {
  Every(Fault::kExpiry, 600 * kSecond, [this](Dice& dice) -> Event {
    const char* const kinds[] = {kPolicies, kDeployments, kPods, kHpas};
    const char* const kind = kinds[dice.Below(options_.swarm.Has(Fault::kNativeHpas) ? 4 : 3)];
    return [this, kind] {
      Trace(std::string("the history expires: ") + kind);
      Met(Fault::kExpiry, kind);
      server_.Expire(kind);
      checks_.Disturb(now() + 60 * kSecond);
    };
  });
  Every(Fault::kRefusedWatches, 1800 * kSecond, [this](Dice& dice) -> Event {
    static constexpr std::array kKinds{kPolicies, kHpas,        kOverrides,
                                       kPods,     kDeployments, kReplicaSets};
    const char* const kind = kKinds[dice.Below(kKinds.size())];
    const Nanoseconds span = dice.Between(10 * kSecond, 900 * kSecond);
    const WatchState state = dice.OneIn(2) ? WatchState::kHangs : WatchState::kRefused;
    return [=, this] { StopWatches(kind, state, now() + span); };
  });
  Every(Fault::kMetricOutages, 1200 * kSecond, [this](Dice& dice) -> Event {
    const std::size_t index = AnyPolicy(dice);
    const Nanoseconds until = now() + dice.Between(5 * kSecond, 900 * kSecond);
    const bool of_pods = loads_[index].per_pod() && dice.OneIn(2);
    return [=, this] { FailUntil(index, until, of_pods); };
  });
}

void World::StopWatches(const std::string& kind, WatchState state, Nanoseconds until) {
  Trace("the watches of " + kind + (state == WatchState::kHangs ? " hang" : " are refused") +
        " until " + Stamp(until));
  Met(Fault::kRefusedWatches, kind);
  watches_[kind] = {state, until};
  server_.WakeWatches(kind);
  checks_.Disturb(until + 60 * kSecond);
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    checks_.Blind(i, now(), until + checks_.Lateness());
    checks_.DisturbPolicy(i, until + (loads_[i].hpa ? kReclaimed : 60 * kSecond));
  }
  if (IsOfAutoscalers(kind)) {
    Fibers::Get().At(until + 1, [this, kind, until, lasted = until - now()] {
      if (watches_.at(kind).second == until) {
        EvaluateAfterSilence(lasted);
      }
    });
  }
}

// Nothing was evaluated once the watch was too old, which is an interruption when two periods have
// passed since, and as much time again.
void World::EvaluateAfterSilence(Nanoseconds lasted) {
  const auto is_silent = [&](const auto& watch) {
    return IsOfAutoscalers(watch.first) && StateOfWatch(watch.first) != WatchState::kWorks;
  };
  if (calm_ || std::ranges::any_of(watches_, is_silent)) {
    return;
  }
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    const Nanoseconds pause = lasted - kMaxViewAge - std::max(kMaxViewAge, 2 * loads_[i].period);
    if (!loads_[i].hpa && pause > checks_.Lateness() + kHeardOf) {
      checks_.Begins(i, pause);
    }
  }
}

WatchState World::StateOfWatch(const std::string& kind) const {
  const auto found = watches_.find(kind);
  const bool works = calm_ || found == watches_.end() || found->second.second < now();
  return works ? WatchState::kWorks : found->second.first;
}

void World::FailUntil(std::size_t index, Nanoseconds until, bool of_pods) {
  if (of_pods) {
    Trace(loads_[index].name + ": every second pod has no sample");
    missing_.insert(index);
    checks_.DisturbPolicy(index, until);
  } else {
    FailMetric(index);
  }
  outages_[index] = std::max(outages_[index], until);
  Fibers::Get().At(until, [this, index, until] {
    if (outages_[index] > until) {
      return;  // another one lasts longer
    }
    missing_.erase(index);
    failing_.erase(index);
    checks_.OutageEnds(index);
    checks_.DisturbPolicy(index, now());
  });
}

std::optional<std::int64_t> World::ReplicasOf(std::size_t index) const {
  const JsonValue* target = server_.Get(kDeployments, TargetOf(loads_[index]));
  return target == nullptr ? std::nullopt
                           : std::optional(target->At({"spec", "replicas"}).Integer());
}

// ---- The run

void World::Look() {
  if (!failure()) {
    LookOnce();
    Fibers::Get().At(now() + kLook, [this] { Look(); });
  }
}

void World::LookOnce() {
  std::vector<Answers::LoadView> loads;
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    const auto replicas = ReplicasOf(i);
    if (replicas) {
      checks_.Look(i, *replicas);
    }
    const JsonValue* autoscaler = server_.Get(KindOf(loads_[i]), KeyOf(loads_[i]));
    if (autoscaler != nullptr) {
      checks_.LookAtMirror(i, *autoscaler);
    }
    loads.push_back({autoscaler, replicas});
  }
  std::vector<Answers::ReplicaView> replicas;
  for (const auto& replica : replicas_) {
    Process& process = replica->process();
    replicas.push_back({process.identity(), replica->running(), process.machine().stopped(),
                        process.machine().Wall(now())});
  }
  answers_.Look(replicas, checks_.holder(), loads);
  if (options_.swarm.Has(Fault::kReviews)) {
    review_checks_.Look();
  }
}

void World::Review(const Process& process, webhooks::Lookup& lookup) {
  const Load load = loads_[AnyPolicy(DiceOf(Fault::kReviews))];
  const Nanoseconds began = now();
  review_checks_.Look();
  const std::string said = ReviewChecks::Review(load, lookup);
  if (!process.dead()) {  // else nobody hears it
    Met(Fault::kReviews, said.empty() ? "allowed" : said.substr(0, said.find(':')));
    review_checks_.Judge(process.identity(), load.target, began, said);
  }
}

void World::LookAtWebhook() {
  for (const auto& replica : replicas_) {
    if (replica->running()) {
      webhook_checks_.Look(replica->process().identity(), replica->process().served());
    }
  }
  Fibers::Get().At(now() + kSecond, [this] { LookAtWebhook(); });
}

// The autoscaler that a failure is about, as the API server has it.
void World::Describe(const std::string& what) {
  if (const auto index = Find(what.substr(0, what.find(':')).substr(0, what.find(' ')))) {
    if (const JsonValue* object = server_.Get(KindOf(loads_[*index]), KeyOf(loads_[*index]))) {
      Trace(object->Print());
    }
  }
}

void World::RunUntil(Nanoseconds end) {
  Fibers& fibers = Fibers::Get();
  constexpr Nanoseconds kSlice = 10 * kSecond;
  constexpr std::uint64_t kMostWork = 2000;  // for each policy; usual are less than 100
  while (now() < end && !failure()) {
    const std::uint64_t before = fibers.switches();
    fibers.Run(std::min(end, now() + kSlice));
    const std::uint64_t work = fibers.switches() - before;
    if (work > kMostWork * static_cast<std::uint64_t>(1 + options_.policies)) {
      checks_.Fail("work", std::to_string(work) + " switches of threads in " +
                               std::to_string(kSlice / kSecond) + " s");
    }
  }
}

void World::Run() {
  const Nanoseconds calm_at = now() + options_.length;
  for (const auto& replica : replicas_) {
    replica->Start();
  }
  ScheduleFaults();
  if (!options_.skipped.empty()) {  // so few events that a person can follow them
    TraceLoads();
  }
  checks_.Disturb(now() + 60 * kSecond);
  Look();
  if (options_.swarm.Has(Fault::kWebhook)) {
    webhook_checks_.Begin(DiceOf(Fault::kWebhook));
    LookAtWebhook();
  }
  for (int part = 1; part <= kAsked && !failure(); ++part) {
    RunUntil(calm_at - options_.length * (kAsked - part) / kAsked);
    answers_.Ask(kQuestions);
  }
  calm_ = true;
  missing_.clear();
  failing_.clear();
  if (!options_.swarm.Has(Fault::kObservedHpas)) {
    rival_.Stop();
  }
  Trace("all is calm");
  Nanoseconds longest = 0;
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    checks_.OutageEnds(i);
    Resume(i);
    EndAllWindows(i);
    EndInterruptions(i);
    longest = std::max(longest,
                       loads_[i].window + 2 * loads_[i].period + 2 * loads_[i].sample_every +
                           (loads_[i].max_ups == 0 ? 0 : 5 * 75 * kSecond) + loads_[i].rules.climb);
  }
  // The last watches to come back do so after stalls of up to three minutes.
  const Nanoseconds end =
      now() + longest + 420 * kSecond + (options_.swarm.Has(Fault::kNativeHpas) ? kReclaimed : 0);
  RunUntil(end);
  if (failure()) {
    Describe(failure()->what);
    return;
  }
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    const JsonValue* autoscaler = server_.Get(KindOf(loads_[i]), KeyOf(loads_[i]));
    const auto replicas = ReplicasOf(i);
    if (autoscaler == nullptr || !replicas) {
      checks_.Fail("convergence", loads_[i].name + " or its target is gone in the end");
      continue;
    }
    checks_.AtTheEnd(i, *autoscaler, *replicas);
    if (loads_[i].hpa && !options_.swarm.Has(Fault::kObservedHpas)) {
      const JsonValue* memory =
          server_.Get(kConfigMaps, controllers::MemoryObjectOf(KeyOf(loads_[i])));
      hpa_checks_.AtTheEnd(i, *autoscaler, memory == nullptr ? JsonValue() : *memory, *replicas);
    }
  }
  if (options_.swarm.Has(Fault::kWebhook)) {
    webhook_checks_.AtTheEnd();
  }
  checks_.CompareLedgers();
  answers_.Ask(kQuestions);
}

}  // namespace ballast::faults
