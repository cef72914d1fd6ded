#include "operator/cli/cluster/metrics/request_log.h"

#include "operator/kube/url.h"

namespace ballast::cli {

Result<kube::Response> RequestLog::Do(const kube::Request& request) {
  {
    const std::lock_guard lock(mutex_);
    paths_.push_back(kube::PrintTarget({}, request));
  }
  return transport_.Do(request);
}

std::vector<std::string> RequestLog::Take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(paths_, {});
}

}  // namespace ballast::cli
