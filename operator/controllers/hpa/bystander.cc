#include "operator/controllers/hpa/bystander.h"

#include <string>
#include <variant>

#include "operator/controllers/evaluation.h"
#include "operator/controllers/read_back.h"
#include "operator/runtime/log.h"

namespace ballast::controllers {

std::optional<Duration> Bystander::Look(const api::Autoscaler& hpa, Duration period, bool shadow,
                                        const HpaObserver::FindEvent& find,
                                        AutoscalerMemory& memory) {
  const auto seen = observer_.See(hpa, ports_.clock.Now(), period, find);
  if (!seen) {
    return observer_.again();
  }
  if (auto change = observer_.TakeForeignChange()) {
    // After a scaling the target names the controller, whoever set the replicas before.
    const bool last = change->to == seen->desired_replicas;
    const auto manager = last ? ports_.scale.WhoSet(hpa, change->to) : std::nullopt;
    if (manager) {
      change->manager = manager->manager;
      change->managed = manager->time;
    }
    if (change->manager != kFieldManager) {  // else another replica of the operator did it
      ports_.ledger.Append(store::ForeignlyChanged{SubjectOf(hpa), *change});
    }
  }
  const bool scaled = seen->current_replicas != seen->desired_replicas;
  if (scaled) {
    memory.Scaled(seen->time, seen->current_replicas, seen->desired_replicas);
  }
  if (!shadow) {
    memory.ForgetRecommendations();
    agreement_.StartAnew();
  }
  if (scaled || !shadow) {
    ports_.ledger.Append(store::Observed{*seen, memory.memory()});
  }
  return observer_.again();
}

void Bystander::Judge(const engine::Snapshot& snapshot, const engine::Decision& decision,
                      Time now) {
  const bool comparable = std::holds_alternative<api::Scale>(snapshot.scale) &&
                          HasBeenServed(snapshot.autoscaler.status);
  if (!comparable || snapshot.interrupted || snapshot.clock_jumped) {
    agreement_.StartAnew();
  }
  if (!comparable) {
    return;
  }
  const std::int32_t ours = decision.target_replicas;
  const std::int32_t theirs = snapshot.autoscaler.status.desired_replicas;
  const auto verdict = agreement_.Judge(now, ours, theirs, options_.PeriodOf(snapshot.autoscaler),
                                        LongestWindow(snapshot));
  options_.metrics.CountShadow(Name(verdict));
  const bool differs = verdict == Agreement::Verdict::kDiffers;
  if (differs != differs_) {
    const std::string name = snapshot.autoscaler.key().Print();
    log::Info(log::About{name},
              differs ? "the shadow of an HPA asks for another count than its controller"
                      : "the shadow of an HPA no longer differs from its controller",
              {{"hpa", name}, {"shadow", ours}, {"controller", theirs}});
  }
  differs_ = differs;
}

void Bystander::StartAnew() {
  observer_ = HpaObserver();
  agreement_.StartAnew();
}

}  // namespace ballast::controllers
