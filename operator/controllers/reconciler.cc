#include "operator/controllers/reconciler.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "api/autoscaling/condition_types.h"
#include "api/autoscaling/types.h"
#include "api/autoscaling/validation.h"
#include "operator/cluster/conflicts.h"
#include "operator/cluster/overrides.h"
#include "operator/controllers/evaluation_record.h"
#include "operator/controllers/hpa/manage_blocker.h"
#include "operator/controllers/hpa/status_marks.h"
#include "operator/controllers/intent_recovery.h"
#include "operator/controllers/own_annotations.h"
#include "operator/controllers/sample_moments.h"

namespace ballast::controllers {
namespace {

std::string ObstacleToPolicy(const api::Autoscaler& policy, const cluster::Watches& watches) {
  if (const auto conflict = cluster::FindConflict(policy, watches)) {
    return conflict->message;
  }
  const auto errors = api::ValidateSpec(policy);
  return errors.empty() ? "" : Print(errors.front());
}

std::string ObstacleToHpa(const api::Autoscaler& hpa, const SessionOptions& options) {
  if (const auto blocker = ManageBlockerOf(hpa, options)) {
    return blocker->message;
  }
  return OthersWrite(hpa) ? "Ballast does not manage it yet, or another controller is at work" : "";
}

// Whether that was read, and for the autoscaler as it is.
bool Has(const MetricsAnswer& answer, const FetchMetrics& needed) {
  const cluster::AutoscalerPointer& had = answer.request.autoscaler;
  const cluster::AutoscalerPointer& now = needed.autoscaler;
  const bool is_same = had == now || (had != nullptr && had->metadata.uid == now->metadata.uid &&
                                      GenerationOf(*had) == GenerationOf(*now));
  return is_same && (answer.request.metrics || !needed.metrics);
}

}  // namespace

void Reconciler::SettleAbandoned() {
  IntentRecovery(ports_.ledger, ports_.scale, ports_.clock)
      .SettleAbandoned([this](const store::Subject& subject) {
        const cluster::AutoscalerPointer served =
            watches_.Find({subject.kind, subject.key.namespace_, subject.key.name});
        return served != nullptr && served->metadata.uid == subject.uid && Serves(*served);
      });
}

bool Reconciler::Serves(const api::Autoscaler& autoscaler) const {
  return options_.ModeOf(autoscaler).kind != api::ServingMode::Kind::kIgnore;
}

std::string Reconciler::ObstacleTo(const api::ObjectReference& name) const {
  const cluster::AutoscalerPointer autoscaler = watches_.Find(name);
  if (autoscaler == nullptr) {
    return "there is no " + name.kind + " " + name.name + " in this namespace";
  }
  const api::ServingMode& mode = options_.ModeOf(*autoscaler);
  if (!mode.writes_scale) {
    return "the mode of " + name.kind + " " + name.name + " is " + std::string(mode.name);
  }
  return autoscaler->is_policy() ? ObstacleToPolicy(*autoscaler, watches_)
                                 : ObstacleToHpa(*autoscaler, options_);
}

std::vector<cluster::AutoscalerPointer> Reconciler::Served() const {
  std::vector<cluster::AutoscalerPointer> served = watches_.policies.List();
  const auto hpas = watches_.hpas.List();
  std::ranges::copy_if(hpas, std::back_inserter(served),
                       [this](const auto& hpa) { return Serves(*hpa) || IsMarked(*hpa); });
  return served;
}

std::map<std::vector<std::string>, double> Reconciler::CountConditions() const {
  const std::vector<cluster::AutoscalerPointer> served = Served();
  // Views, because there are thousands of conditions, but few different ones.
  std::map<std::array<std::string_view, 4>, double> seen;
  for (const cluster::AutoscalerPointer& autoscaler : served) {
    const std::string_view mode = options_.ModeOf(*autoscaler).name;
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

std::optional<Progress> Reconciler::Begin(const api::ObjectReference& key,
                                          const MetricsAnswer& answer) {
  const cluster::AutoscalerPointer autoscaler = watches_.Find(key);
  if (autoscaler == nullptr || (!Serves(*autoscaler) && !IsMarked(*autoscaler))) {
    Forget(key, autoscaler.get());
    return std::nullopt;
  }
  if (IsOutOfDate(*autoscaler)) {
    return SessionOf(*autoscaler).Pass(*autoscaler);
  }
  return autoscaler->is_policy() ? BeginPolicy(autoscaler, answer) : BeginHpa(autoscaler, answer);
}

Progress Reconciler::BeginPolicy(const cluster::AutoscalerPointer& policy,
                                 const MetricsAnswer& answer) {
  const auto conflict = cluster::FindConflict(*policy, watches_);
  // The scale is for the status of one that is refused.
  FetchMetrics needed{policy, options_.PeriodOf(*policy), !conflict};
  if (!Has(answer, needed)) {
    return needed;
  }
  Session& session = SessionOf(*policy);
  if (conflict) {
    return session.Refuse(policy, {api::kConflicted, conflict->reason, conflict->message}, answer);
  }
  if (const auto errors = api::ValidateSpec(*policy); !errors.empty()) {
    return session.Refuse(
        policy, {"", api::kInvalidSpec, errors.front().field + ": " + errors.front().message},
        answer);
  }
  return session.Evaluate(policy, answer);
}

Progress Reconciler::BeginHpa(const cluster::AutoscalerPointer& hpa, const MetricsAnswer& answer) {
  Session& session = SessionOf(*hpa);
  // An observer knows the scale by the HPA's status, and a claim has to read it.
  if (options_.ModeOf(*hpa).evaluates) {
    FetchMetrics needed{hpa, options_.PeriodOf(*hpa), session.asks_for_metrics(*hpa)};
    if (!Has(answer, needed)) {
      return needed;
    }
  }
  const auto find = [&](std::int32_t size, Time since) {
    return watches_.LastRescale(*hpa, size, since);
  };
  others_.See(*hpa, process::ReadBoth(ports_.clock));
  return session.Serve(hpa, ManageBlockerOf(*hpa, options_), find, others_, answer);
}

Answer Reconciler::CarryOut(const Request& write) {
  if (const auto* scale = std::get_if<WriteScale>(&write)) {
    if (const auto reason = Overtaken(*scale->snapshot)) {
      return NotSent(*reason, ports_.clock.Steady());
    }
    return ports_.scale.Write(*scale);
  }
  return ports_.autoscaler.Write(std::get<WriteStatus>(write));
}

bool Reconciler::IsOutOfDate(const api::Autoscaler& autoscaler) {
  return options_.ModeOf(autoscaler).reports && !freshness_.IsCurrent(autoscaler);
}

std::vector<engine::ScheduleWindow> Reconciler::OpenOverridesOf(const api::Autoscaler& autoscaler,
                                                                Time now) const {
  return cluster::OpenWindowsOf(watches_.OverridesOf(autoscaler, now), now);
}

std::optional<std::string> Reconciler::Overtaken(const engine::Snapshot& snapshot) const {
  const api::Autoscaler& decided = snapshot.autoscaler;
  const cluster::AutoscalerPointer now = watches_.Find(decided.reference());
  if (now == nullptr || now->metadata.uid != decided.metadata.uid) {
    return "it was deleted meanwhile";
  }
  if (GenerationOf(*now) != GenerationOf(decided)) {
    return "it was edited meanwhile";
  }
  if (!SameOwnAnnotations(now->metadata, decided.metadata)) {
    return "its annotations were edited meanwhile";
  }
  const Time time = ports_.clock.Now();
  if (!cluster::SameOverrides(OpenOverridesOf(*now, time), snapshot.overrides, time)) {
    return "its overrides were changed meanwhile";
  }
  if (!now->is_policy()) {
    return OthersWrite(*now) ? std::optional<std::string>("another controller is at work")
                             : std::nullopt;
  }
  if (const auto conflict = cluster::FindConflict(*now, watches_)) {
    return conflict->message;
  }
  return std::nullopt;
}

std::optional<Progress> Reconciler::Resume(const api::ObjectReference& key, const Answer& answer) {
  if (const auto* metrics = std::get_if<MetricsAnswer>(&answer)) {
    return Begin(key, *metrics);
  }
  Session* session = nullptr;
  {
    const std::lock_guard lock(mutex_);
    session = sessions_.at(key).get();  // kept until its evaluation has ended
  }
  if (const auto* status = std::get_if<StatusAnswer>(&answer)) {
    freshness_.Answered(key, session->uid(), *status);
  }
  return session->Resume(answer);
}

Duration Reconciler::FirstDelay(const api::Autoscaler& autoscaler) {
  const Time now = ports_.clock.Now();
  if (!OpenOverridesOf(autoscaler, now).empty()) {
    return {};
  }
  return SessionOf(autoscaler).FirstDelay(autoscaler, [&](Duration period) {
    return slots_.NextRun(autoscaler.reference(), period, ports_.clock.Steady());
  });
}

process::SteadyTime Reconciler::NextRun(const api::ObjectReference& key, Duration period,
                                        process::SteadyTime now) {
  if (const auto rhythm = pod_metrics_rhythm_()) {
    const cluster::AutoscalerPointer autoscaler = watches_.Find(key);
    if (autoscaler != nullptr && TakesPodMetrics(autoscaler->spec)) {
      if (const auto next = NextBehindSamples(*autoscaler, *rhythm, period, now)) {
        return *next;
      }
    }
  }
  return slots_.NextRun(key, period, now);
}

Session& Reconciler::SessionOf(const api::Autoscaler& autoscaler) {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(autoscaler.reference());
  if (found != sessions_.end() && found->second->uid() == autoscaler.metadata.uid) {
    return *found->second;
  }
  if (found != sessions_.end()) {
    ports_.ledger.Append(store::Forgotten{found->second->uid()});  // deleted and created again
  }
  auto session = std::make_unique<Session>(ports_, options_, autoscaler);
  return *sessions_.insert_or_assign(autoscaler.reference(), std::move(session)).first->second;
}

void Reconciler::Forget(const api::ObjectReference& key, const api::Autoscaler* present) {
  slots_.Leave(key);
  freshness_.Forget(key);
  others_.Forget(key.key());
  std::unique_ptr<Session> session;
  {
    const std::lock_guard lock(mutex_);
    const auto found = sessions_.find(key);
    if (found == sessions_.end()) {
      return;
    }
    session = std::move(found->second);
    sessions_.erase(found);
  }
  if (present != nullptr && present->metadata.uid == session->uid()) {
    session->NoteEdits(*present);  // its mode is `ignore` from now on
  }
  ports_.ledger.Append(store::Forgotten{session->uid()});
  if (session->has_managed()) {
    ports_.autoscaler.Forget(key.key());
  }
}

}  // namespace ballast::controllers
