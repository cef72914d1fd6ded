// A session's (session.h) view of the world: interfaces that are as small as what it needs.
// cluster_ports.h and gather.h implement them for the operator; tests bring their own.
//
// Thread-safety: implementations may be called from any thread, but for one autoscaler by one
// thread at a time. Calls may take seconds, but each must return by itself.
// Errors: in the results; a failed write of a scale is an Outcome.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "api/base/time.h"
#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
#include "api/kubernetes/workload.h"
#include "operator/process/clock.h"
#include "operator/session/requests.h"
#include "operator/session/status_memory.h"
#include "store/ledger.h"

namespace ballast::session {

// What was seen of the target. Its SnapshotSource knows more of one that has a scale.
struct SeenTarget {
  explicit SeenTarget(Result<api::Scale> seen) : scale(std::move(seen)) {}
  virtual ~SeenTarget() = default;

  Result<api::Scale> scale;
};
using TargetPointer = std::shared_ptr<const SeenTarget>;  // never null

// What is not part of the snapshot.
struct Gathered {
  std::vector<std::chrono::duration<double>> asked;  // how long each of its metrics took
  std::string slowest;                               // the metric that took longest; empty: none
  std::vector<std::string> hpas;  // HorizontalPodAutoscalers that scale the same target
};

// Reads scales, pods, rivals and metrics.
class SnapshotSource {
 public:
  using Done = std::function<void(MetricsAnswer)>;

  virtual ~SnapshotSource() = default;
  // Begins to read what the request asks for. `done` is called once: maybe on another thread, and
  // maybe before this returns.
  virtual void Start(const FetchMetrics& request, Done done) = 0;
  // The target as it is now. Waits for nothing.
  virtual TargetPointer TargetOf(const MetricsAnswer& answer) = 0;
  // Adds the present state of that target, and of all else, to `snapshot`: what is recalled of the
  // past, the time, and the answer's autoscaler as it is now, not edited since. Waits for nothing.
  virtual Gathered Gather(const MetricsAnswer& answer, const SeenTarget& target,
                          engine::Snapshot& snapshot) = 0;
};

// Has what another source gathers. What is to look at that, or to add to it, overrides Gather().
class SourceDecorator : public SnapshotSource {
 public:
  // `source` must outlive the SourceDecorator.
  explicit SourceDecorator(SnapshotSource& source) : source_(source) {}

  void Start(const FetchMetrics& request, Done done) override {
    source_.Start(request, std::move(done));
  }
  TargetPointer TargetOf(const MetricsAnswer& answer) override { return source_.TargetOf(answer); }
  Gathered Gather(const MetricsAnswer& answer, const SeenTarget& target,
                  engine::Snapshot& snapshot) override {
    return source_.Gather(answer, target, snapshot);
  }

 private:
  SnapshotSource& source_;
};

// The scale of an autoscaler's target.
class ScalePort {
 public:
  virtual ~ScalePort() = default;
  // From a GET sent after this call began. kNotFound: the target is gone.
  virtual Result<api::Scale> ReadLive(const api::Autoscaler& autoscaler) = 0;
  // Of the target itself, whose managedFields may say who last set the replicas.
  virtual Result<api::Scale> ReadManaged(const api::Autoscaler& autoscaler) = 0;
  // Who set the replicas of `scale`; absent: managedFields do not say, or must not be read.
  // kConflict: the target has another count by now.
  Result<std::optional<api::FieldManager>> WhoSet(const api::Autoscaler& autoscaler,
                                                  const api::Scale& scale) {
    const auto managed = ReadManaged(autoscaler);
    if (!managed.ok() && managed.error().code != Code::kForbidden) {
      return managed.error();
    }
    if (!managed.ok() || !managed->replicas_manager) {  // as of a kind that has them elsewhere
      return std::optional<api::FieldManager>();
    }
    if (managed->spec_replicas != scale.spec_replicas) {
      return Error{Code::kConflict, "its replicas were changed meanwhile"};
    }
    return managed->replicas_manager;
  }
  // The same, if it can be told.
  std::optional<api::FieldManager> ManagerOf(const api::Autoscaler& autoscaler,
                                             const api::Scale& scale) {
    const auto who = WhoSet(autoscaler, scale);
    return who.ok() ? *who : std::nullopt;
  }
  // Sends the write once, without retries.
  virtual ScaleAnswer Write(const WriteScale& request) = 0;
  // Whether this process has sent one to the target with that uid, at `since` or later, for another
  // autoscaler than the one with that uid: all are one field manager.
  virtual bool SentForAnother(const std::string& target, const std::string& autoscaler,
                              process::SteadyTime since) const = 0;
};

// The autoscaler itself.
class AutoscalerPort {
 public:
  virtual ~AutoscalerPort() = default;
  struct Stored {
    std::optional<std::string> version;  // absent: the autoscaler itself was not read
    std::int64_t generation = 0;         // the same: 0
    Result<StatusMemory> memory;
  };
  // Reads its status memory from the API server.
  virtual Result<Stored> Read(const api::Autoscaler& autoscaler) = 0;
  virtual StatusAnswer Write(const WriteStatus& request) = 0;
};

// All of them must outlive the sessions.
struct Ports {
  const process::Clock& clock;
  SnapshotSource& source;
  ScalePort& scale;
  AutoscalerPort& autoscaler;
  store::Ledger& ledger;
  // Records a Kubernetes event about the autoscaler. Does not block.
  std::function<void(const api::Autoscaler&, const engine::Event&)> emit;
};

}  // namespace ballast::session
