// What an evaluation waits for: it returns a Request, and continues with its Answer (session.h).
//
// Errors: in the answers.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "api/base/time.h"
#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
#include "api/kubernetes/meta.h"
#include "api/kubernetes/preconditions.h"
#include "api/kubernetes/workload.h"
#include "operator/process/clock.h"
#include "operator/session/status_memory.h"

namespace ballast::session {

// Reads what an evaluation would have to wait for: the scale of the target, the metrics, and what
// it seldom needs.
struct FetchMetrics {
  std::shared_ptr<const api::Autoscaler> autoscaler;
  Duration period;      // of its evaluations
  bool metrics = true;  // false: the scale alone, for one that is not evaluated
  // The scale is read from the API server, even if its watch has it: that may be refused, or hang.
  bool anew = false;
  // When its last evaluation had its answers: what others with the same period have been answered
  // since then serves, too. Absent: they share none.
  std::optional<process::SteadyTime> last = std::nullopt;
  // False: neither scale nor metrics are read, but only what follows.
  bool scale = true;
  // What the API server has stored of the autoscaler is read, before all else.
  bool stored = false;
  // These are read after all else. The live scale of the target of `live`, an autoscaler as it was
  // when it was attempted to write that scale; null: none is read. And the target itself, which may
  // say who set its replicas (who_set.h).
  std::shared_ptr<const api::Autoscaler> live = nullptr;
  bool managed = false;
};

// Writes the scale of the target; its intent is on record.
struct WriteScale {
  std::shared_ptr<const engine::Snapshot> snapshot;  // that led to it; never null
  api::ScaleChange change;
  engine::Bounds bounds;  // the decision's; a count outside of them is refused
};

// Writes the status of an autoscaler.
struct WriteStatus {
  api::ObjectReference autoscaler;
  api::ObjectVersion of;
  std::string merge_patch;  // {"status": {...}}; empty: only the memory is written
  // An HPA's memory, which its status has no place for (controllers/memory_object.h). Empty: it is
  // removed. Absent: unchanged, or part of the status.
  std::optional<std::string> memory = std::nullopt;
  // How long it waits in a burst of scales before it stands in line, for its autoscaler is
  // evaluated again when it is written. 0: not at all, as where an evaluation waits for it.
  Duration yields = {};
};

using Request = std::variant<FetchMetrics, WriteScale, WriteStatus>;

// What was read: its SnapshotSource (ports.h) knows more of it.
struct Fetched {
  virtual ~Fetched() = default;
};

// What the API server has stored of an autoscaler.
struct StoredAutoscaler {
  std::optional<std::string> version;  // absent: the autoscaler itself was not read
  std::int64_t generation = 0;         // the same: 0
  Result<StatusMemory> memory;
};

// The scale of a target as the API server has it.
struct LiveScale {
  process::SteadyTime asked;   // before it was
  Result<api::Scale> scale;    // kNotFound: the target is gone
  Result<api::Scale> managed;  // the target itself, read after that, as WhoSet (who_set.h) needs it
};

struct MetricsAnswer {
  FetchMetrics request;
  std::shared_ptr<Fetched> fetched;
  std::exception_ptr defect = nullptr;  // that was met while it was read: the rest does not count
  std::optional<Result<StoredAutoscaler>> stored = std::nullopt;  // if it was to be read
  std::optional<LiveScale> live = std::nullopt;                   // the same
  std::optional<Result<api::Scale>> managed = std::nullopt;       // the same
};

struct ScaleAnswer {
  // kWritten, or kFailed (refused, or not sent at all). Absent: it may have been written, now or
  // soon, and `lost` says why that is unknown.
  std::optional<engine::Outcome> outcome;
  std::string lost;
  process::SteadyTime sent;  // taken just before sending
  bool unsent = false;       // it was overtaken by an edit, or waited for too long: no failure
  std::optional<LiveScale> live = std::nullopt;  // if the outcome is absent: as read after that
};

// It was certainly not written, because of `message`.
inline ScaleAnswer NotWritten(std::string message, process::SteadyTime at) {
  return {.outcome = engine::Outcome{engine::Outcome::Kind::kFailed, std::move(message)},
          .sent = at};
}

// The same for one that was not sent, which is no failure.
inline ScaleAnswer NotSent(std::string why, process::SteadyTime at) {
  ScaleAnswer answer = NotWritten("not sent: " + std::move(why), at);
  answer.unsent = true;
  return answer;
}

// Whether a write that failed with `code` may have been carried out.
inline bool MayHaveHappened(Code code) {
  return code == Code::kTimeout || code == Code::kUnavailable || code == Code::kCorrupt ||
         code == Code::kInternal;
}

struct StatusAnswer {
  bool written = false;
  // The autoscaler's present version. kNotFound: it was deleted meanwhile.
  Result<std::string> version;
  bool remembered = true;  // the HPA's memory, if the request has one, was written
};

using Answer = std::variant<MetricsAnswer, ScaleAnswer, StatusAnswer>;

// The write was not sent.
inline Answer Refused(const Request& request, const std::string& why, process::SteadyTime at) {
  if (std::holds_alternative<WriteScale>(request)) {
    return NotSent(why, at);
  }
  return StatusAnswer{false, Error{Code::kUnavailable, "not sent: " + why}};
}

}  // namespace ballast::session
