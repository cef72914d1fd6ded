// What a session (session.h) knows of the world: everything outside of it, behind interfaces as
// small as what it asks for. The operator's are cluster_ports.h and gather.h; a simulation brings
// its own.
//
// Thread-safety: implementations may be called by any thread; calls for one policy come one at a
// time. Calls may take seconds, but each ends by itself. Failure modes: Results.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "api/base/time.h"
#include "api/decision/decision.h"
#include "api/decision/snapshot.h"
#include "api/kubernetes/workload.h"
#include "operator/controllers/requests.h"
#include "operator/controllers/status_memory.h"
#include "operator/runtime/clock.h"
#include "store/ledger.h"

namespace ballast::controllers {

struct Gathered {
  engine::Snapshot snapshot;
  std::vector<std::chrono::duration<double>> asked;  // how long each of its metrics took to answer
  std::string slowest;                               // the one that took longest; empty: none
  std::vector<std::string> hpas;  // HorizontalPodAutoscalers that scale the same target
};

// Scales, pods, rivals and metrics.
class SnapshotSource {
 public:
  virtual ~SnapshotSource() = default;
  // The present, without the past: memory, status and clock are the session's.
  virtual Gathered Gather(const api::Autoscaler& policy, Time now) = 0;
};

// The scale of a policy's target.
class ScalePort {
 public:
  virtual ~ScalePort() = default;
  // As fresh as the watch.
  virtual Result<api::Scale> Read(const api::Autoscaler& policy) = 0;
  // Asked for after this call began. kNotFound: the target is gone.
  virtual Result<api::Scale> ReadLive(const api::Autoscaler& policy) = 0;
  // Who set its replicas, by the object's own managedFields; absent where that cannot be told.
  virtual std::optional<api::FieldManager> FindManager(const api::Autoscaler& policy) = 0;
  // Sends the write, once.
  virtual ScaleAnswer Write(const WriteScale& request) = 0;
};

// The policy itself.
class PolicyPort {
 public:
  virtual ~PolicyPort() = default;
  struct Stored {
    std::string version;
    Result<StatusMemory> memory;
  };
  // As the API server has it now.
  virtual Result<Stored> Read(const api::ObjectKey& policy) = 0;
  virtual StatusAnswer Write(const WriteStatus& request) = 0;
};

// All must outlive the sessions.
struct Ports {
  const runtime::Clock& clock;
  SnapshotSource& source;
  ScalePort& scale;
  PolicyPort& policy;
  store::Ledger& ledger;
  // Emits a Kubernetes event about the policy. Returns at once.
  std::function<void(const api::Autoscaler&, const engine::Event&)> emit;
};

inline Answer CarryOut(const Request& request, const Ports& ports) {
  if (const auto* scale = std::get_if<WriteScale>(&request)) {
    return ports.scale.Write(*scale);
  }
  return ports.policy.Write(std::get<WriteStatus>(request));
}

}  // namespace ballast::controllers
