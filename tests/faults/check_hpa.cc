#include "tests/faults/check_hpa.h"

#include <algorithm>
#include <utility>

#include "operator/kube/transport.h"

namespace ballast::faults {
namespace {

// A write that was decided before is applied at most this much later.
constexpr Nanoseconds kLandsWithin = 20 * kSecond;
// A claim stands for a minute at least; a clock may drift by 2 %.
constexpr Nanoseconds kLeastQuiet = 60 * kSecond * 98 / 100;
constexpr std::int64_t kClaim = -1;

std::optional<std::int64_t> MarkOf(const JsonValue& status) {
  const JsonValue& mark = status.At({"observedGeneration"});
  return mark.is_null() ? std::nullopt : std::optional(mark.Integer());
}

bool HasForeignCondition(const JsonValue& status) {
  const auto* conditions = status.At({"conditions"}).Elements();
  return conditions != nullptr && std::ranges::any_of(*conditions, [](const JsonValue& one) {
           return one.At({"type"}).Text() == kForeignCondition;
         });
}

// The entry of an HPA in the ConfigMap of the memory; null: there is none.
JsonValue EntryOf(const JsonValue& memory, const std::string& name) {
  const std::string text = memory.At({"data", name.c_str()}).Text();
  return text.empty() ? JsonValue() : JsonValue::Of(text);
}

}  // namespace

bool HpaChecks::IsLeft(const Load& load) const {
  const Nanoseconds known = Fibers::Get().now() - checks_.Lateness() - 60 * kSecond;
  return load.mode != "manage" && !load.suspensions.empty() && load.suspensions.back().from < known;
}

void HpaChecks::Lose(std::size_t index, bool unseen) {
  State& state = state_[index];
  state.claimed.reset();
  if (std::exchange(state.held, false)) {
    state.lost = Fibers::Get().now();
    state.unseen = unseen;
  }
  checks_.DisturbPolicy(index, Fibers::Get().now() + kReclaimed);
}

void HpaChecks::Made(std::size_t index) { Lose(index, true); }

void HpaChecks::Take(std::size_t index) {
  State& state = state_[index];
  const Nanoseconds now = Fibers::Get().now();
  if (!state.claimed) {
    return Fail("claim", index, "Ballast takes hold of it without a claim");
  }
  if (now - *state.claimed < kLeastQuiet) {
    return Fail("claim", index,
                "Ballast takes hold of it when its claim has stood for " +
                    std::to_string((now - *state.claimed) / kSecond) + " s");
  }
  state = {.held = true};
  checks_.Anew(index);
  checks_.DisturbPolicy(index, now + 60 * kSecond);
}

void HpaChecks::StatusWritten(std::size_t index, const JsonValue& before, const JsonValue& after,
                              const std::string& manager) {
  if (HasForeignCondition(before) && !HasForeignCondition(after)) {
    Fail("hpa-status", index, manager + " removes the condition of somebody else");
  }
  if (manager != api::kFieldManager) {
    for (std::size_t other = 0; other < state_.size(); ++other) {
      if (!state_[other].held) {  // whoever is at work on one HPA may be on all
        checks_.DisturbPolicy(other, Fibers::Get().now() + kReclaimed);
      }
    }
    return Lose(index, true);
  }
  const auto mark = MarkOf(after);
  if (IsLeft(loads_[index]) &&
      (mark || !(before.At({"desiredReplicas"}) == after.At({"desiredReplicas"})) ||
       !(before.At({"currentReplicas"}) == after.At({"currentReplicas"})))) {
    Fail("observe", index, "its status is written in mode " + loads_[index].mode);
  }
  State& state = state_[index];
  if (!mark) {
    Lose(index, false);
  } else if (*mark == kClaim) {
    const auto since = state.claimed.value_or(Fibers::Get().now());
    Lose(index, false);
    state.claimed = since;
  } else if (!state.held) {
    Take(index);
  }
}

void HpaChecks::Scaled(std::size_t index, const ScaleWrite& write) {
  const State& state = state_[index];
  const Nanoseconds now = Fibers::Get().now();
  // Who finds out by a watch does so late.
  const Nanoseconds landing = kLandsWithin + (state.unseen ? checks_.Lateness() : 0);
  if (state.held || (state.lost && now - *state.lost < landing)) {
    return;
  }
  Fail("claim", index,
       std::to_string(write.from) + " to " + std::to_string(write.to) +
           (state.lost ? " although Ballast has not held it for " +
                             std::to_string((now - *state.lost) / kSecond) + " s"
                       : " although Ballast has never held it"));
}

void HpaChecks::MemoryWritten(const JsonValue& before, const JsonValue& after) {
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    const JsonValue was = EntryOf(before, loads_[i].name);
    const JsonValue is = EntryOf(after, loads_[i].name);
    if (!is.is_null() && was.At({"uid"}) == is.At({"uid"}) &&
        is.At({"term"}).Integer() < was.At({"term"}).Integer()) {
      Fail("fence", i,
           "the memory of term " + std::to_string(was.At({"term"}).Integer()) +
               " is replaced by that of term " + std::to_string(is.At({"term"}).Integer()));
    }
  }
}

void HpaChecks::AtTheEnd(std::size_t index, const JsonValue& hpa, const JsonValue& memory,
                         std::int64_t replicas) {
  if (!state_[index].held) {
    return Fail("claim", index, "nobody scales it in the end: " + hpa.Print());
  }
  for (const char* field : {"currentReplicas", "desiredReplicas"}) {
    if (const std::int64_t told = hpa.At({"status", field}).Integer(); told != replicas) {
      Fail("hpa-status", index,
           std::string(field) + " is " + std::to_string(told) + " in the end, and there are " +
               std::to_string(replicas) + " replicas");
    }
  }
  const JsonValue entry = EntryOf(memory, loads_[index].name);
  if (!(entry.At({"uid"}) == hpa.At({"metadata", "uid"}))) {
    Fail("mirror", index, "the memory of it in the end is " + entry.Print());
  }
}

}  // namespace ballast::faults
