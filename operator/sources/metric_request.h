// What the custom and the external metrics API have in common: how a metric is asked for by its
// selector, and a list of values as the answer.
//
// Thread-safety: pure functions, but for the request that one sends.
#pragma once

#include <string>

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "api/decision/snapshot.h"
#include "operator/kube/transport.h"

namespace ballast::sources {

// Adds the metric's own selector under that name; without one everything is meant. kInvalid when it
// is no selector.
Status AddSelector(kube::Request& request, const char* name, const api::MetricIdentifier& metric);

// Sends the request. kInvalid: the answer is no list of values.
Result<engine::MetricAnswer> ReadValues(kube::Transport& transport, const kube::Request& request);

}  // namespace ballast::sources
