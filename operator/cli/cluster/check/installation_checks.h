// The checks of `ballast check`. Each asks the API server a few questions with the caller's rights,
// changes nothing, and says what it found.
//
// Thread-safety: main thread only.
// Errors: none returned: what cannot be asked is a finding as well.
#pragma once

#include <string>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "api/base/time.h"
#include "operator/cli/cluster/check/finding.h"
#include "operator/cli/cluster/check/installation.h"
#include "operator/kube/client.h"
#include "operator/kube/transport.h"

namespace ballast::cli {

struct CheckContext {
  kube::Transport& transport;
  kube::Client& client;
  Installation installation;
  Time now;  // for ages of what the server says
};

// Whether the API server answers, and with which version.
Finding CheckServer(kube::Transport& transport);

// Whether AutoScalePolicies are served, with the schema that this program has.
Finding CheckCrd(CheckContext& context);

// The same of overrides; a warning if they are not.
Finding CheckOverrideCrd(CheckContext& context);

// The operator's pods, and who leads since when.
std::vector<Finding> CheckOperator(CheckContext& context);

// Whether the operator's service account has all rights that its flags need.
Finding CheckRights(CheckContext& context);

// Whether API servers call the webhook, by the dry run of a policy that is to be completed.
std::vector<Finding> CheckWebhook(CheckContext& context);

// Whether the metrics APIs that are registered answer.
std::vector<Finding> CheckMetricsApis(CheckContext& context);

// The policies in the namespaces that the operator serves.
Result<std::vector<api::Autoscaler>> ServedPolicies(CheckContext& context);

// Whether the sources that metrics of type Prometheus name are defined, and give values; and
// whether one of any kind is suspect, as the policies' statuses say. Nothing where there is none.
std::vector<Finding> CheckSources(CheckContext& context);

// Whether policies work, and whether the ledger takes what is decided, as the policies' statuses
// say.
std::vector<Finding> CheckPolicies(CheckContext& context);

}  // namespace ballast::cli
