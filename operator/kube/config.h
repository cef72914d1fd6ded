// How to reach an API server and as whom: what a kubeconfig or a pod's service account says.
//
// What may change while the program runs (tokens, certificates, the CA) is kept as a Material: its
// text, or the file to read it from each time it is needed, so that rotation costs nothing.
// Errors name the file and the key ("/home/x/.kube/config: users[0].user.exec: ..."); a token never
// appears in one. Thread-safety: plain values; the functions may be called from any thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/base/result.h"

namespace ballast::kube {

// A secret or a certificate: inline text, or a file. Both empty: not given.
struct Material {
  std::string text;
  std::string file;  // absolute; counts when set

  bool empty() const { return text.empty() && file.empty(); }
  // The text, or the file's present content. kNotFound, kForbidden, kUnavailable name the file.
  Result<std::string> Read() const;
  friend bool operator==(const Material&, const Material&) = default;
};

// A program that prints credentials (client.authentication.k8s.io).
struct ExecConfig {
  std::string api_version;
  std::string command;  // a path, or a name to look for in $PATH
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  // besides our own
  std::string install_hint;                              // what to do when the program is not there
  bool cluster_info = false;                             // whether it is told about the cluster
  std::string cluster_options;  // JSON for it, from the cluster's entry; may be empty
};

// As whom the server is asked to act, after it has made sure who we are. Empty user: as ourselves.
struct Impersonation {
  std::string user;
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;
};

struct ClusterConfig {
  std::string server;           // "https://host:6443", "http://[::1]:8080/prefix"
  std::string tls_server_name;  // the name to expect in the certificate; empty: the server's host
  std::string proxy_url;        // "http://proxy:3128"; empty: none
  Material ca;                  // PEM; only these are trusted. Empty: the system's roots.
  Material client_certificate;  // PEM chain
  Material client_key;          // PEM
  Material token;               // bearer token
  std::optional<ExecConfig>
      exec;  // where token and client certificate come from, if there is no token
  Impersonation impersonate;
  std::string namespace_ = "default";
  bool insecure_skip_tls_verify = false;
};

inline constexpr const char* kServiceAccountDirectory =
    "/var/run/secrets/kubernetes.io/serviceaccount";

// From KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT and the service account's mounted files.
// kNotFound when this is no pod.
Result<ClusterConfig> LoadInCluster(const std::string& directory = kServiceAccountDirectory);

// What a program takes that was given `kubeconfig` as a flag: that file; without it those of
// $KUBECONFIG; without that the pod's service account. kNotFound says what there would be to give.
Result<ClusterConfig> LoadConfig(const std::string& kubeconfig);

}  // namespace ballast::kube
