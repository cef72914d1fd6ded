#include "operator/controllers/reconciler.h"

#include "api/autoscaling/condition_types.h"
#include "api/autoscaling/validation.h"
#include "operator/cluster/conflicts.h"
#include "operator/controllers/intent_recovery.h"

namespace ballast::controllers {

void Reconciler::SettleOthers() {
  IntentRecovery(ports_.ledger, ports_.scale, ports_.clock)
      .SettleOthers([this](const store::Subject& subject) {
        const cluster::AutoscalerPointer policy = watches_.policies.Get(subject.key);
        return policy != nullptr && policy->metadata.uid == subject.uid;
      });
}

std::optional<Progress> Reconciler::Begin(const api::ObjectKey& key) {
  const cluster::AutoscalerPointer policy = watches_.policies.Get(key);
  if (policy == nullptr) {
    Forget(key);
    return std::nullopt;
  }
  Session& session = SessionOf(*policy);
  if (const auto conflict = cluster::FindConflict(*policy, watches_)) {
    return session.Refuse(policy, {api::kConflicted, conflict->reason, conflict->message});
  }
  if (const auto errors = api::ValidateSpec(*policy); !errors.empty()) {
    return session.Refuse(
        policy, {"", api::kInvalidSpec, errors.front().field + ": " + errors.front().message});
  }
  return session.Evaluate(policy);
}

Progress Reconciler::Resume(const api::ObjectKey& key, const Answer& answer) {
  Session* session = nullptr;
  {
    const std::lock_guard lock(mutex_);
    session = sessions_.at(key).get();  // kept until its evaluation has ended
  }
  return session->Resume(answer);
}

Duration Reconciler::FirstDelay(const api::Autoscaler& policy) {
  return SessionOf(policy).FirstDelay(policy);
}

Session& Reconciler::SessionOf(const api::Autoscaler& policy) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Session>& session = sessions_[policy.key()];
  if (session != nullptr && session->uid() != policy.metadata.uid) {
    ports_.ledger.Append(store::Forgotten{session->uid()});  // deleted and created again
    session = nullptr;
  }
  if (session == nullptr) {
    session = std::make_unique<Session>(ports_, options_, policy);
  }
  return *session;
}

void Reconciler::Forget(const api::ObjectKey& key) {
  const std::lock_guard lock(mutex_);
  if (const auto found = sessions_.find(key); found != sessions_.end()) {
    ports_.ledger.Append(store::Forgotten{found->second->uid()});
    sessions_.erase(found);
  }
}

telemetry::Shown<telemetry::AttemptInside> Reconciler::Inside() const {
  telemetry::Shown<telemetry::AttemptInside> inside;
  const std::lock_guard lock(mutex_);
  for (const auto& [key, session] : sessions_) {
    session->attempts().Print(key.Print(), inside);
  }
  return inside;
}

}  // namespace ballast::controllers
