#include "operator/hpa/observe_mode.h"

#include <string>
#include <utility>

#include "api/autoscaling/condition_types.h"
#include "operator/engine/conditions.h"
#include "operator/engine/stabilization.h"
#include "operator/process/log.h"
#include "operator/session/evaluation_record.h"
#include "operator/session/who_set.h"

namespace ballast::hpa {
namespace {

// Whether the HPA's controller could not compute a count either.
bool ComputesNothing(const api::AutoscalerStatus& status) {
  const auto is_false = [&status](const char* type) {
    const api::Condition* condition = engine::Find(status.conditions, type);
    return condition != nullptr && condition->status == "False";
  };
  return is_false(api::kAbleToScale) || is_false(api::kScalingActive);
}

// What the log says of a new verdict; null: nothing.
const char* News(Agreement::Judgement before, Agreement::Judgement now) {
  using enum Agreement::Judgement;
  if (now == kDiffers) {
    return "the shadow of an HPA asks for another count than its controller";
  }
  if (now == kCannotTell) {
    return "the shadow of an HPA can compute no count, so it cannot be compared";
  }
  return before == kDiffers      ? "the shadow of an HPA no longer differs from its controller"
         : before == kCannotTell ? "the shadow of an HPA can compute a count again"
                                 : nullptr;
}

}  // namespace

ObserveMode::Looked ObserveMode::Look(const api::Autoscaler& hpa, Duration period, bool shadow,
                                      const HpaObserver::FindEvent& find,
                                      const session::MetricsAnswer& read,
                                      session::AutoscalerMemory& memory) {
  HpaObserver observer = observer_;
  const auto seen = observer.See(hpa, ports_.clock.Now(), period, find);
  auto change = observer.TakeForeignChange();
  // After a scaling the target names the controller, whoever set the replicas before.
  const bool last = change && change->to == seen->desired_replicas;
  if (last && !read.managed) {
    return {.asks_who_set = true};
  }
  observer_ = std::move(observer);
  if (!seen) {
    return {observer_.again()};
  }
  if (change) {
    const auto manager =
        last ? session::ManagerOf(read.managed, {.spec_replicas = change->to}) : std::nullopt;
    if (manager) {
      change->manager = manager->manager;
      change->managed = manager->time;
    }
    if (change->manager != api::kFieldManager) {  // else another replica of the operator did it
      ports_.ledger.Append(store::ForeignChangeSeen{session::SubjectOf(hpa), *change});
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
  return {observer_.again()};
}

void ObserveMode::Judge(const engine::Snapshot& snapshot, const engine::Decision& decision,
                        Time now) {
  const api::AutoscalerStatus& status = snapshot.autoscaler.status;
  const bool computed = !decision.ComputedNothing();
  if (!computed || !HasBeenServed(status) || snapshot.interrupted || snapshot.clock_jumped) {
    agreement_.StartAnew();
  }
  if (!HasBeenServed(status) || (!computed && ComputesNothing(status))) {
    return;
  }
  Tell(snapshot, decision,
       computed ? agreement_.Judge(now, decision.target_replicas, status.desired_replicas,
                                   options_.PeriodOf(snapshot.autoscaler),
                                   engine::WindowsOf(snapshot).Longest())
                : Agreement::Judgement::kCannotTell);
}

void ObserveMode::Tell(const engine::Snapshot& snapshot, const engine::Decision& decision,
                       Agreement::Judgement verdict) {
  metrics_.Count(verdict);
  const Agreement::Judgement before = std::exchange(verdict_, verdict);
  const char* news = verdict == before ? nullptr : News(before, verdict);
  if (news != nullptr) {
    const std::string name = snapshot.autoscaler.Print();
    log::Info(log::About{name}, news,
              {{"autoscaler", name},
               {"shadow", decision.target_replicas},
               {"controller", snapshot.autoscaler.status.desired_replicas},
               {"problem", decision.problem ? decision.problem->message : ""}});
  }
}

void ObserveMode::StartAnew() {
  observer_ = HpaObserver();
  agreement_.StartAnew();
}

}  // namespace ballast::hpa
