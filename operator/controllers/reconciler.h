// The policies' sessions (session.h), by name: begins the evaluation of each, unless another
// autoscaler has its target or its spec is wrong, and forgets those that are gone.
//
// Thread-safety: any thread, but one policy by one thread at a time, from Begin until it has ended
// (the work queue sees to that). Failure modes: those of Session; one policy's never stop others.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "api/base/time.h"
#include "api/kubernetes/meta.h"
#include "operator/cluster/watches.h"
#include "operator/controllers/ports.h"
#include "operator/controllers/requests.h"
#include "operator/controllers/session.h"
#include "operator/controllers/session_options.h"
#include "operator/telemetry/inside.h"

namespace ballast::controllers {

class Reconciler {
 public:
  // `watches` and what `ports` names must outlive this.
  Reconciler(const cluster::Watches& watches, const Ports& ports, SessionOptions options = {})
      : watches_(watches), ports_(ports), options_(std::move(options)) {}

  // Call once, before the first evaluation: what earlier runs left without an outcome, of policies
  // that are no more.
  void SettleOthers();

  // Begins an evaluation of the policy; nullopt: it is gone, and forgotten.
  std::optional<Progress> Begin(const api::ObjectKey& key);
  // Carries out what an evaluation was left with.
  Answer CarryOut(const Request& request) { return controllers::CarryOut(request, ports_); }
  // Goes on with an evaluation.
  Progress Resume(const api::ObjectKey& key, const Answer& answer);

  // As Session::FirstDelay.
  Duration FirstDelay(const api::Autoscaler& policy);

  // The attempts under way: sent, or about to be, and not settled.
  telemetry::Shown<telemetry::AttemptInside> Inside() const;

 private:
  Session& SessionOf(const api::Autoscaler& policy);
  void Forget(const api::ObjectKey& key);

  const cluster::Watches& watches_;
  const Ports ports_;
  const SessionOptions options_;
  mutable std::mutex mutex_;  // guards: which sessions there are
  std::map<api::ObjectKey, std::unique_ptr<Session>> sessions_;
};

}  // namespace ballast::controllers
