// Follows the cluster's policies and HPAs, for `ballast get --watch`.
//
// Thread-safety: one thread; `tell` is called on others, one call at a time.
// Errors: none; a watch that fails is logged and tried again.
#pragma once

#include <chrono>
#include <functional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "api/autoscaling/types.h"
#include "operator/kube/transport.h"

namespace ballast::cli {

struct FollowedAutoscalers {
  std::string namespace_;       // empty: all
  std::set<std::string> kinds;  // kPolicyKind, kHpaKind
  // What the caller has read of them before. One that is gone by now is told as deleted.
  std::vector<api::Autoscaler> known = {};
  std::chrono::milliseconds at_most = std::chrono::years(1);
};

struct AutoscalerChange {
  const api::Autoscaler& autoscaler;
  bool deleted = false;  // this was the last of it
};

// Tells all that differ from what is known, in any order, then each change. Returns when `stop` is
// requested, `tell` has returned false, or it has lasted for `at_most`.
void FollowAutoscalers(kube::Transport& transport, const FollowedAutoscalers& followed,
                       const std::function<bool(const AutoscalerChange& change)>& tell,
                       std::stop_token stop = {});

}  // namespace ballast::cli
