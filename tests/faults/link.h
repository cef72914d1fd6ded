// A replica's connection to the model's API server: a Transport with latencies and faults. As the
// real one (operator/kube/http/connect.h) it sends a write once, asks for leave right before it,
// and does not tell what became of a request that got no answer.
//
// A request that is under way arrives even if its process is killed or stopped meanwhile: within
// four seconds, and the server is done with it within its `timeout=`, two thirds of the caller's.
//
// Thread-safety: one thread, many fibers.
// Errors: the Transport's.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <utility>

#include "operator/kube/transport.h"
#include "operator/process/clock.h"
#include "tests/faults/faults.h"

namespace ballast::faults {

class World;
class Process;

class Link final : public kube::Transport {
 public:
  using Leave = std::function<Result<process::SteadyTime>()>;

  // `stop`, `before_write`: see kube::ConnectOptions; null: anything may be written.
  Link(World& world, Process& process, std::stop_token stop, Leave before_write)
      : world_(world),
        process_(process),
        stop_(std::move(stop)),
        before_write_(std::move(before_write)) {}

  Result<kube::Response> Do(const kube::Request& request) override;
  Status Stream(const kube::Request& request, const kube::LineSink& sink,
                std::stop_token stop) override;

 private:
  Result<kube::Response> Send(const kube::Request& request, const std::string& phase);
  Nanoseconds Latency(const std::string& phase);
  // Whether its calls are aborted.
  bool Ending() const;
  Status Hang(const kube::Request& request, const std::stop_token& stop, const void* key);
  Status Follow(const kube::Request& request, const kube::LineSink& sink,
                const std::stop_token& stop, const void* key);

  World& world_;
  Process& process_;
  const std::stop_token stop_;
  const Leave before_write_;
};

}  // namespace ballast::faults
