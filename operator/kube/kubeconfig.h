// Kubeconfig files, one or several merged as kubectl does it: the first file that has a cluster, a
// user or a context of a name counts for all of that entry, the first current-context for that.
//
// Paths in a file are relative to its folder. Errors name the file and the key. Thread-safety: pure
// but for reading the files.
#pragma once

#include <string>
#include <vector>

#include "api/base/result.h"
#include "operator/kube/config.h"

namespace ballast::kube {

// The current context of the files in `list`, which are separated by colons as in $KUBECONFIG;
// those that do not exist are left out unless none does. kInvalid for what is missing, malformed or
// not supported (auth-provider plugins, basic authentication, proxies other than http).
Result<ClusterConfig> LoadKubeconfig(const std::string& list);

struct KubeconfigText {
  std::string path;
  std::string yaml;
};
Result<ClusterConfig> DecodeKubeconfig(const std::vector<KubeconfigText>& files);

}  // namespace ballast::kube
