// The file of --metric-sources: the sources that metrics of type Prometheus may name, each with its
// URL, its credentials and the namespaces that may use it. Policies name a source and never an
// address.
//
//   sources:
//   - name: main
//     url: https://prometheus.monitoring.svc:9090/prefix
//     namespaces: ["*"]
//     bearerTokenFile: /etc/ballast/sources/token
//
// docs/prometheus.md explains the fields. Credentials are files, read for each query, so that
// changed ones count at once; paths are relative to the file's folder. The file itself is read
// once.
//
// Errors: kInvalid with the file and the field ("sources.yaml: sources[0].url: ..."), and the error
// of reading the file. No credential appears in one.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/base/namespaces.h"
#include "api/base/result.h"
#include "operator/kube/answer_limit.h"
#include "operator/kube/auth/config.h"
#include "operator/sources/cloud/cloud_login.h"

namespace ballast::sources {

struct PrometheusSource {
  struct Header {
    std::string name;
    kube::Material value;
  };

  std::string name;
  Namespaces namespaces;           // whose policies may use it
  kube::ClusterConfig connection;  // URL, proxy, CA and client certificate
  std::vector<Header> headers;
  kube::Material bearer_token;
  std::string username;  // empty: no basic authentication
  kube::Material password;
  CloudLogin cloud;  // none beside a bearer token and basic authentication
  // Added to each query's request, those of `bound` too; $namespace in a value is the policy's
  // namespace.
  std::vector<std::pair<std::string, std::string>> parameters;
  std::chrono::seconds timeout{5};  // 1 to 10
  std::size_t max_answer_bytes = kube::kQueryResult.bytes;
  std::size_t max_in_flight = 4;  // 1 to 16
  bool accepts_warnings = false;
};

// The value of a parameter for a namespace.
std::string ParameterFor(const std::string& namespace_, std::string value);

// Whether several namespaces may use the source and no parameter tells it which one asks: each can
// read what the others' metrics are.
bool LacksBound(const PrometheusSource& source);

Result<std::vector<PrometheusSource>> LoadSources(const std::string& file);

// `file`: its name, for errors and relative paths.
Result<std::vector<PrometheusSource>> ParseSources(const std::string& file, std::string_view yaml);

}  // namespace ballast::sources
