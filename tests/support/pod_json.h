// Pods as a cluster has them, by number: a hundred of each Deployment, in fifty namespaces.
//
// Of the size and shape that a pod of a Deployment has (two containers, probes, volumes,
// tolerations, conditions, managedFields), about 5.5 kB. Thread-safety: pure functions.
#pragma once

#include <string>

namespace ballast::support {

std::string PodJson(int pod);

// What of it a selector can ask for.
std::string PodNamespace(int pod);
std::string PodApplication(int pod);  // the label app.kubernetes.io/name
std::string PodOwner(int pod);        // the uid of its ReplicaSet

}  // namespace ballast::support
