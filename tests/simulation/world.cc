#include "tests/simulation/world.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "api/base/time.h"
#include "tests/simulation/replica.h"

namespace ballast::simulation {
namespace {

constexpr const char* kNamespace = "shop";
constexpr std::int64_t kMax = 20;
constexpr std::size_t kTraced = 60;  // lines that are kept
constexpr Nanoseconds kLook = 5 * kSecond;
constexpr Nanoseconds kDrawn = 2 * 3600 * kSecond;

api::ObjectKey KeyOf(const Load& load) { return {kNamespace, load.name}; }

}  // namespace

World::World(const WorldOptions& options)
    : options_(options), layout_(options.seed), checks_(options.swarm, loads_) {
  Fibers::Get().Seed(options.seed);
  Fibers::Get().Preempt(options.swarm.Has(Fault::kPreemption) ? 20 : 0);
  for (std::uint64_t i = 0; i < kFaultNames.size(); ++i) {
    dice_.emplace_back(options.seed * 1000 + i);
  }
  server_.streams_lists = !layout_.OneIn(4);
  server_.metrics = [this](const auto& request) { return metrics_.Answer(request); };
  server_.on_scale = [this](const ScaleWrite& write) { OnScale(write); };
  server_.on_lease = [this](const JsonValue& lease) {
    checks_.LeaseIs(lease.At({"spec", "holderIdentity"}).Text());
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
  const auto found = std::ranges::find(loads_, name, &Load::name);
  return found == loads_.end() ? std::nullopt
                               : std::optional(static_cast<std::size_t>(found - loads_.begin()));
}

bool World::Strikes(Fault fault, const std::string& phase, std::uint64_t one_in) {
  if (calm_ || !options_.swarm.Has(fault) ||
      !DiceOf(fault).OneIn(options_.swarm.extreme ? std::max<std::uint64_t>(one_in / 4, 2)
                                                  : one_in)) {
    return false;
  }
  Met(fault, phase);
  if (fault == Fault::kLostRequests || fault == Fault::kLostAnswers || fault == Fault::kErrors) {
    // The next try comes with the next evaluation, or after the attempt is settled.
    checks_.Disturb(now() + 60 * kSecond);
  }
  return true;
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
  constexpr std::array<Nanoseconds, 4> kPeriods{5 * kSecond, 15 * kSecond, 15 * kSecond,
                                                60 * kSecond};
  constexpr std::array<Nanoseconds, 3> kWindows{60 * kSecond, 300 * kSecond, 600 * kSecond};
  // A shorter run has the same beginning.
  const Nanoseconds end = now() + std::max(options_.length, kDrawn);
  for (int i = 0; i < options_.policies; ++i) {
    Load load{.name = "web-" + std::to_string(i),
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
    load.levels.push_back({0, 1});
    Nanoseconds at = now() + layout_.Between(30 * kSecond, 120 * kSecond);
    while (at < end) {
      load.levels.push_back({at, layout_.Between(1, kMax)});
      // What a leader sees for a moment only is what the next one may not know of.
      const bool is_short = layout_.OneIn(3) || options_.swarm.Has(Fault::kFlaps);
      at += is_short ? layout_.Between(30 * kSecond, 180 * kSecond)
                     : layout_.Between(180 * kSecond, 2400 * kSecond);
    }
    loads_.push_back(std::move(load));
  }
  checks_.Begin();
  pods_.resize(loads_.size());
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    PutTarget(i);
    PutPolicy(i, kMax);
    checks_.Anew(i);
  }
}

void World::PutTarget(std::size_t index) {
  const std::string& name = loads_[index].name;
  const std::string labels = R"({"app":")" + name + R"("})";
  server_.Put(kDeployments, KeyOf(loads_[index]),
              JsonValue::Of(R"({"spec":{"replicas":1,"selector":{"matchLabels":)" + labels +
                            R"(}},"status":{"replicas":0}})"));
  RollOut(index);
}

void World::PutPolicy(std::size_t index, std::int64_t max) {
  const Load& load = loads_[index];
  const std::string up = load.max_ups == 0
                             ? R"([{"type":"Pods","value":20,"periodSeconds":15}])"
                             : R"([{"type":"Pods","value":)" + std::to_string(load.max_ups) +
                                   R"(,"periodSeconds":60}])";
  const JsonValue* before = server_.Get(kPolicies, KeyOf(load));
  JsonValue policy = before == nullptr ? JsonValue::Of(R"({"status":{}})") : *before;
  policy["spec"] = JsonValue::Of(
      R"({"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":")" + load.name +
      R"("},"minReplicas":1,"maxReplicas":)" + std::to_string(max) +
      R"(,"mode":"Active","syncPeriodSeconds":)" + std::to_string(load.period / kSecond) +
      R"(,"behavior":{"scaleUp":{"stabilizationWindowSeconds":0,"selectPolicy":"Max","policies":)" +
      up + R"(},"scaleDown":{"selectPolicy":"Max","stabilizationWindowSeconds":)" +
      std::to_string(load.window / kSecond) +
      R"(,"policies":[{"type":"Percent","value":100,"periodSeconds":15}]}},"metrics":)" +
      MetricsFor(load) + "}");
  server_.Put(kPolicies, KeyOf(load), std::move(policy));
  checks_.SetMax(index, max);
}

// The Deployment's controller and the kubelet, in one: pods are made and removed soon after the
// replicas change, and become ready after a while.
void World::ManagePods(std::size_t index) {
  const Load& load = loads_[index];
  const JsonValue* target = server_.Get(kDeployments, KeyOf(load));
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
    server_.Put(kDeployments, KeyOf(load), std::move(changed));
  }
}

void World::RollOut(std::size_t index) {
  const api::ObjectKey key = KeyOf(loads_[index]);
  JsonValue target = *server_.Get(kDeployments, key);
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
              [this](std::size_t load) {
                const bool fails = checks_.InOutage(load);
                if (fails) {
                  Met(Fault::kMetricOutages, "metrics");
                }
                return fails;
              },
          .on_sample =
              [this](const Load& load) {
                if (options_.swarm.Has(Fault::kAllMetrics)) {
                  Met(Fault::kAllMetrics, kMetricKinds[static_cast<std::size_t>(load.metric)]);
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
  } else {
    checks_.DisturbPolicy(*index, now());
  }
  checks_.Scaled(*index, write.to);
  if (const Nanoseconds settling = loads_[*index].settling(); settling > 0) {
    checks_.DisturbPolicy(*index, now() + settling);
  }
}

// ---- Faults that come by themselves

Replica& World::AnyReplica(Dice& dice) { return *replicas_[dice.Below(replicas_.size())]; }

void World::Every(Fault fault, Nanoseconds about, std::function<void(Dice&)> act) {
  if (!options_.swarm.Has(fault)) {
    return;
  }
  if (options_.swarm.extreme) {
    about /= 4;
  }
  const Nanoseconds at = now() + DiceOf(fault).Between(about / 8, about * 2);
  Fibers::Get().At(at, [this, fault, about, act = std::move(act)]() mutable {
    if (calm_) {
      return;
    }
    act(DiceOf(fault));
    // `about` has been divided already.
    const bool extreme = options_.swarm.extreme;
    Every(fault, extreme ? about * 4 : about, std::move(act));
  });
}

void World::ScheduleFaults() {
  ScheduleReplicaFaults();
  ScheduleServerFaults();
  SchedulePeople();
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

void World::ScheduleReplicaFaults() {
  const auto every = [this](Fault fault, Nanoseconds about,
                            const std::function<void(Dice&, Replica&)>& act) {
    Every(fault, about, [this, act, fault](Dice& dice) {
      Replica& replica = AnyReplica(dice);
      if (replica.running()) {
        Disturb(fault, replica);
        act(dice, replica);
      }
    });
  };
  // The first leader is back before its own memory is old.
  Every(Fault::kFlaps, 600 * kSecond, [this](Dice& dice) {
    StopLeader();
    Fibers::Get().At(now() + dice.Between(10 * kSecond, 90 * kSecond), [this] {
      if (!calm_) {
        StopLeader();
      }
    });
  });
  every(Fault::kKills, 900 * kSecond, [](Dice& dice, Replica& replica) {
    replica.Kill(dice.OneIn(3) ? dice.Between(kSecond, 90 * kSecond)
                               : dice.Between(kSecond / 2, 5 * kSecond));
  });
  every(Fault::kRestarts, 900 * kSecond, [](Dice&, Replica& replica) { replica.process().Stop(); });
  every(Fault::kPauses, 600 * kSecond, [this](Dice& dice, Replica& replica) {
    Process* const process = &replica.process();
    Fibers::Get().Stop(process->machine());
    const Nanoseconds until =
        now() + dice.Between(kSecond, dice.OneIn(3) ? 120 * kSecond : 12 * kSecond);
    checks_.Disturb(until + 60 * kSecond);
    checks_.LoseRate(until + 60 * kSecond);
    Fibers::Get().At(until, [&replica, process] {
      if (replica.running() && &replica.process() == process) {
        Fibers::Get().Continue(process->machine());
      }
    });
  });
  every(Fault::kPartitions, 900 * kSecond, [this](Dice& dice, Replica& replica) {
    const Nanoseconds until = now() + dice.Between(kSecond, 60 * kSecond);
    replica.process().PartitionUntil(until);
    checks_.Disturb(until + 60 * kSecond);
    checks_.LoseRate(until + 60 * kSecond);
  });
  every(Fault::kClockSteps, 1200 * kSecond, [this](Dice& dice, Replica& replica) {
    const Nanoseconds by =
        dice.OneIn(2) ? dice.Between(-4, 4) * kSecond : dice.Between(-7200, 7200) * kSecond;
    replica.process().machine().StepWall(by);
    checks_.ClockSet();
    // It is set right again: by a clock that is hours off, all samples are out of date.
    const Nanoseconds until = now() + dice.Between(10 * kSecond, 400 * kSecond);
    checks_.Disturb(until + 60 * kSecond);
    checks_.LoseRate(until + 60 * kSecond);
    Fibers::Get().At(until, [&replica, by] { replica.process().machine().StepWall(-by); });
  });
  every(Fault::kClockDrift, 1200 * kSecond, [this](Dice& dice, Replica& replica) {
    replica.process().machine().Drift(now(), 1 + static_cast<double>(dice.Between(-10, 10)) / 1000);
  });
  every(Fault::kFailingDisk, 900 * kSecond, [this](Dice& dice, Replica& replica) {
    replica.process().FailDiskUntil(now() + dice.Between(kSecond, 300 * kSecond));
    checks_.MayLoseRecords();
  });
}

void World::ScheduleServerFaults() {
  Every(Fault::kExpiry, 600 * kSecond, [this](Dice& dice) {
    const char* const kinds[] = {kPolicies, kDeployments, kPods};
    const char* const kind = kinds[dice.Below(3)];
    Trace(std::string("the history expires: ") + kind);
    Met(Fault::kExpiry, kind);
    server_.Expire(kind);
    checks_.Disturb(now() + 60 * kSecond);
  });
  Every(Fault::kMetricOutages, 1200 * kSecond, [this](Dice& dice) {
    const std::size_t index = AnyPolicy(dice);
    const Nanoseconds until = now() + dice.Between(5 * kSecond, 900 * kSecond);
    if (loads_[index].per_pod() && dice.OneIn(2)) {
      Trace(loads_[index].name + ": every second pod has no sample");
      missing_.insert(index);
      checks_.DisturbPolicy(index, until);
    } else {
      Trace(loads_[index].name + ": its metric fails");
      checks_.OutageBegins(index);
    }
    Fibers::Get().At(until, [this, index] {
      missing_.erase(index);
      checks_.OutageEnds(index);
      checks_.DisturbPolicy(index, now());
    });
  });
}

void World::SchedulePeople() {
  Every(Fault::kEdits, 600 * kSecond, [this](Dice& dice) {
    const std::size_t index = AnyPolicy(dice);
    const std::int64_t max = dice.Between(5, kMax);
    Trace(loads_[index].name + ": maxReplicas becomes " + std::to_string(max));
    Met(Fault::kEdits, "policy");
    // Recommendations beyond the bounds are remembered as they are, and no twin is needed here.
    checks_.Blind(index, now() - 60 * kSecond, now() + 60 * kSecond);
    PutPolicy(index, max);
    checks_.DisturbPolicy(index, now() + 60 * kSecond);
  });
  Every(Fault::kRecreation, 1200 * kSecond, [this](Dice& dice) {
    const std::size_t index = AnyPolicy(dice);
    Trace(loads_[index].name + ": the policy is deleted, and made again");
    Met(Fault::kRecreation, "policy");
    server_.Delete(kPolicies, KeyOf(loads_[index]));
    Fibers::Get().At(now() + dice.Between(0, 5 * kSecond), [this, index] {
      PutPolicy(index, kMax);
      checks_.Anew(index);
      checks_.DisturbPolicy(index, now() + 60 * kSecond);
    });
    checks_.Anew(index);
  });
  Every(Fault::kOtherWriters, 900 * kSecond, [this](Dice& dice) {
    const std::size_t index = AnyPolicy(dice);
    Met(Fault::kOtherWriters, "scale");
    server_.Scale(KeyOf(loads_[index]), dice.Between(1, kMax), "kubectl");
  });
  Every(Fault::kRollouts, 900 * kSecond, [this](Dice& dice) {
    const std::size_t index = AnyPolicy(dice);
    Trace(loads_[index].name + ": a rollout");
    Met(Fault::kRollouts, "pods");
    RollOut(index);
  });
}

// ---- The run

void World::Look() {
  if (failure()) {
    return;
  }
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    checks_.Look(i,
                 server_.Get(kDeployments, KeyOf(loads_[i]))->At({"spec", "replicas"}).Integer());
  }
  Fibers::Get().At(now() + kLook, [this] { Look(); });
}

void World::Run() {
  Fibers& fibers = Fibers::Get();
  const Nanoseconds calm_at = now() + options_.length;
  for (const auto& replica : replicas_) {
    replica->Start();
  }
  ScheduleFaults();
  checks_.Disturb(now() + 60 * kSecond);
  Look();
  while (now() < calm_at && !failure()) {
    fibers.Run(std::min(calm_at, now() + 10 * kSecond));
  }
  calm_ = true;
  missing_.clear();
  Trace("all is calm");
  Nanoseconds longest = 0;
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    checks_.OutageEnds(i);
    longest =
        std::max(longest, loads_[i].window + 2 * loads_[i].period + 2 * loads_[i].sample_every +
                              (loads_[i].max_ups == 0 ? 0 : 5 * 75 * kSecond));
  }
  // The last watches to come back do so after stalls of up to three minutes.
  const Nanoseconds end = now() + longest + 420 * kSecond;
  while (now() < end && !failure()) {
    fibers.Run(std::min(end, now() + 10 * kSecond));
  }
  if (failure()) {
    return;
  }
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    checks_.AtTheEnd(
        i, server_.Get(kDeployments, KeyOf(loads_[i]))->At({"spec", "replicas"}).Integer());
  }
  checks_.CompareLedgers();
}

}  // namespace ballast::simulation
