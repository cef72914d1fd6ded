#include "operator/controllers/reconcilers.h"

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <string_view>

#include "api/autoscaling/condition_types.h"
#include "api/autoscaling/types.h"
#include "operator/cluster/conflicts.h"
#include "operator/cluster/overrides.h"
#include "operator/controllers/policy_reconciler.h"
#include "operator/controllers/sample_moments.h"
#include "operator/hpa/manage_blocker.h"
#include "operator/hpa/status_marks.h"
#include "operator/session/evaluation_record.h"
#include "operator/session/intent_recovery.h"
#include "operator/session/own_annotations.h"

namespace ballast::controllers {
namespace {

std::string ObstacleToPolicy(const api::Autoscaler& policy, const cluster::Watches& watches) {
  const auto refusal = FindRefusal(policy, cluster::FindConflict(policy, watches));
  return refusal ? refusal->message() : "";
}

std::string ObstacleToHpa(const api::Autoscaler& hpa, const Namespaces& take_over_in) {
  if (const auto blocker = hpa::ManageBlockerOf(hpa, take_over_in)) {
    return blocker->message;
  }
  return hpa::OthersWrite(hpa) ? "Ballast does not manage it yet, or another controller is at work"
                               : "";
}

}  // namespace

Reconcilers::Reconcilers(const cluster::Watches& watches, const session::Ports& ports,
                         ReconcilersOptions options)
    : watches_(watches),
      ports_(ports),
      options_(std::move(options)),
      freshness_(watches, ports.clock, options_.sessions.max_view_age),
      slots_(options_.pacing.slots_across_namespaces),
      around_hpas_{ports_, options_.sessions, options_.hpas, others_,
                   [&watches](const api::Autoscaler& hpa, std::int32_t size, Time since) {
                     const auto event = watches.LastRescale(hpa, size, since);
                     return event ? std::optional(hpa::SeenRescale{event->message, event->time})
                                  : std::nullopt;
                   }} {}

void Reconcilers::SettleAbandoned() {
  session::IntentRecovery(ports_.ledger, ports_.clock)
      .SettleAbandoned([this](const store::Subject& subject) {
        const cluster::AutoscalerPointer served =
            watches_.Find({subject.kind, subject.key.namespace_, subject.key.name});
        return served != nullptr && served->metadata.uid == subject.uid && Serves(*served);
      });
}

bool Reconcilers::Serves(const api::Autoscaler& autoscaler) const {
  return options_.sessions.ModeOf(autoscaler).kind != api::ServingMode::Kind::kIgnore;
}

std::string Reconcilers::ObstacleTo(const api::ObjectReference& name) const {
  const cluster::AutoscalerPointer autoscaler = watches_.Find(name);
  if (autoscaler == nullptr) {
    return "there is no " + name.kind + " " + name.name + " in this namespace";
  }
  const api::ServingMode& mode = options_.sessions.ModeOf(*autoscaler);
  if (!mode.writes_scale) {
    return "the mode of " + name.kind + " " + name.name + " is " + std::string(mode.name);
  }
  return autoscaler->is_policy() ? ObstacleToPolicy(*autoscaler, watches_)
                                 : ObstacleToHpa(*autoscaler, options_.hpas.take_over_in);
}

std::vector<cluster::AutoscalerPointer> Reconcilers::Served() const {
  std::vector<cluster::AutoscalerPointer> served = watches_.policies.List();
  const auto hpas = watches_.hpas.List();
  std::ranges::copy_if(hpas, std::back_inserter(served),
                       [this](const auto& hpa) { return Serves(*hpa) || hpa::IsMarked(*hpa); });
  return served;
}

std::map<std::vector<std::string>, double> Reconcilers::CountConditions() const {
  const std::vector<cluster::AutoscalerPointer> served = Served();
  // Views, because there are thousands of conditions, but few different ones.
  std::map<std::array<std::string_view, 4>, double> seen;
  for (const cluster::AutoscalerPointer& autoscaler : served) {
    const std::string_view mode = options_.sessions.ModeOf(*autoscaler).name;
    for (const api::Condition& condition : autoscaler->status.conditions) {
      ++seen[{autoscaler->kind, mode, condition.type, condition.reason}];
    }
  }
  std::map<std::vector<std::string>, double> counts;
  for (const auto& [labels, count] : seen) {
    counts.emplace(std::vector<std::string>(labels.begin(), labels.end()), count);
  }
  return counts;
}

std::optional<session::Progress> Reconcilers::Begin(const api::ObjectReference& key,
                                                    const session::MetricsAnswer& answer) {
  const cluster::AutoscalerPointer autoscaler = watches_.Find(key);
  if (autoscaler == nullptr || (!Serves(*autoscaler) && !hpa::IsMarked(*autoscaler))) {
    return Forget(key, autoscaler.get());
  }
  if (const std::string why = WhyOutOfDate(*autoscaler); !why.empty()) {
    return ReconcilerOf(*autoscaler).session().Pass(*autoscaler, {.cause = why});
  }
  if (answer.defect) {
    std::rethrow_exception(answer.defect);
  }
  return ReconcilerOf(*autoscaler).Begin(autoscaler, answer);
}

session::Answer Reconcilers::CarryOut(const session::Request& write) {
  if (const auto* scale = std::get_if<session::WriteScale>(&write)) {
    if (const auto reason = Overtaken(*scale->snapshot)) {
      return session::NotSent(*reason, ports_.clock.Steady());
    }
    return ports_.scale.Write(*scale);
  }
  return ports_.autoscaler.Write(std::get<session::WriteStatus>(write));
}

std::string Reconcilers::WhyOutOfDate(const api::Autoscaler& autoscaler) {
  return options_.sessions.ModeOf(autoscaler).reports ? freshness_.WhyOutOfDate(autoscaler) : "";
}

std::vector<engine::ScheduleWindow> Reconcilers::OpenOverridesOf(const api::Autoscaler& autoscaler,
                                                                 Time now) const {
  return cluster::OpenWindowsOf(watches_.OverridesOf(autoscaler, now), now);
}

std::optional<std::string> Reconcilers::Overtaken(const engine::Snapshot& snapshot) const {
  const api::Autoscaler& decided = snapshot.autoscaler;
  const cluster::AutoscalerPointer now = watches_.Find(decided.reference());
  if (now == nullptr || now->metadata.uid != decided.metadata.uid) {
    return "it was deleted meanwhile";
  }
  if (session::GenerationOf(*now) != session::GenerationOf(decided)) {
    return "it was edited meanwhile";
  }
  if (!session::SameOwnAnnotations(now->metadata, decided.metadata)) {
    return "its annotations were edited meanwhile";
  }
  const Time time = ports_.clock.Now();
  if (!cluster::SameOverrides(OpenOverridesOf(*now, time), snapshot.overrides, time)) {
    return "its overrides were changed meanwhile";
  }
  if (!now->is_policy()) {
    return hpa::OthersWrite(*now) ? std::optional<std::string>("another controller is at work")
                                  : std::nullopt;
  }
  if (const auto conflict = cluster::FindConflict(*now, watches_)) {
    return conflict->message;
  }
  return std::nullopt;
}

std::optional<session::Progress> Reconcilers::Resume(const api::ObjectReference& key,
                                                     const session::Answer& answer) {
  if (const auto* metrics = std::get_if<session::MetricsAnswer>(&answer)) {
    return Begin(key, *metrics);
  }
  session::Reconciler* reconciler = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = reconcilers_.find(key);  // kept until its evaluation has ended
    if (found == reconcilers_.end()) {
      return std::nullopt;  // the write was its last
    }
    reconciler = found->second.get();
  }
  if (const auto* status = std::get_if<session::StatusAnswer>(&answer)) {
    freshness_.Answered(key, reconciler->session().uid(), *status);
  }
  return reconciler->Resume(answer);
}

Duration Reconcilers::FirstDelay(const api::Autoscaler& autoscaler) {
  const Time now = ports_.clock.Now();
  if (!OpenOverridesOf(autoscaler, now).empty()) {
    return {};
  }
  return ReconcilerOf(autoscaler).session().FirstDelay(autoscaler, [&](Duration period) {
    return slots_.NextRun(autoscaler.reference(), period, ports_.clock.Steady());
  });
}

process::SteadyTime Reconcilers::NextRun(const api::ObjectReference& key, Duration period,
                                         process::SteadyTime now) {
  if (const auto rhythm = options_.pacing.pod_metrics_rhythm()) {
    const cluster::AutoscalerPointer autoscaler = watches_.Find(key);
    if (autoscaler != nullptr) {
      if (const auto next = NextBehindSamples(*autoscaler, *rhythm, period, now)) {
        return *next;
      }
    }
  }
  return slots_.NextRun(key, period, now);
}

session::Reconciler& Reconcilers::ReconcilerOf(const api::Autoscaler& autoscaler) {
  const std::lock_guard lock(mutex_);
  const auto found = reconcilers_.find(autoscaler.reference());
  const std::string& uid = autoscaler.metadata.uid;
  if (found != reconcilers_.end() && found->second->session().uid() == uid) {
    return *found->second;
  }
  if (found != reconcilers_.end()) {  // deleted and created again
    ports_.ledger.Append(store::Forgotten{found->second->session().uid()});
  }
  auto made = MakeReconciler(autoscaler);
  return *reconcilers_.insert_or_assign(autoscaler.reference(), std::move(made)).first->second;
}

std::unique_ptr<session::Reconciler> Reconcilers::MakeReconciler(
    const api::Autoscaler& autoscaler) const {
  if (autoscaler.is_policy()) {
    return std::make_unique<PolicyReconciler>(watches_, ports_, options_.sessions, autoscaler);
  }
  return std::make_unique<hpa::HpaReconciler>(around_hpas_, autoscaler);
}

std::optional<session::Progress> Reconcilers::Forget(const api::ObjectReference& key,
                                                     const api::Autoscaler* present) {
  slots_.Leave(key);
  freshness_.Forget(key);
  others_.Forget(key.key());
  std::unique_ptr<session::Reconciler> reconciler;
  {
    const std::lock_guard lock(mutex_);
    const auto found = reconcilers_.find(key);
    if (found == reconcilers_.end()) {
      return std::nullopt;
    }
    reconciler = std::move(found->second);
    reconcilers_.erase(found);
  }
  session::Session& session = reconciler->session();
  if (present != nullptr && present->metadata.uid == session.uid()) {
    session.NoteEdits(*present);  // its mode is `ignore` from now on
  }
  ports_.ledger.Append(store::Forgotten{session.uid()});
  auto write = reconciler->Forget();
  return write ? std::optional<session::Progress>(*std::move(write)) : std::nullopt;
}

}  // namespace ballast::controllers
