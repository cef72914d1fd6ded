// JSON of realistic pods, by number: a hundred for each Deployment, in fifty namespaces.
//
// About 5.5 kB each, with two containers, probes, volumes, tolerations, conditions and
// managedFields, as a Deployment's pods have.
#pragma once

#include <string>

namespace ballast::support {

std::string PodJson(int pod);

// Properties by which the pod can be selected.
std::string PodNamespace(int pod);
std::string PodApplication(int pod);  // the label app.kubernetes.io/name

}  // namespace ballast::support
