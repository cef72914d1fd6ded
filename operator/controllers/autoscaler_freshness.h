// Whether the watches show autoscalers as they are now, as far as the operator can know: for one
// that may be deleted, paused or bound otherwise by now, nothing must be written.
//
// Two things speak against it. The API server refused a write, because the object has another
// version or is gone, and the watch does not show that. Or the watch has been silent for too long:
// the server hangs, or refuses it. Either is over as soon as the watch shows news, and what it does
// not show by itself is listed again, at most every half a minute for all objects of a kind. A
// watch that loses its connection right before each bookmark is silent too, so all are listed well
// before the silence is too long.
//
// Thread-safety: any thread.
// Errors: none; what speaks against a view is logged.
#pragma once

#include <mutex>
#include <string>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "api/kubernetes/by_reference.h"
#include "api/kubernetes/meta.h"
#include "operator/cluster/watches.h"
#include "operator/process/clock.h"
#include "operator/session/requests.h"

namespace ballast::controllers {

class AutoscalerFreshness {
 public:
  // `max_silence`: of a watch. The references must outlive the AutoscalerFreshness.
  AutoscalerFreshness(const cluster::Watches& watches, const process::Clock& clock,
                      Duration max_silence)
      : watches_(watches), clock_(clock), max_silence_(max_silence) {}

  // The API server answered a write for the autoscaler, which has this uid.
  void Answered(const api::ObjectReference& autoscaler, const std::string& uid,
                const session::StatusAnswer& answer);
  // What speaks against `seen`, which is what the watch has of the autoscaler, or against what it
  // has of those to which that may have to yield, or of its overrides; empty: nothing.
  std::string WhyOutOfDate(const api::Autoscaler& seen);
  // The autoscaler is gone.
  void Forget(const api::ObjectReference& autoscaler);

 private:
  using Watch = runtime::MultiNamespaceInformer<api::Autoscaler>;
  // What the API server said of an autoscaler.
  struct LiveVersion {
    std::string uid;
    std::string version;  // empty: it is gone
    process::SteadyTime at;
  };

  bool Contradicts(const LiveVersion& answer, const api::Autoscaler& seen,
                   const Watch& watch) const;
  bool IsContradicted(const api::Autoscaler& seen, const Watch& watch);
  bool IsSilent(const auto& watch, const std::string& namespace_) const;

  const cluster::Watches& watches_;
  const process::Clock& clock_;
  const Duration max_silence_;
  std::mutex mutex_;                       // guards: answers_
  api::ByReference<LiveVersion> answers_;  // that contradicted the watch
};

}  // namespace ballast::controllers
