#include "tests/faults/hpa_controller.h"

#include <algorithm>

#include "api/base/time.h"

namespace ballast::faults {
namespace {

std::string Now() {
  const Nanoseconds wall = Machine().Wall(Fibers::Get().now());
  return Print(Time::FromUnixNanoseconds(wall / kSecond * kSecond));
}

JsonValue Condition(const JsonValue* before, const char* type, bool is_true,
                    const std::string& reason) {
  JsonValue condition;
  condition["type"] = JsonValue(type);
  condition["status"] = JsonValue(is_true ? "True" : "False");
  condition["reason"] = JsonValue(reason);
  condition["message"] = JsonValue("the model's words");
  const bool same =
      before != nullptr && before->At({"status"}).Text() == condition.At({"status"}).Text();
  condition["lastTransitionTime"] = same ? before->At({"lastTransitionTime"}) : JsonValue(Now());
  return condition;
}

}  // namespace

void HpaController::Start(Nanoseconds period, Dice& dice) {
  wishes_.clear();
  running_ = true;
  Turn(++run_, period, dice);
}

void HpaController::Turn(std::uint64_t run, Nanoseconds period, Dice& dice) {
  if (run != run_) {
    return;  // stopped
  }
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    if (loads_[i].hpa) {
      Look(i, dice);
    }
  }
  Fibers::Get().At(Fibers::Get().now() + period, [=, this, &dice] { Turn(run, period, dice); });
}

void HpaController::Look(std::size_t index, Dice& dice) {
  const api::ObjectKey key = KeyOf(loads_[index]);
  const JsonValue* found = server_.Get(kHpas, key);
  if (found == nullptr) {
    return;
  }
  const JsonValue hpa = *found;
  const Decision decision = Decide(index, hpa);
  if (decision.desired != decision.current) {
    server_.Scale(TargetOf(loads_[index]), decision.desired, kRival);
    Emit(hpa, decision.desired);
  }
  JsonValue status = StatusOf(hpa, decision);
  if (status == hpa.At({"status"})) {
    return;
  }
  Fibers::Get().At(Fibers::Get().now() + dice.Between(5 * kMillisecond, kSecond / 2),
                   [this, key, status, version = hpa.At({"metadata", "resourceVersion"}).Text()] {
                     (void)server_.WriteHpaStatus(key, version, status, kRival);
                   });
}

HpaController::Decision HpaController::Decide(std::size_t index, const JsonValue& hpa) {
  const Load& load = loads_[index];
  const JsonValue* target = server_.Get(kDeployments, TargetOf(load));
  if (target == nullptr) {
    const std::int64_t desired = hpa.At({"status", "desiredReplicas"}).Integer();
    return {desired, desired, "FailedGetScale", ""};
  }
  const std::int64_t current = target->At({"spec", "replicas"}).Integer();
  const std::optional<std::int64_t> asked = wish_(index);
  if (!asked) {
    return {current, current, "SucceededGetScale", "FailedGetExternalMetric"};
  }
  const Nanoseconds now = Fibers::Get().now();
  auto& wishes = wishes_[hpa.At({"metadata", "uid"}).Text()];
  if (wishes.empty()) {
    wishes.emplace_back(now, current);
  }
  const std::int64_t wish = Suffice(current, *asked) ? current : *asked;
  wishes.emplace_back(now, wish);
  std::erase_if(wishes, [&](const auto& one) { return one.first < now - load.window; });
  const std::int64_t highest =
      std::ranges::max_element(wishes, {}, [](const auto& one) { return one.second; })->second;
  const std::int64_t desired =
      std::clamp(wish < current ? std::min(current, highest) : wish, load.min, load.max);
  return {current, desired, desired == current ? "ReadyForNewScale" : "SucceededRescale",
          "ValidMetricFound"};
}

void HpaController::Emit(const JsonValue& hpa, std::int64_t size) {
  const std::string name = hpa.At({"metadata", "name"}).Text();
  const std::string space = hpa.At({"metadata", "namespace"}).Text();
  server_.Put(kEvents, {space, name + "." + std::to_string(++emitted_)},
              JsonValue::Of(R"({"reason":"SuccessfulRescale","lastTimestamp":")" + Now() +
                            R"(","involvedObject":{"kind":"HorizontalPodAutoscaler","name":")" +
                            name + R"(","namespace":")" + space + R"(","uid":")" +
                            hpa.At({"metadata", "uid"}).Text() + R"("},"message":"New size: )" +
                            std::to_string(size) + R"(; reason: the model's"})"));
}

// All conditions of others stay.
JsonValue HpaController::StatusOf(const JsonValue& hpa, const Decision& decision) {
  const JsonValue& before = hpa.At({"status"});
  JsonValue::Array conditions;
  const JsonValue* able = nullptr;
  const JsonValue* active = nullptr;
  if (const auto* all = before.At({"conditions"}).Elements()) {
    for (const JsonValue& one : *all) {
      const std::string type = one.At({"type"}).Text();
      if (type == "AbleToScale") {
        able = &one;
      } else if (type == "ScalingActive") {
        active = &one;
      } else {
        conditions.push_back(one);
      }
    }
  }
  conditions.push_back(
      Condition(able, "AbleToScale", decision.able != "FailedGetScale", decision.able));
  if (!decision.active.empty()) {
    conditions.push_back(
        Condition(active, "ScalingActive", decision.active == "ValidMetricFound", decision.active));
  }
  JsonValue status;
  status["currentReplicas"] = JsonValue(decision.current);
  status["desiredReplicas"] = JsonValue(decision.desired);
  status["conditions"] = JsonValue(std::move(conditions));
  if (decision.current != decision.desired) {
    status["lastScaleTime"] = JsonValue(Now());
  } else if (!before.At({"lastScaleTime"}).is_null()) {
    status["lastScaleTime"] = before.At({"lastScaleTime"});
  }
  return status;
}

}  // namespace ballast::faults
