// Which of Ballast's pods to ask, and whether to ask them at all.
//
// Thread-safety: main thread only.
// Errors: InContext: kubectl.h's, and kInvalid: the options contradict each other.
#pragma once

#include <string>

#include "api/base/result.h"
#include "operator/cli/command.h"
#include "operator/cli/options.h"
#include "operator/cli/pods/find_pods.h"

namespace ballast::cli {

// --kubeconfig, --context, --ballast-namespace and --ballast-statefulset.
void AddPods(flags::Command& command, PodOptions& options);

// Whether the ledgers are files rather than the pods': --store was given to `command`, or none of
// the options above was and the default file exists.
bool ReadsFiles(const flags::Command& command, const PodOptions& options);
// The same if --store was not given.
bool ReadsDefaultFile(const PodOptions& options);

// The same autoscalers, with the namespace of kubectl's context for a name that has none.
Result<AutoscalerChoice> InContext(const PodOptions& options, AutoscalerChoice of);

}  // namespace ballast::cli
