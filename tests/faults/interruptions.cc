// What breaks off a policy's evaluations, or begins them anew: obstacles that come and go, policies
// that are deleted for minutes, and edits of the target.
#include <algorithm>
#include <string>
#include <utility>

#include "tests/faults/world.h"

namespace ballast::faults {
namespace {

const char* WordsOf(Obstacle obstacle) {
  switch (obstacle) {
    case Obstacle::kHpa:
      return "an HPA has its target";
    case Obstacle::kOlderPolicy:
      return "an older policy has its target";
    case Obstacle::kInvalidSpec:
      return "its spec is invalid";
  }
  return "";
}

api::ObjectKey OtherOf(const Load& load) { return {"shop", kOther + load.name}; }

}  // namespace

void World::ScheduleInterruptions() {
  Every(Fault::kConflicts, 1200 * kSecond, [this](Dice& dice) -> Event {
    const std::size_t index = AnyPolicy(dice);
    const Nanoseconds span = dice.Between(5 * kSecond, 600 * kSecond);
    const bool by_policy = dice.OneIn(3);
    const Nanoseconds scales = dice.Between(0, span);
    const std::int64_t replicas = dice.Between(1, kMax);
    const Event begin = Obstruct(index, span, by_policy ? Obstacle::kOlderPolicy : Obstacle::kHpa);
    if (!begin || by_policy) {
      return begin;
    }
    return [=, this] {
      begin();
      Fibers::Get().At(now() + scales, [=, this] { RivalScales(index, replicas); });
    };
  });
  Every(Fault::kInvalidSpecs, 1800 * kSecond, [this](Dice& dice) {
    const std::size_t index = AnyPolicy(dice);
    return Obstruct(index, dice.Between(5 * kSecond, 600 * kSecond), Obstacle::kInvalidSpec);
  });
  Every(Fault::kRemovals, 1800 * kSecond,
        [this](Dice& dice) { return Remove(AnyPolicy(dice), dice); });
  Every(Fault::kRetargets, 1200 * kSecond,
        [this](Dice& dice) { return Retarget(AnyPolicy(dice), dice); });
}

bool World::IsSuspended(std::size_t index) const {
  const auto& suspensions = loads_[index].suspensions;
  return !suspensions.empty() && suspensions.back().until > now();
}

// One at a time, and none while something else suspends the policy.
World::Event World::Obstruct(std::size_t index, Nanoseconds span, Obstacle obstacle) {
  if (loads_[index].hpa || IsBeingMade(index) || IsSuspended(index) ||
      obstructed_.contains(index)) {
    return {};
  }
  return [=, this] { BeginObstacle(index, obstacle, now() + span); };
}

void World::BeginObstacle(std::size_t index, Obstacle obstacle, Nanoseconds until) {
  Load& load = loads_[index];
  Trace(load.name + ": " + WordsOf(obstacle));
  Met(obstacle == Obstacle::kInvalidSpec ? Fault::kInvalidSpecs : Fault::kConflicts,
      WordsOf(obstacle));
  obstructed_[index] = {obstacle, now()};
  checks_.DisturbPolicy(index, until + 60 * kSecond);
  if (obstacle == Obstacle::kOlderPolicy) {  // it is evaluated in the policy's place
    checks_.Anew(index);
    checks_.Blind(index, now(), now() + kHeardOf + checks_.Lateness());
    PutCopy(index, *server_.Get(kPolicies, KeyOf(load)));
  } else {
    load.suspensions.push_back({now(), until, true, true});
    checks_.Blind(index, now(), until + kHeardOf + checks_.Lateness());
  }
  if (obstacle == Obstacle::kInvalidSpec) {
    load.invalid = true;
    PutAutoscaler(index);
  } else if (obstacle == Obstacle::kHpa) {
    server_.Put(
        kHpas, OtherOf(load),
        JsonValue::Of(R"({"metadata":{"annotations":{"ballast.dev/hpa-mode":"ignore"}},)"
                      R"("spec":{"scaleTargetRef":{"apiVersion":"apps/v1",)"
                      R"("kind":"Deployment","name":")" +
                      load.target + R"("},"minReplicas":1,"maxReplicas":20},"status":{}})"));
  }
  Fibers::Get().At(until, [this, index, since = now()] {
    const auto found = obstructed_.find(index);
    if (found != obstructed_.end() && found->second.since == since) {
      EndObstacle(index);
    }
  });
}

void World::EndObstacle(std::size_t index) {
  Load& load = loads_[index];
  const Obstructed obstructed = obstructed_.at(index);
  Trace(load.name + ": no longer so: " + WordsOf(obstructed.by));
  obstructed_.erase(index);
  checks_.Anew(index);
  if (obstructed.by == Obstacle::kOlderPolicy) {
    server_.Delete(kPolicies, OtherOf(load));
    checks_.Blind(index, now(), now() + kHeardOf + checks_.Lateness());
    WakeLater(index);
  } else {
    checks_.Begins(index, now() - obstructed.since);
    load.suspensions.back().until = std::min(load.suspensions.back().until, now());
  }
  if (obstructed.by == Obstacle::kHpa) {
    server_.Delete(kHpas, OtherOf(load));
  }
  if (std::exchange(load.invalid, false) && !IsBeingMade(index)) {
    PutAutoscaler(index);
  }
  checks_.DisturbPolicy(index, now() + 60 * kSecond);
}

// A policy leaves a target alone that another one has switched off, and asks to have it scaled up.
void World::WakeLater(std::size_t index) {
  Fibers::Get().At(now() + kHeardOf, [this, index] {
    if (ReplicasOf(index) == 0) {
      server_.Scale(TargetOf(loads_[index]), loads_[index].min, "kubectl");
    }
  });
}

// The HPA's controller, once.
void World::RivalScales(std::size_t index, std::int64_t replicas) {
  if (obstructed_.contains(index) && ReplicasOf(index)) {
    server_.Scale(TargetOf(loads_[index]), replicas, kRival);
  }
}

void World::PutCopy(std::size_t index, const JsonValue& policy) {
  const auto found = obstructed_.find(index);
  if (found == obstructed_.end() || found->second.by != Obstacle::kOlderPolicy) {
    return;
  }
  const api::ObjectKey key = OtherOf(loads_[index]);
  const JsonValue* before = server_.Get(kPolicies, key);
  JsonValue copy = before == nullptr ? JsonValue::Of(R"({"status":{}})") : *before;
  copy["spec"] = policy.At({"spec"});
  copy["metadata"]["annotations"] = policy.At({"metadata", "annotations"});
  copy["metadata"]["creationTimestamp"] = JsonValue(Stamp(0));
  server_.Put(kPolicies, key, std::move(copy));
}

World::Event World::Remove(std::size_t index, Dice& dice) {
  const Nanoseconds after = dice.Between(10 * kSecond, 600 * kSecond);
  if (IsBeingMade(index) || IsSuspended(index) || obstructed_.contains(index)) {
    return {};
  }
  return [this, index, after] {
    Met(Fault::kRemovals, "autoscaler");
    loads_[index].suspensions.push_back({now(), now() + after, true, true});
    MakeAgain(index, after);
    checks_.DisturbPolicy(index, now() + after + 60 * kSecond);
  };
}

// The target of before is gone, and its pods.
World::Event World::Retarget(std::size_t index, Dice& dice) {
  const Nanoseconds after = dice.OneIn(2) ? 0 : dice.Between(kSecond, 60 * kSecond);
  const std::int64_t replicas = dice.Between(1, kMax);
  if (IsBeingMade(index) || obstructed_.contains(index) || !ReplicasOf(index)) {
    return {};
  }
  return [=, this] {
    Load& load = loads_[index];
    const Nanoseconds until = now() + after;
    RemoveTarget(index);
    load.target = load.target == load.name ? load.name + kOtherTarget : load.name;
    Trace(load.name + ": the target becomes " + load.target);
    Met(Fault::kRetargets, "target");
    PutAutoscaler(index);
    checks_.Blind(index, now(), until + kHeardOf + checks_.Lateness());
    checks_.DisturbPolicy(index, until + 60 * kSecond);
    Fibers::Get().At(until, [=, this] {
      MakeTarget(index, replicas);
      checks_.IsRetargeted(index);
      checks_.Scaled(index, replicas);
    });
  };
}

// All is calm from now on.
void World::EndInterruptions(std::size_t index) {
  if (obstructed_.contains(index)) {
    EndObstacle(index);
  }
  if (options_.swarm.Has(Fault::kRemovals) && IsBeingMade(index)) {
    auto& suspensions = loads_[index].suspensions;
    if (IsSuspended(index)) {
      suspensions.back().until = now();
    }
    Make(index);
  }
}

}  // namespace ballast::faults
