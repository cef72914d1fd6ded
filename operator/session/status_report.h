// Decides when the status of a policy or a managed HPA is written, and with what: at once after a
// significant change (including one of the status memory's writer), at most once a minute for the
// status memory alone, at most once in ten minutes for a metric that moved by more than its
// tolerance since the last write, and likewise for a failure, or a problem of the store, that is
// only worded differently: others chose the words, and a running number in them must not be a write
// at each evaluation.
//
// What comes and goes is no news after a while: conditions that were told three times, each within
// ten minutes of the one before and whatever their messages, wait until a minute has passed since
// the last write. Nothing is written for a minute after the API server refused a status: it would
// do so again. After one that was lost the next is due at once, whatever it says: nobody knows
// which of them the API server has.
//
// Thread-safety: belongs to one autoscaler; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "api/decision/step.h"
#include "operator/engine/metric/tolerance.h"
#include "operator/process/clock.h"
#include "operator/session/status_memory.h"

namespace ballast::session {

// The last decision that changed the replicas.
struct LastDecision {
  std::int64_t id = 0;
  Time time;
  std::optional<engine::Rule> limit;  // the rule that set the count; absent: the metrics did
};

// The metrics against their targets, for `kubectl get` ("cpu: 45%/60%, queue: 12/10").
std::string PrintTargets(const api::AutoscalerSpec& spec, const api::AutoscalerStatus& status);

class StatusReport {
 public:
  // `stored`: the status that the API server has.
  StatusReport(const api::AutoscalerSpec& spec, const api::AutoscalerStatus& stored);

  // The writer of the status memory that the API server has. If it is another one, the next status
  // is due at once.
  void StoredWriter(const std::string& writer);

  struct Patch {
    std::string status;                 // a merge patch
    std::optional<std::string> memory;  // an HPA's (controllers/memory_object.h)
  };
  // What to send now, if anything. `remembered` becomes the status memory; without it the present
  // one stays. Call Sent() once it was accepted, Refused() if the same one never will be, and
  // Lost() if nobody knows; otherwise the next call returns it again.
  std::optional<Patch> Due(const api::Autoscaler& autoscaler, const api::AutoscalerStatus& status,
                           const std::optional<LastDecision>& last_decision,
                           const std::optional<StatusMemory>& remembered,
                           const engine::Tolerances& tolerances, process::SteadyTime now);
  // `remembered`: the HPA's memory was written as well; else it is offered again in a minute.
  void Sent(process::SteadyTime now, bool remembered = true);
  void Refused(process::SteadyTime now) { refused_at_ = now; }
  void Lost();

 private:
  // What decides whether a status is due. Of texts only hashes, because there are thousands of
  // reports; that two different ones are equal is too rare to matter.
  struct Content {
    std::optional<std::size_t>
        facts;                       // the significant part without the conditions; absent: unknown
    std::size_t conditions = 0;      // without how failures are worded
    std::size_t condition_kind = 0;  // the same, whatever the messages
    std::size_t failures = 0;        // how they are worded
    std::size_t failure_kind = 0;    // the same, whatever the numbers in it
    // The status memory without its writer; absent: unknown.
    std::optional<std::size_t> memory;
    std::optional<std::size_t> writer;  // the status memory's; absent: unknown
    std::vector<double> ratios;         // of each metric to its target; NaN: it has no value
  };

  // All but memory and writer.
  static Content ContentOf(const api::AutoscalerSpec& spec, const api::AutoscalerStatus& status);
  // How often that kind was told of late.
  int Told(std::size_t kind, process::SteadyTime now) const;
  void Tell(std::size_t kind, process::SteadyTime now);

  Content sent_;  // what the API server has
  Content offered_;
  process::SteadyTime sent_at_{};
  std::optional<process::SteadyTime> refused_at_;
  struct Telling {
    process::SteadyTime last;
    int times = 0;  // each soon after the one before
  };
  std::map<std::size_t, Telling> told_;  // kinds of failures, and of conditions that had changed
};

}  // namespace ballast::session
