// Where a program's configuration comes from: a kubeconfig or a pod's service account.
//
// Thread-safety: any thread.
// Errors: each names the file and the key ("/home/x/.kube/config: users[0].user.exec: ..."); a
// token never appears in one.
#pragma once

#include <string>

#include "api/base/result.h"
#include "operator/kube/auth/config.h"

namespace ballast::kube {

inline constexpr const char* kServiceAccountDirectory =
    "/var/run/secrets/kubernetes.io/serviceaccount";

// From KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT and the service account's mounted files.
// kNotFound outside of a pod and if one of the files is missing; kInvalid if the variables make no
// URL.
Result<ClusterConfig> LoadInCluster(const std::string& directory = kServiceAccountDirectory);

// The configuration for a program whose flag --kubeconfig is `kubeconfig`: that file; if empty, the
// files in $KUBECONFIG; if unset, the pod's service account. kNotFound says what to set. kInvalid
// also: a context, cluster or user is chosen, but there is no file.
Result<ClusterConfig> LoadConfig(const std::string& kubeconfig,
                                 const KubeconfigChoice& choice = {});

}  // namespace ballast::kube
