// The policy that `ballast autoscale` prints and applies: what `kubectl autoscale` makes an HPA of.
//
// Thread-safety: MakePolicy is a pure function; Apply is thread-safe if the client is.
// Errors: MakePolicy: kInvalid. Apply: kConflict if the policy is not ours, or if another client
// has set one of its fields to another value; else those of the client.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/base/result.h"
#include "api/kubernetes/meta.h"
#include "operator/kube/client.h"

namespace ballast::cli {

struct AutoscaleRequest {
  std::string target;      // TYPE/NAME
  std::string namespace_;  // of the policy; empty: not said
  std::string name;        // of the policy; empty: the target's
  std::optional<std::int32_t> min;
  std::int32_t max = 0;
  std::string cpu;     // "60%" of the request, or a quantity in each pod, in milli without a unit
  std::string memory;  // the same, in Mi without a unit
};

// The policy as JSON. Without cpu and memory it has the default metric, 80 % of the requested CPU.
Result<std::string> MakePolicy(const AutoscaleRequest& request);

// What may not have been meant: --cpu 60 is 60m of a core, and not 60 %. Empty: nothing.
std::string DoubtAbout(const AutoscaleRequest& request);

enum class ApplyResult { kCreated, kChanged, kUnchanged };

// Applies the policy `policy` (JSON) on the server, as the field manager kubectl-ballast-autoscale.
// A policy of that name is only changed if this manager applied it.
Result<ApplyResult> Apply(kube::Client& client, const api::ObjectKey& key, std::string policy);

}  // namespace ballast::cli
