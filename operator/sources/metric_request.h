// What requests to the custom and the external metrics APIs share: the metric's selector as a query
// parameter, and a list of values as the answer.
//
// Thread-safety: any thread.
// Errors: kInvalid as below; from ReadValues also the API server's.
#pragma once

#include <string>

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "api/decision/snapshot.h"
#include "operator/kube/transport.h"

namespace ballast::sources {

// Adds the metric's own selector as the query parameter `name`; a metric without one means all of
// its series. kInvalid: it is not a valid selector.
Status AddSelector(kube::Request& request, const char* name, const api::MetricIdentifier& metric);

// Sends the request and reads the answer. kInvalid: the answer is not a list of values.
Result<engine::MetricAnswer> ReadValues(kube::Transport& transport, const kube::Request& request);

}  // namespace ballast::sources
