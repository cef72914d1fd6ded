// A session's (session.h) view of the world: interfaces that are as small as what it needs.
// cluster_ports.h and gather.h implement them for the operator; tests bring their own.
//
// Thread-safety: implementations may be called from any thread, but for one autoscaler by one
// thread at a time. Calls may take seconds, but each must return by itself.
// Errors: in the results; a failed write of a scale is an Outcome.
#pragma once

#include <chrono>
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

// Writes the scale of an autoscaler's target.
class ScalePort {
 public:
  virtual ~ScalePort() = default;
  // Sends the write once, without retries. If its outcome is not known then, reads the scale.
  virtual ScaleAnswer Write(const WriteScale& request) = 0;
  // Whether this process has sent one to the target with that uid, at `since` or later, for another
  // autoscaler than the one with that uid: all are one field manager.
  virtual bool SentForAnother(const std::string& target, const std::string& autoscaler,
                              process::SteadyTime since) const = 0;
};

// Writes the autoscaler itself.
class AutoscalerPort {
 public:
  virtual ~AutoscalerPort() = default;
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
