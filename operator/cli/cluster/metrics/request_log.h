// A transport that remembers what was asked, for commands that show it.
//
// Thread-safety: any thread.
// Errors: those of the transport below.
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "operator/kube/transport.h"

namespace ballast::cli {

class RequestLog final : public kube::Transport {
 public:
  // `transport` must outlive the log.
  explicit RequestLog(kube::Transport& transport) : transport_(transport) {}

  Result<kube::Response> Do(const kube::Request& request) override;
  Status Stream(const kube::Request& request, const kube::LineSink& sink,
                std::stop_token stop) override {
    return transport_.Stream(request, sink, std::move(stop));
  }

  // The paths with their queries of all calls of Do since the last time.
  std::vector<std::string> Take();

 private:
  kube::Transport& transport_;
  std::mutex mutex_;  // guards: paths_
  std::vector<std::string> paths_;
};

}  // namespace ballast::cli
