// Decides whether the count changes, with the reason that the event shows.
#include <string>

#include "operator/engine/passes.h"
#include "operator/engine/words.h"

namespace ballast::engine {
namespace {

std::string BlameMetrics(const Movement& movement, std::int32_t current) {
  if (!movement.fallback.empty()) {
    return movement.fallback;
  }
  if (movement.raw > current) {
    return movement.metric + " above target";
  }
  return movement.raw < current ? "All metrics below target" : "";
}

// If recent recommendations moved the count, upstream's reason is empty or names the metrics.
std::string ReasonOf(const Movement& movement, std::int32_t current, const Quirks& quirks) {
  const auto toward = [&](std::int32_t count) { return (count > current) - (count < current); };
  const int direction = toward(movement.limited.replicas);
  if (quirks.blames_metrics_alone || direction == 0 || toward(movement.raw) == direction) {
    return BlameMetrics(movement, current);
  }
  if (toward(movement.stabilized) == direction) {
    return direction > 0 ? "Recent recommendations were higher (scale-down stabilization)"
                         : "Recent recommendations were lower (scale-up stabilization)";
  }
  return std::string(movement.limited.reason) + ": " + std::string(movement.limited.message);
}

}  // namespace

void Rescale(DecideState& evaluation) {
  Decision& decision = evaluation.decision;
  const Movement& movement = evaluation.movement;
  decision.rescale = movement.desired != decision.current_replicas;
  decision.target_replicas = movement.desired;
  if (!decision.rescale) {
    decision.status.desired_replicas = decision.current_replicas;
    return;
  }
  decision.rescale_reason = ReasonOf(movement, decision.current_replicas, evaluation.quirks);
  if (decision.rescale_reason.empty() && movement.desired != movement.limited.replicas) {
    decision.rescale_reason = kBelowMinimum;
  }
}

}  // namespace ballast::engine
