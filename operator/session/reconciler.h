// One autoscaler, evaluated as its kind is served.
//
// Thread-safety: one thread at a time.
// Errors: as Session.
#pragma once

#include <optional>
#include <utility>

#include "api/autoscaling/types.h"
#include "operator/session/ports.h"
#include "operator/session/requests.h"
#include "operator/session/session.h"
#include "operator/session/session_options.h"

namespace ballast::session {

class Reconciler {
 public:
  // As Session::Session.
  Reconciler(const Ports& ports, const SessionOptions& options, const api::Autoscaler& autoscaler,
             Session::OnDecision on_decision = {})
      : session_(ports, options, autoscaler, std::move(on_decision)) {}
  virtual ~Reconciler() = default;

  Session& session() { return session_; }

  // Begins an evaluation with what was read. If it needs more than that, because nothing was yet,
  // or the autoscaler was edited or is served otherwise by now, asks for it.
  virtual Progress Begin(Session::AutoscalerPointer autoscaler, const MetricsAnswer& answer) = 0;
  // Continues with the answer to the write that the evaluation has asked for.
  virtual Progress Resume(const Answer& answer) { return session_.Resume(answer); }
  // The autoscaler is gone or ignored: the write that removes what is remembered of it elsewhere.
  virtual std::optional<WriteStatus> Forget() { return std::nullopt; }

 protected:
  // Whether that was read, and for the autoscaler as it is.
  static bool Has(const MetricsAnswer& answer, const FetchMetrics& needed);

 private:
  Session session_;
};

}  // namespace ballast::session
