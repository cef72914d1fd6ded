// Reports an autoscaler's evaluations to its users: status, events, log.
//
// Thread-safety: belongs to one autoscaler; one thread at a time.
// Errors: none; a status that could not be written is logged, and offered again at the next
// evaluation, or a minute later if the API server refused it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/decision/decision.h"
#include "operator/engine/refusal.h"
#include "operator/session/attempt.h"
#include "operator/session/ports.h"
#include "operator/session/requests.h"
#include "operator/session/status_report.h"

namespace ballast::session {

class Publisher {
 public:
  // `ports` must outlive the Publisher. `stored`: the status that the API server has.
  Publisher(const Ports& ports, const api::AutoscalerSpec& spec,
            const api::AutoscalerStatus& stored)
      : ports_(ports), report_(spec, stored) {}

  // The autoscaler was read from the API server: its version, and the writer of its status memory.
  void Read(const std::optional<std::string>& version, const std::optional<std::string>& writer);

  void Emit(const api::Autoscaler& autoscaler, const std::vector<engine::Event>& events);
  // An evaluation ended with that problem; empty: with none. Logs it if it is not the logged one.
  void Evaluated(const api::Autoscaler& autoscaler, const std::string& problem);
  void Refused(const api::Autoscaler& autoscaler, const engine::Refusal& refusal);
  // An attempt to write the scale has ended.
  void Scaled(const Attempt& attempt, const engine::Outcome& outcome);

  // The status to write now, if any; call Answered() with the answer. `memory` becomes the status
  // memory; without it the present one stays.
  std::optional<WriteStatus> Report(const api::Autoscaler& autoscaler,
                                    const api::AutoscalerStatus& status,
                                    const std::optional<StatusMemory>& memory,
                                    const engine::Tolerances& tolerances);
  void Answered(const api::Autoscaler& autoscaler, const StatusAnswer& answer);
  // The same for a part of the status that Report() did not make.
  void Marked(const api::Autoscaler& hpa, const StatusAnswer& answer);
  // The API server has this object, whose status others may have written.
  void StartAnew(const api::Autoscaler& stored) {
    report_ = StatusReport(stored.spec, stored.status);
  }

  // The autoscaler's resource version, as last written or read; the watch may be behind.
  const std::string& version() const { return version_; }

  // The last evaluation's; empty: it had none.
  const std::string& problem() const { return problem_; }

 private:
  template <typename Log>
  void LogOnce(Log log);

  const Ports& ports_;
  StatusReport report_;
  std::optional<LastDecision> last_decision_;
  std::string problem_;
  std::string logged_problem_;
  std::string version_;
};

}  // namespace ballast::session
