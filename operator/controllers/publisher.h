// What a policy's users are told of its evaluations: status, events, log.
//
// Thread-safety: belongs to one policy and is used by one thread at a time. Failure modes: a status
// that could not be written is offered again at the next evaluation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/decision/decision.h"
#include "operator/controllers/attempt.h"
#include "operator/controllers/ports.h"
#include "operator/controllers/requests.h"
#include "operator/controllers/status_report.h"

namespace ballast::controllers {

// Why a policy is not evaluated.
struct Refusal {
  std::string condition;  // that says so; empty: Ready alone does
  std::string reason;
  std::string message;
};

class Publisher {
 public:
  // `ports` must outlive this. `stored`: what the API server has.
  Publisher(const Ports& ports, const api::AutoscalerStatus& stored)
      : ports_(ports), report_(stored) {}

  // The policy was read: its version, and whose memory its status has.
  void Read(const std::optional<std::string>& version, const std::optional<std::string>& writer);

  void Emit(const api::Autoscaler& policy, const std::vector<engine::Event>& events);
  // An evaluation came to that problem; empty: to none. Logs it where the log has another.
  void Evaluated(const api::Autoscaler& policy, const std::string& problem);
  void Refused(const api::Autoscaler& policy, const Refusal& refusal);
  // A write of the scale ended.
  void Scaled(const Attempt& attempt, const engine::Outcome& outcome);

  // The status to write now, if any; Answered() is called next. `memory` goes into it; without one
  // the status memory stays as it is.
  std::optional<WriteStatus> Report(const api::Autoscaler& policy,
                                    const api::AutoscalerStatus& status,
                                    const std::optional<StatusMemory>& memory);
  void Answered(const api::Autoscaler& policy, const StatusAnswer& answer);

  // Of the last evaluation; empty: it had none.
  const std::string& problem() const { return problem_; }

 private:
  template <typename Log>
  void LogOnce(Log log);

  const Ports& ports_;
  StatusReport report_;
  std::optional<LastDecision> last_decision_;
  std::string problem_;
  std::string logged_problem_;
  std::string version_;  // the policy's, as last written or read: the watch may be behind
};

}  // namespace ballast::controllers
