// How to reach an API server and as whom: read from a kubeconfig or from a pod's service account.
//
// What may change while the program runs (tokens, certificates, the CA) is kept as a Material: its
// text, or the file to read it from each time it is needed, so that rotation costs nothing.
// Errors name the file and the key ("/home/x/.kube/config: users[0].user.exec: ..."); a token never
// appears in one. Thread-safety: plain values; the functions may be called from any thread.
#pragma once

#include <string>

#include "api/result.h"

namespace ballast::kube {

// A secret or a certificate: inline text, or a file. Both empty: not given.
struct Material {
  std::string text;
  std::string file;  // absolute; counts when set

  bool empty() const { return text.empty() && file.empty(); }
  // The text, or the file's present content. kNotFound, kForbidden, kUnavailable name the file.
  Result<std::string> Read() const;
};

struct ClusterConfig {
  std::string server;           // "https://host:6443", "http://[::1]:8080/prefix"
  std::string tls_server_name;  // the name to expect in the certificate; empty: the server's host
  Material ca;                  // PEM; only these are trusted. Empty: the system's roots.
  Material client_certificate;  // PEM chain
  Material client_key;          // PEM
  Material token;               // bearer token
  std::string namespace_ = "default";
  bool insecure_skip_tls_verify = false;
};

// The current context of the kubeconfig at `path`. kInvalid for what is missing, malformed or not
// supported (exec and auth-provider plugins, proxy-url, impersonation, basic authentication).
Result<ClusterConfig> LoadKubeconfig(const std::string& path);

inline constexpr const char* kServiceAccountDirectory =
    "/var/run/secrets/kubernetes.io/serviceaccount";

// From KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT and the service account's mounted files.
// kNotFound when this is no pod.
Result<ClusterConfig> LoadInCluster(const std::string& directory = kServiceAccountDirectory);

}  // namespace ballast::kube
