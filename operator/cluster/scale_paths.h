// Where an object of some kind keeps its replicas and its selector, so that its Scale can be read
// from a watch instead of asked for each time.
//
// Thread-safety: plain values.
#pragma once

#include <optional>
#include <string>

#include "api/base/result.h"
#include "api/json/json.h"
#include "api/kubernetes/workload.h"
#include "operator/kube/client.h"
#include "operator/kube/resource.h"

namespace ballast::cluster {

struct ScalePaths {
  enum class Selector {
    kText,           // a string, as Scale.status.selector (custom resources)
    kLabelSelector,  // metav1.LabelSelector (apps)
    kLabels,         // a map of labels (ReplicationController)
  };
  std::string spec_replicas = ".spec.replicas";
  std::string status_replicas = ".status.replicas";
  std::string selector = ".spec.selector";
  Selector form = Selector::kLabelSelector;
};

// The paths of `resource`: known for the workloads of Kubernetes, read from the
// CustomResourceDefinition otherwise. kInvalid: its version has no scale subresource; kNotFound: it
// is neither (an aggregated API); kForbidden: no right to read the definition.
Result<ScalePaths> FindScalePaths(kube::Client& client, const kube::Resource& resource);

struct WatchedScale : api::Scale {
  // Else the object has no number of replicas (a custom resource without a default), and the API
  // server makes no Scale of it: its error says more.
  bool has_replicas = false;
};

// The Scale that the API server would make of `object`. Problems go to the cursor.
WatchedScale ReadScale(const json::Cursor& object, const ScalePaths& paths);

}  // namespace ballast::cluster
