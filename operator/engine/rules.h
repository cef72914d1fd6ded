// Where the two kinds differ. This class is upstream's behaviour, which HorizontalPodAutoscalers
// follow; policy_rules.h overrides it for AutoScalePolicies. One of them is chosen once for each
// evaluation, so that no other file of the engine asks for the kind.
//
// Thread-safety: no state. Nothing fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
#include "operator/engine/rate_limit.h"

namespace ballast::engine {

struct Context;
class Trace;

// How one evaluation got from the present count to the desired one.
struct Movement {
  std::int32_t current = 0;
  std::string_view metric;      // that proposed `raw`
  std::int32_t raw = 0;         // what the metrics ask for
  std::int32_t stabilized = 0;  // after recent recommendations
  Limited limited;              // after bounds and rates
};

class Rules {
 public:
  virtual ~Rules() = default;

  // Whether nothing is to be evaluated at all.
  virtual bool Paused(const Snapshot& snapshot) const;
  // The settings that hold for this autoscaler.
  virtual Settings SettingsFor(const Snapshot& snapshot) const;
  // The memory to decide with, when there are `current` replicas.
  virtual Memory Recall(const Snapshot& snapshot, std::int32_t current) const;

  // Why this answer of a metrics API must not be used; absent when it may be.
  virtual std::optional<std::string> Distrust(const Snapshot& snapshot,
                                              const MetricAnswer& answer) const;
  // Metrics with a target for the whole, when no pod is ready: the count at `ratio` (usage/target).
  virtual std::int32_t ProposeWithoutReadyPods(double ratio, std::int32_t current) const;
  // What the status shows as usage a pod (thousandths) when there is no pod.
  virtual std::int64_t UsagePerPodWithoutPods(std::int64_t usage) const;
  // What remains of the proposal of spec.metrics[index].
  virtual std::int32_t Admit(const Context& context, std::size_t index, std::int32_t replicas,
                             Trace& trace) const;

  // Without spec.behavior: how far one step may go up.
  virtual std::int32_t DefaultScaleUpLimit(std::int32_t current) const;
  // Why the count changes, for the event.
  virtual std::string RescaleReason(const Movement& movement) const;

  // What of the answers is used up by a scale-up that may have happened.
  virtual void UseSamples(const Snapshot& snapshot, const Decision& decision, Memory& memory) const;

  // Last touches to what has been decided and concluded.
  virtual void Finish(const Snapshot& snapshot, Decision& decision, Trace& trace) const;
  virtual void Finish(const Snapshot& snapshot, const Decision& decision, const Outcome& outcome,
                      Conclusion& conclusion) const;
};

const Rules& RulesFor(const api::Autoscaler& autoscaler);

}  // namespace ballast::engine
