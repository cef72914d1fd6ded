// An installation of the operator, as its pods show it: which flags it runs with, and as whom.
//
// Thread-safety: plain values; FindInstallation: as the client.
// Errors: FindInstallation: the client's; kInvalid if there are several installations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "api/kubernetes/meta.h"
#include "operator/kube/client.h"

namespace ballast::cli {

struct OperatorPod {
  std::string name;
  std::string version;  // the label's; empty: it has none
  bool ready = false;
  std::string trouble;  // why it is not ready, as far as it says: "ImagePullBackOff: ..."
  std::int32_t restarts = 0;
};

struct Installation {
  std::string namespace_;
  std::string release;
  std::vector<OperatorPod> pods;                  // empty: none was found
  std::optional<api::ObjectKey> service_account;  // empty: not known
  std::vector<std::string> serves;                // namespaces; empty: all
  // Where it may manage HPAs ("*": everywhere that it serves).
  std::vector<std::string> takes_over;
  std::optional<api::ObjectKey> lease;  // empty: without leader election
  bool has_webhook = false;
  std::optional<api::ObjectKey> webhook_secret;  // empty: the certificates come from files
  std::string webhook_configuration;             // that it writes; empty: none
  std::string metric_sources_file;  // of --metric-sources, without its folder; empty: no such flag
  std::optional<api::ObjectKey>
      metric_sources;  // the ConfigMap with it; empty: it has another place
};

// Looks for pods with the chart's label, in `namespace_` or, if that is empty, in all; who may not
// list those of all namespaces is shown those of `own_namespace`. Without pods the lease is that
// of a release named "ballast" in `namespace_`, if that is given. kInvalid: several installations.
Result<Installation> FindInstallation(kube::Client& client, const std::string& namespace_,
                                      const std::string& own_namespace);

}  // namespace ballast::cli
