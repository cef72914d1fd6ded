// The people of the world: what they apply, edit, delete and make again.
#include <algorithm>
#include <array>
#include <utility>

#include "tests/faults/world.h"

namespace ballast::faults {
namespace {

// Clocks drift by up to 1 % in a run of two hours or a little more.
constexpr Nanoseconds kSlowestClock = 100 * kSecond;

// A count that the spec allows: who edits its bounds edits the rest of it as well.
std::string Within(const Load& load, std::int64_t count) {
  return std::to_string(load.Within(count, load.max));
}

std::string SchedulesOf(const Load& load) {
  std::string all;
  for (const Load::Schedule& schedule : load.schedules) {
    const auto& [name, times, floor, ceiling, hold, ramp] = schedule;
    all += (all.empty() ? R"({"name":")" : R"(,{"name":")") + name + "\"," + times.Text() +
           (hold.empty() ? "" : R"(,"hold":")" + hold + "\"") +
           (ramp ? R"(,"rampMinutes":)" + std::to_string(*ramp) : "") +
           (floor ? R"(,"minReplicas":)" + Within(load, *floor) : "") +
           (ceiling ? R"(,"maxReplicas":)" + Within(load, *ceiling) : "") + "}";
  }
  return all.empty() ? "" : R"(,"schedules":[)" + all + "]";
}

std::string BehaviorOf(const Load& load) {
  const Load::Rules& rules = load.rules;
  const auto tolerance = [](const std::string& text) {
    return text.empty() ? "" : R"(,"tolerance":")" + text + "\"";
  };
  const std::string rate =
      load.max_ups == 0 ? R"("value":20,"periodSeconds":15})"
                        : R"("value":)" + std::to_string(load.max_ups) + R"(,"periodSeconds":60})";
  return R"({"scaleUp":{"stabilizationWindowSeconds":)" +
         std::to_string(rules.up_window / kSecond) + R"(,"selectPolicy":")" + rules.up_select +
         R"(","policies":[{"type":"Pods",)" + rate + rules.up_more + "]" +
         tolerance(rules.up_tolerance) + R"(},"scaleDown":{"selectPolicy":")" + rules.down_select +
         R"(","stabilizationWindowSeconds":)" + std::to_string(load.window / kSecond) +
         R"(,"policies":[)" + rules.down_policies + "]" + tolerance(rules.down_tolerance) + "}}";
}

std::string FallbackOf(const Load& load) {
  return load.fallback_after == 0
             ? ""
             : R"(,"fallback":{"afterSeconds":)" + std::to_string(load.fallback_after / kSecond) +
                   R"(,"replicas":)" + Within(load, load.fallback_replicas) + "}";
}

}  // namespace

void World::PutAutoscaler(std::size_t index) {
  const Load& load = loads_[index];
  const JsonValue* before = server_.Get(KindOf(load), KeyOf(load));
  JsonValue object = JsonValue::Of(R"({"status":{}})");
  if (before != nullptr) {
    object = *before;
  } else if (load.hpa) {
    hpa_checks_.Made(index);
    object = JsonValue::Of(std::string(R"({"status":{"conditions":[{"type":")") +
                           kForeignCondition + R"(","status":"True","lastTransitionTime":")" +
                           Stamp(now()) + R"(","reason":"Kept","message":""}]}})");
  }
  const std::int64_t min = load.invalid ? load.max + 1 : load.min;
  object["spec"] =
      JsonValue::Of(R"({"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":")" +
                    load.target + R"("},"minReplicas":)" + std::to_string(min) +
                    R"(,"maxReplicas":)" + std::to_string(load.max) +
                    (load.hpa ? ""
                              : R"(,"mode":")" + load.mode + R"(","syncPeriodSeconds":)" +
                                    std::to_string(load.period / kSecond)) +
                    R"(,"behavior":)" + BehaviorOf(load) + R"(,"metrics":)" + MetricsFor(load) +
                    FallbackOf(load) + SchedulesOf(load) + "}");
  if (options_.swarm.Has(Fault::kWindowForms)) {
    object["metadata"]["labels"] = JsonValue::Of(R"({"tier":")" + TierOf(index) + "\"}");
  }
  JsonValue annotations = JsonValue::Of("{}");
  if (load.hpa) {
    annotations["ballast.dev/hpa-mode"] = JsonValue(load.mode);
  }
  if (!load.paused_until.empty()) {
    annotations["ballast.dev/paused-until"] = JsonValue(load.paused_until);
    annotations["ballast.dev/paused-direction"] = JsonValue(load.paused_direction);
  }
  object["metadata"]["annotations"] = std::move(annotations);
  if (before == nullptr && options_.swarm.Has(Fault::kConflicts)) {  // the older one decides
    object["metadata"]["creationTimestamp"] = JsonValue(Stamp(now()));
  }
  PutCopy(index, object);
  server_.Put(KindOf(load), KeyOf(load), std::move(object));
  checks_.SetMax(index, load.max);
}

void World::SchedulePeople() {
  Every(Fault::kEdits, 600 * kSecond, [this](Dice& dice) -> Event {
    const std::size_t index = AnyPolicy(dice);
    const std::int64_t max = dice.Between(5, kMax);
    if (IsBeingMade(index)) {
      return {};
    }
    return [this, index, max] { EditMax(index, max); };
  });
  Every(Fault::kRecreation, 1200 * kSecond, [this](Dice& dice) -> Event {
    const std::size_t index = AnyPolicy(dice);
    if (IsBeingMade(index)) {
      return {};
    }
    return [this, index, after = dice.Between(0, 5 * kSecond)] { MakeAgain(index, after); };
  });
  Every(Fault::kOtherWriters, 900 * kSecond, [this](Dice& dice) -> Event {
    const std::size_t index = AnyPolicy(dice);
    const std::int64_t replicas = dice.Between(1, kMax);
    return [this, index, replicas] {
      Met(Fault::kOtherWriters, "scale");
      if (ReplicasOf(index)) {
        server_.Scale(TargetOf(loads_[index]), replicas, "kubectl");
      }
    };
  });
  Every(Fault::kRollouts, 900 * kSecond, [this](Dice& dice) -> Event {
    return [this, index = AnyPolicy(dice)] {
      Trace(loads_[index].name + ": a rollout");
      Met(Fault::kRollouts, "pods");
      RollOut(index);
    };
  });
  Every(Fault::kLostTargets, 1200 * kSecond,
        [this](Dice& dice) { return LoseTarget(AnyPolicy(dice), dice); });
  Every(Fault::kAllEdits, 300 * kSecond,
        [this](Dice& dice) { return Edit(AnyPolicy(dice), dice); });
  ScheduleInterruptions();
  ScheduleWindows();
  Every(Fault::kWebhook, 900 * kSecond, [this](Dice&) -> Event {
    return [this] {
      Trace("the webhook configurations are applied again, without a caBundle");
      Met(Fault::kWebhook, "configurations");
      webhook_checks_.ApplyAgain();
    };
  });
}

void World::EditMax(std::size_t index, std::int64_t max) {
  loads_[index].max = max;
  Trace(loads_[index].name + ": maxReplicas becomes " + std::to_string(loads_[index].max));
  Met(Fault::kEdits, "policy");
  // Recommendations beyond the bounds are remembered as they are, and no twin is needed here.
  checks_.Blind(index, now() - 60 * kSecond, now() + 60 * kSecond);
  PutAutoscaler(index);
  checks_.DisturbPolicy(index, now() + 60 * kSecond);
  LookOnce();  // it may be so for a moment only
}

void World::MakeAgain(std::size_t index, Nanoseconds after) {
  Trace(loads_[index].name + ": the policy is deleted, and made again");
  Met(Fault::kRecreation, "policy");
  server_.Delete(KindOf(loads_[index]), KeyOf(loads_[index]));
  Fibers::Get().At(now() + after, [this, index] { Make(index); });
  checks_.Anew(index);
}

void World::Make(std::size_t index) {
  if (!IsBeingMade(index)) {
    return;
  }
  loads_[index].max = kMax;
  PutAutoscaler(index);
  checks_.Anew(index);
  checks_.DisturbPolicy(index, now() + (loads_[index].hpa ? kReclaimed : 60 * kSecond));
  WakeLater(index);
}

// It was deleted a moment ago; what is edited now it has when it is made.
bool World::IsBeingMade(std::size_t index) const {
  return server_.Get(KindOf(loads_[index]), KeyOf(loads_[index])) == nullptr;
}

World::Event World::LoseTarget(std::size_t index, Dice& dice) {
  const Nanoseconds after =
      dice.OneIn(3) ? dice.Between(0, 2 * kSecond) : dice.Between(2 * kSecond, 120 * kSecond);
  const std::int64_t replicas = dice.OneIn(2) ? 1 : dice.Between(1, kMax);
  if (!ReplicasOf(index)) {
    return {};
  }
  return [=, this] {
    const Nanoseconds until = now() + after;
    Trace(loads_[index].target + ": the target is deleted");
    Met(Fault::kLostTargets, "target");
    RemoveTarget(index);
    checks_.Blind(index, now(), until + checks_.Lateness());
    checks_.DisturbPolicy(index, until + 60 * kSecond);
    Fibers::Get().At(until, [=, this] {
      MakeTarget(index, replicas);
      checks_.HasOtherTarget(index);
      checks_.Scaled(index, replicas);
    });
  };
}

void World::RemoveTarget(std::size_t index) {
  server_.Delete(kDeployments, TargetOf(loads_[index]));
  for (const Pod& pod : std::exchange(pods_[index], {})) {
    server_.Delete(kPods, pod.key);
  }
}

void World::MakeTarget(std::size_t index, std::int64_t replicas) {
  Trace(loads_[index].target + ": the target is made, with " + std::to_string(replicas) +
        " replicas");
  PutTarget(index, replicas);
  answers_.MadeAgain(index, replicas);
}

World::Event World::Edit(std::size_t index, Dice& dice) {
  if (IsBeingMade(index)) {
    return {};
  }
  return [this, index, edit = EditField(index, dice)] {
    loads_[index].WillBeEdited(now());
    edit();
    PutAutoscaler(index);
    checks_.DisturbPolicy(index, now() + 60 * kSecond);
    LookOnce();
  };
}

World::Event World::EditField(std::size_t index, Dice& dice) {
  Load& load = loads_[index];
  const auto set = [&](const char* field, auto& setting, std::int64_t value,
                       std::int64_t unit) -> Event {
    return [this, &load, &setting, field, value, unit] {
      setting = value * unit;
      Trace(load.name + ": " + field + " becomes " + std::to_string(value));
      Met(Fault::kAllEdits, field);
    };
  };
  switch (dice.Below(4)) {
    case 0:
      return set("window", load.window, kWindows[dice.Below(kWindows.size())] / kSecond, kSecond);
    case 1:
      if (load.hpa) {
        return [] {};
      }
      return set("period", load.period, kPeriods[dice.Below(kPeriods.size())] / kSecond, kSecond);
    case 2:
      return set("minReplicas", load.min, dice.Between(1, 5), 1);
    default:
      return Suspend(index, dice);
  }
}

// Nothing is scaled for a while.
World::Event World::Suspend(std::size_t index, Dice& dice) {
  const Nanoseconds until = now() + dice.Between(30 * kSecond, 900 * kSecond);
  const std::uint64_t way = dice.Below(5);
  const bool is_short = dice.OneIn(4);  // the end of a pause comes before its time
  return [=, this] {
    Load& load = loads_[index];
    if (!load.suspensions.empty() && load.suspensions.back().until > now()) {
      return;
    }
    static constexpr std::array<const char*, 7> kWays{"DryRun", "Disabled", "Both",  "In",
                                                      "Out",    "observe",  "shadow"};
    const char* const word = kWays[load.hpa && way < 2 ? way + 5 : way];
    Trace(load.name + ": nothing is scaled until " + Stamp(until) + ": " + word);
    Met(Fault::kAllEdits, word);
    Nanoseconds end = until;
    if (way < 2) {
      load.mode = word;
    } else {
      load.paused_until = Stamp(until);
      load.paused_direction = word;
      end = is_short ? now() + (until - now()) / 2 : until + kSlowestClock;
    }
    if (way == 1) {
      checks_.Blind(index, now(), until + checks_.Lateness());
    }
    load.suspensions.push_back({now(), std::min(end, until), way != 4, way != 3, way >= 2});
    checks_.DisturbPolicy(index, end + 60 * kSecond);
    Fibers::Get().At(end, [this, index] { Resume(index); });
  };
}

void World::Resume(std::size_t index) {
  Load& load = loads_[index];
  if (load.mode == load.usual_mode && load.paused_until.empty()) {
    return;
  }
  Trace(load.name + ": it is scaled again");
  if (load.mode == "Disabled") {
    checks_.Begins(index, now() - load.suspensions.back().from);
  }
  load.mode = load.usual_mode;
  load.paused_until.clear();
  load.suspensions.back().until = std::min(load.suspensions.back().until, now());
  if (!IsBeingMade(index)) {
    PutAutoscaler(index);
  }
  checks_.DisturbPolicy(index, now() + (load.hpa ? kReclaimed : 60 * kSecond));
}

}  // namespace ballast::faults
