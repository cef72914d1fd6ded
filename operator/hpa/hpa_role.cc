#include "operator/hpa/hpa_role.h"

#include <utility>

#include "api/autoscaling/condition_types.h"
#include "operator/hpa/status_marks.h"
#include "operator/process/clock.h"
#include "operator/session/evaluation_record.h"

namespace ballast::hpa {

HpaRole::RoleAction HpaRole::Next(const api::Autoscaler& hpa,
                                  const std::optional<ManageBlocker>& blocker,
                                  const HpaObserver::FindEvent& find, const SessionState& known) {
  Claim::ClaimAction claim = NextClaim(hpa, blocker, known);
  NoteHandOver(hpa);
  RoleAction action{.events = std::move(claim.events),
                    .write = std::move(claim.write),
                    .evaluate = claim.held,
                    .begun = claim.held && claim_->TakeBegun(),
                    .period = options_.PeriodOf(hpa),
                    .sooner = claim.again};
  NoteMode(hpa, action);
  if (claim.confirms) {
    return action;  // whether it is an observer is not known yet
  }
  if (action.begun) {
    observe_mode_.StartAnew();
  }
  if (claim.behind && !claim.held) {
    action.sooner = session::kLookAgain;  // its status tells of what was before
    return action;
  }
  const bool managed = std::exchange(manages_, claim.held);
  if (claim.held) {
    has_managed_ = true;
    return action;
  }
  if (managed) {
    observe_mode_.Continue(known.memory, known.scale);
  }
  StandBy(hpa, find, known, action);
  return action;
}

void HpaRole::StandBy(const api::Autoscaler& hpa, const HpaObserver::FindEvent& find,
                      const SessionState& known, RoleAction& action) {
  const api::ServingMode& mode = options_.ModeOf(hpa);
  const bool shadow = mode.evaluates && mode.observes;
  action.period = shadow ? options_.PeriodOf(hpa) : session::kObservationPeriod;
  if (known.unsettled) {
    action.sooner = session::kLookAgain;
  }
  if (mode.kind != api::ServingMode::Kind::kIgnore) {
    const ObserveMode::Looked looked =
        observe_mode_.Look(hpa, action.period, shadow, find, known.answer, known.memory);
    action.asks_who_set = looked.asks_who_set;
    action.evaluate = shadow && !looked.again && !looked.asks_who_set && !action.write;
    action.sooner = looked.again ? looked.again : action.sooner;
  }
}

void HpaRole::Answered(const api::Autoscaler& hpa, const session::StatusAnswer& answer) {
  // Nobody decides on an HPA that is not managed, so no decision's record has the condition.
  if (auto change = EnsureClaim().Answered(answer, process::ReadBoth(ports_.clock))) {
    ports_.ledger.Append(store::EditSeen{session::SubjectOf(hpa),
                                         {ports_.clock.Now(),
                                          api::kManaged,
                                          std::move(change->from),
                                          std::move(change->to),
                                          api::kFieldManager,
                                          {}}});
  }
}

Claim& HpaRole::EnsureClaim() {
  if (!claim_) {
    claim_ = std::make_unique<Claim>();
  }
  return *claim_;
}

Claim::ClaimAction HpaRole::NextClaim(const api::Autoscaler& hpa,
                                      const std::optional<ManageBlocker>& blocker,
                                      const SessionState& known) {
  const api::ServingMode& mode = options_.ModeOf(hpa);
  const process::Instant now = process::ReadBoth(ports_.clock);
  if (mode.kind != api::ServingMode::Kind::kManage) {
    if (!claim_ && !IsMarked(hpa)) {
      return {};
    }
    Claim::ClaimAction left = EnsureClaim().Leave(hpa, mode.name, known.version, now);
    if (left.write) {
      left.write->memory = "";
    }
    return left;
  }
  return EnsureClaim().Take(
      hpa,
      {blocker, known.version, !manages() && !ports_.source.TargetOf(known.answer)->scale.ok(),
       known.others},
      now, options_.PeriodOf(hpa));
}

void HpaRole::NoteMode(const api::Autoscaler& hpa, RoleAction& action) {
  std::string value;
  if (api::HpaModeIsMalformed(hpa)) {
    value = hpa.metadata.annotations.at(api::kHpaMode);
  }
  if (value != std::exchange(misunderstood_, value) && !value.empty()) {
    action.events.push_back({"Warning", "ModeNotUnderstood",
                             "the annotation " + std::string(api::kHpaMode) + " is \"" + value +
                                 "\", which is no mode, so it counts as observe: Ballast does not "
                                 "scale the target of this HorizontalPodAutoscaler"});
  }
}

void HpaRole::NoteHandOver(const api::Autoscaler& hpa) {
  if (const auto over = claim_ ? claim_->TakeHandOver() : std::nullopt) {
    ports_.ledger.Append(
        store::EditSeen{session::SubjectOf(hpa),
                        {ports_.clock.Now(), store::kControllerField, over->from, over->to,
                         over->when ? over->to : api::kFieldManager, over->when}});
  }
}

}  // namespace ballast::hpa
