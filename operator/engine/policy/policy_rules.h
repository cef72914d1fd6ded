// What an AutoScalePolicy does otherwise than upstream's controller, and why: docs/engine.md.
//
// Thread-safety: no state. Nothing fails.
#pragma once

#include "operator/engine/rules.h"

namespace ballast::engine {

class PolicyRules : public Rules {
 public:
  bool Paused(const Snapshot& snapshot) const override;
  Settings SettingsFor(const Snapshot& snapshot) const override;
  Memory Recall(const Snapshot& snapshot, std::int32_t current) const override;
  std::optional<std::string> Distrust(const Snapshot& snapshot,
                                      const MetricAnswer& answer) const override;
  std::int32_t ProposeWithoutReadyPods(double ratio, std::int32_t current) const override;
  std::int64_t UsagePerPodWithoutPods(std::int64_t usage) const override;
  std::int32_t Admit(const Context& context, std::size_t index, std::int32_t replicas,
                     Trace& trace) const override;
  std::int32_t DefaultScaleUpLimit(std::int32_t current) const override;
  std::string RescaleReason(const Movement& movement) const override;
  void UseSamples(const Snapshot& snapshot, const Decision& decision,
                  Memory& memory) const override;
  void Finish(const Snapshot& snapshot, Decision& decision, Trace& trace) const override;
  void Finish(const Snapshot& snapshot, const Decision& decision, const Outcome& outcome,
              Conclusion& conclusion) const override;
};

}  // namespace ballast::engine
