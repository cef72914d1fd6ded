// How to reach an API server and with which identity.
//
// What may change while the program runs (tokens, certificates, the CA) is kept as a Material: its
// text, or the file, which is read each time it is needed, so that rotation needs no code.
//
// Errors: those of Read(); a token never appears in one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/base/result.h"

namespace ballast::kube {

// A secret or a certificate: inline text, or a file. Not set if both are empty.
struct Material {
  std::string text;
  std::string file;  // absolute; takes precedence over text

  bool empty() const { return text.empty() && file.empty(); }
  // The text, or the file's current content. kNotFound, kForbidden, kUnavailable name the file.
  Result<std::string> Read() const;
  friend bool operator==(const Material&, const Material&) = default;
};

// A program that prints credentials (client.authentication.k8s.io).
struct ExecConfig {
  std::string api_version;
  std::string command;  // a path, or a name to look for in $PATH
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  // added to our own
  std::string install_hint;                              // shown if there is no such program
  bool cluster_info = false;                             // provideClusterInfo
  std::string cluster_options;  // JSON from the cluster's entry, passed on; may be empty
};

// The identity that the server is asked to act as, once it has authenticated us. An empty user
// means our own.
struct Impersonation {
  std::string user;
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;

  // Whether it has a user, unless it has nothing.
  bool complete() const;
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
      exec;  // source of token and client certificate, unless there is a token
  Impersonation impersonate;
  std::string namespace_ = "default";
  bool insecure_skip_tls_verify = false;
};

// What the caller chooses; empty: what the kubeconfig says.
struct KubeconfigChoice {
  std::string context;  // by default the current one
  std::string cluster;  // by default the context's
  std::string user;     // by default the context's
  // Whom to impersonate; what is empty is as the kubeconfig's user has it.
  std::string as;
  std::string as_uid;
  std::vector<std::string> as_groups;
};

// Whom the caller names counts before whom the configuration does.
void Override(const KubeconfigChoice& choice, Impersonation& impersonate);

}  // namespace ballast::kube
