#include "operator/engine/memory/remember.h"

#include <algorithm>
#include <cstdlib>

#include "operator/engine/policy/used_samples.h"
#include "operator/engine/rate_limit.h"

namespace ballast::engine {
namespace {

// The longest period of a rate (behavior.*.policies[].periodSeconds).
constexpr Duration kLongestRate = Duration::Seconds(1800);

}  // namespace

void CountAttempt(Memory& memory, const Snapshot& snapshot, const Decision& decision,
                  const Outcome& outcome) {
  using Kind = Outcome::Kind;
  if (outcome.kind != Kind::kWritten && outcome.kind != Kind::kUnknown) {
    return;
  }
  RecordScaleEvent(memory, snapshot.autoscaler.spec.behavior, decision.current_replicas,
                   decision.target_replicas, snapshot.now);
  if (snapshot.autoscaler.is_policy()) {
    UseSamples(snapshot, decision, memory);
  }
}

void CountLateAttempt(Memory& memory, const Snapshot& snapshot, const Decision& decision,
                      const Outcome& outcome, std::optional<Break> since) {
  Memory decided = decision.memory;
  if (since) {
    Forget(*since, decided);
  }
  for (const Recommendation& one : decided.recommendations) {
    // Most are known: evaluations since have continued from them. An HPA's are never compacted.
    if (std::ranges::find(memory.recommendations, one) == memory.recommendations.end()) {
      memory.recommendations.push_back(one);
    }
  }
  const auto is_counted = [&](const std::vector<ScaleEvent>& events) {
    return std::ranges::find(events, snapshot.now, &ScaleEvent::time) != events.end();
  };
  if (since != Break::kOtherTarget && !is_counted(memory.scale_ups) &&
      !is_counted(memory.scale_downs)) {
    CountAttempt(memory, snapshot, decision, outcome);
  }
}

void CountChange(Memory& memory, Time time, std::int32_t from, std::int32_t to) {
  (to > from ? memory.scale_ups : memory.scale_downs).push_back({time, std::abs(to - from)});
  for (auto* events : {&memory.scale_ups, &memory.scale_downs}) {
    std::erase_if(*events,
                  [&](const ScaleEvent& event) { return time - event.time > kLongestRate; });
  }
}

}  // namespace ballast::engine
