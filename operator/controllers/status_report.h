// When a policy's status is written, and with what: at once when something worth telling changed
// (who remembers for it is such a thing), for the mere drift of metrics at most once a minute.
//
// Thread-safety: one StatusReport belongs to one policy and is used by one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "api/decision/step.h"
#include "operator/controllers/status_memory.h"
#include "operator/runtime/clock.h"

namespace ballast::controllers {

// The last decision that changed something.
struct LastDecision {
  std::int64_t id = 0;
  Time time;
  std::optional<engine::Rule> limit;  // the rule that set the count; absent: the metrics did
};

// The metrics against their targets, as `kubectl get` shows them ("cpu: 45%/60%, queue: 12/10").
std::string PrintTargets(const api::AutoscalerSpec& spec, const api::AutoscalerStatus& status);

class StatusReport {
 public:
  // `stored` is what the API server has.
  explicit StatusReport(const api::AutoscalerStatus& stored);

  // Whose memory the API server has; the first that is another's is worth telling at once.
  void StoredWriter(const std::string& writer) { writer_ = writer; }

  // The merge patch to send now, if any. `remembered` goes into status.memory; without one
  // that stays as it is. Call Sent() when it was accepted; if it was not, the next
  // call offers it again.
  std::optional<std::string> Due(const api::AutoscalerSpec& spec,
                                 const api::AutoscalerStatus& status,
                                 const std::optional<LastDecision>& last_decision,
                                 const std::optional<StatusMemory>& remembered,
                                 runtime::SteadyTime now);
  void Sent(runtime::SteadyTime now);

 private:
  std::string telling_;                // the part worth telling at once, as last sent
  std::string all_;                    // the whole patch, as last sent
  std::optional<std::string> writer_;  // of what the API server has; absent: not known
  std::string offered_telling_;
  std::string offered_all_;
  std::optional<std::string> offered_writer_;
  runtime::SteadyTime sent_at_{};
};

}  // namespace ballast::controllers
