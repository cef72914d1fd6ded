// Reads for an evaluation what the API server has now, where it asks for that, around what its
// source reads (gather.h). So no evaluation waits for such an answer, which may take as long as an
// API server that hangs: threads for each group of autoscalers and of targets do, where namespaces
// take turns.
//
// What has waited in line for longer than RequestPool::kLongestInLine is not read: the answer is
// the error that says so, which counts as any other.
//
// Thread-safety: any thread; the destructor as RequestPool's.
// Errors: in the answers. An exception while it was read is the answer's defect.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "api/kubernetes/workload.h"
#include "operator/process/clock.h"
#include "operator/session/ports.h"
#include "operator/session/requests.h"
#include "operator/sources/by_api.h"
#include "operator/sources/request_pool.h"

namespace ballast::controllers {

// Each waits for the API server.
struct LiveReads {
  template <typename T>
  using Read = std::function<T(const api::Autoscaler&)>;

  Read<Result<session::StoredAutoscaler>> stored;
  Read<session::LiveScale> live;
  Read<Result<api::Scale>> managed;
};

class LiveReader final : public session::SourceDecorator {
 public:
  // The arguments must outlive the LiveReader, and so must what `reads` uses.
  LiveReader(session::SnapshotSource& source, LiveReads reads, const process::Clock& clock)
      : SourceDecorator(source),
        reads_(std::move(reads)),
        clock_(clock),
        autoscaler_pools_(clock),
        target_pools_(clock) {}

  void Start(const session::FetchMetrics& request, Done done) override;

 private:
  using Pools = sources::ByApi<sources::RequestPool>;  // by groups
  struct LiveReading {
    session::MetricsAnswer answer;  // as far as it is read
    Done done;
    bool gathered = false;  // its source has read
  };
  using ReadingPointer = std::shared_ptr<LiveReading>;

  // Reads what comes next, or tells what was read.
  void GoOn(const ReadingPointer& reading);
  // Has `read` add to the answer on one of the threads for that API, or `miss` if it has waited for
  // too long. `read` returns whether it got what it asked for.
  void Submit(Pools& pools, const std::string& api_version, const ReadingPointer& reading,
              std::function<bool(session::MetricsAnswer&)> read,
              std::function<void(session::MetricsAnswer&, const Error& why)> miss);

  const LiveReads reads_;
  const process::Clock& clock_;
  Pools autoscaler_pools_;  // these last: their threads use the rest
  Pools target_pools_;
};

}  // namespace ballast::controllers
