// Kubeconfig files, one or several merged as kubectl does: the first file that has an entry of a
// name provides all of that cluster, user or context, and the first current-context wins.
//
// Paths in a file are relative to its folder.
//
// Thread-safety: any thread.
// Errors: those of LoadKubeconfig; each names the file and the key.
#pragma once

#include <string>
#include <vector>

#include "api/base/result.h"
#include "operator/kube/auth/config.h"

namespace ballast::kube {

// What is chosen of the files in `list`, which is separated by colons as $KUBECONFIG is. Files that
// do not exist or are empty are skipped. kNotFound: none exists. kForbidden, kUnavailable: one
// cannot be read. kInvalid: something is missing, malformed or not supported (auth-provider
// plugins, basic authentication, proxies other than http).
Result<ClusterConfig> LoadKubeconfig(const std::string& list, const KubeconfigChoice& choice = {});

// The same of one file, whose name may have a colon ("arn:aws:eks:...").
Result<ClusterConfig> LoadKubeconfigFile(const std::string& path,
                                         const KubeconfigChoice& choice = {});

struct KubeconfigText {
  std::string path;
  std::string yaml;
};
Result<ClusterConfig> DecodeKubeconfig(const std::vector<KubeconfigText>& files,
                                       const KubeconfigChoice& choice = {});

}  // namespace ballast::kube
