#include "operator/controllers/controller.h"

#include <exception>

#include "operator/controllers/turn.h"
#include "operator/runtime/log.h"

namespace ballast::controllers {

Controller::Controller(Fleet& fleet, Reconciler& reconciler, runtime::Clock& clock)
    : fleet_(fleet), reconciler_(reconciler), clock_(clock), queue_(clock) {
  fleet_.policies.AddHandler([this](const auto& change) { OnPolicy(change); });
  fleet_.hpas.AddHandler([this](const auto& change) { OnHpa(change); });
}

void Controller::Start(int workers) {
  running_ = true;
  for (const AutoscalerPointer& policy : fleet_.policies.List()) {
    queue_.AddAfter(policy->key(),
                    std::chrono::nanoseconds(reconciler_.FirstDelay(*policy).nanoseconds));
  }
  for (int i = 0; i < workers; ++i) {
    workers_.emplace_back([this] { Work(); });
  }
}

void Controller::Stop() {
  queue_.Drain();
  workers_.clear();
}

void Controller::OnPolicy(const runtime::Informer<api::Autoscaler>::Change& change) {
  if (!running_) {
    return;
  }
  const bool edited = change.before == nullptr || change.after == nullptr ||
                      change.before->metadata.generation != change.after->metadata.generation;
  if (!edited) {
    return;  // our own status
  }
  queue_.Add(change.key);
  if (change.before != nullptr) {
    EvaluateSharers(*change.before);
  }
  if (change.after != nullptr) {
    EvaluateSharers(*change.after);
  }
}

void Controller::OnHpa(const runtime::Informer<api::Autoscaler>::Change& change) {
  if (!running_) {
    return;
  }
  if (change.before != nullptr && change.after != nullptr &&
      SameTarget(*change.before, *change.after)) {
    return;
  }
  if (change.before != nullptr) {
    EvaluateSharers(*change.before);
  }
  if (change.after != nullptr) {
    EvaluateSharers(*change.after);
  }
}

void Controller::EvaluateSharers(const api::Autoscaler& autoscaler) {
  for (const AutoscalerPointer& policy : fleet_.PoliciesOf(autoscaler)) {
    if (policy->metadata.uid != autoscaler.metadata.uid) {
      queue_.Add(policy->key());
    }
  }
}

void Controller::Work() {
  while (const auto key = queue_.Get()) {
    try {
      Evaluate(*key);
      queue_.Forget(*key);
    } catch (const std::exception& problem) {
      // A defect, but of this policy alone: it is tried again, less and less often.
      log::Error("an evaluation broke off", {{"policy", key->Print()}, {"error", problem.what()}});
      queue_.AddRateLimited(*key);
    }
    queue_.Done(*key);
  }
}

void Controller::Evaluate(const api::ObjectKey& key) {
  const runtime::SteadyTime started = clock_.Steady();
  if (const auto period = reconciler_.Reconcile(key)) {
    queue_.AddAfter(key, NextTurn(key, *period, started) - clock_.Steady());
  } else {
    queue_.Remove(key);
  }
}

}  // namespace ballast::controllers
