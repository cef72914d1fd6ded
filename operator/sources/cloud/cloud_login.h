// How a source in a cloud learns who asks: as the operator's workload identity there, or with AWS's
// keys.
#pragma once

#include <string>
#include <variant>

#include "operator/kube/auth/config.h"

namespace ballast::sources {

// Keys from files.
struct AwsKeyFiles {
  kube::Material access_key_id;
  kube::Material secret_access_key;
  kube::Material session_token;  // of temporary keys; empty: these are none
};

// Those of a role that the workload's token lets it assume.
struct AwsRole {
  std::string arn;
  kube::Material web_identity_token;
  std::string sts_url;  // empty: that of the region
};

// Those that the node's agent of EKS Pod Identity gives for the pod's token. Empty: as EKS has said
// in the environment.
struct AwsPodIdentity {
  std::string credentials_url;
  kube::Material token;
};

// Each request is signed (Signature Version 4).
struct AwsLogin {
  std::string region;
  std::string service = "aps";  // Amazon Managed Service for Prometheus
  std::variant<AwsKeyFiles, AwsRole, AwsPodIdentity> keys;
};

// A token of the account that the node's metadata server gives the pod.
struct GoogleLogin {
  std::string metadata_url = "http://metadata.google.internal";
};

// A token for an application, in exchange for the workload's.
struct AzureLogin {
  std::string tenant_id;
  std::string client_id;
  kube::Material workload_token;
  std::string scope = "https://prometheus.monitor.azure.com/.default";
  std::string authority_url = "https://login.microsoftonline.com";
};

using CloudLogin = std::variant<std::monostate, AwsLogin, GoogleLogin, AzureLogin>;

}  // namespace ballast::sources
