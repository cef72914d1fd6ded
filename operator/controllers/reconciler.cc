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

bool Reconciler::Prepare(const api::ObjectReference& key, const std::function<void()>& done) {
  const cluster::AutoscalerPointer autoscaler = watches_.Find(key);
  if (autoscaler == nullptr) {
    return true;
  }
  if (IsOutOfDate(*autoscaler)) {
    return true;
  }
  if (!autoscaler->is_policy() && !options_.ModeOf(*autoscaler).evaluates) {
    return true;  // an observer knows the scale by the HPA's status
  }
  // The target is read also where nothing is decided: by a policy that is refused or whose mode
  // says so, and by a claim.
  const bool evaluates = autoscaler->is_policy()
                             ? !cluster::FindConflict(*autoscaler, watches_).has_value()
                             : SessionOf(*autoscaler).asks_for_metrics(*autoscaler);
  if (!evaluates) {
    return ports_.source.PrepareScale(autoscaler, done);
  }
  return ports_.source.Prepare(autoscaler, options_.PeriodOf(*autoscaler), done);
}

std::optional<Progress> Reconciler::Begin(const api::ObjectReference& key) {
  const cluster::AutoscalerPointer autoscaler = watches_.Find(key);
  if (autoscaler == nullptr || (!Serves(*autoscaler) && !IsMarked(*autoscaler))) {
    Forget(key, autoscaler.get());
    return std::nullopt;
  }
  Session& session = SessionOf(*autoscaler);
  if (IsOutOfDate(*autoscaler)) {
    return session.Pass(*autoscaler);
  }
  if (!autoscaler->is_policy()) {
    return BeginHpa(autoscaler, session);
  }
  if (const auto conflict = cluster::FindConflict(*autoscaler, watches_)) {
    return session.Refuse(autoscaler, {api::kConflicted, conflict->reason, conflict->message});
  }
  if (const auto errors = api::ValidateSpec(*autoscaler); !errors.empty()) {
    return session.Refuse(
        autoscaler, {"", api::kInvalidSpec, errors.front().field + ": " + errors.front().message});
  }
  return session.Evaluate(autoscaler);
}

Answer Reconciler::CarryOut(const Request& request) {
  if (const auto* scale = std::get_if<WriteScale>(&request)) {
    if (const auto reason = Overtaken(*scale->snapshot)) {
      return NotSent(*reason, ports_.clock.Steady());
    }
    return ports_.scale.Write(*scale);
  }
  return ports_.autoscaler.Write(std::get<WriteStatus>(request));
}

bool Reconciler::IsOutOfDate(const api::Autoscaler& autoscaler) {
  return options_.ModeOf(autoscaler).reports && !freshness_.IsCurrent(autoscaler);
}

Progress Reconciler::BeginHpa(const cluster::AutoscalerPointer& hpa, Session& session) {
  const auto find = [&](std::int32_t size, Time since) {
    return watches_.LastRescale(*hpa, size, since);
  };
  others_.See(*hpa, process::ReadBoth(ports_.clock));
  return session.Serve(hpa, ManageBlockerOf(*hpa, options_), find, others_);
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

Progress Reconciler::Resume(const api::ObjectReference& key, const Answer& answer) {
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
  return SessionOf(autoscaler).FirstDelay(autoscaler, slots_);
}

process::SteadyTime Reconciler::NextRun(const api::ObjectReference& key, Duration period,
                                        process::SteadyTime now) {
  if (const auto rhythm = options_.pod_metrics_rhythm()) {
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
