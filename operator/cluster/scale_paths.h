// Where the objects of a kind keep replicas and selector, so that their Scale can be derived from a
// watch instead of being read with a GET each time.
//
// Thread-safety: plain values and pure functions; FindScalePaths is as thread-safe as its Client.
// Errors: FindScalePaths: kInvalid, kNotFound, kForbidden as below, else the Client's.
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
  enum class SelectorForm {
    kText,           // a string, like Scale.status.selector (custom resources)
    kLabelSelector,  // metav1.LabelSelector (apps)
    kLabels,         // a map of labels (ReplicationController)
  };
  std::string spec_replicas = ".spec.replicas";
  std::string status_replicas = ".status.replicas";
  std::string selector = ".spec.selector";
  SelectorForm form = SelectorForm::kLabelSelector;
};

// The paths of `resource`: built in for Kubernetes' own workloads, else read from its
// CustomResourceDefinition. kInvalid: this version has no scale subresource; kNotFound: there is no
// CustomResourceDefinition (an aggregated API); kForbidden: no permission to read it.
Result<ScalePaths> FindScalePaths(kube::Client& client, const kube::Resource& resource);

struct WatchedScale : api::Scale {
  // False: the object has no replicas field (a custom resource without a default). The API server
  // makes no Scale of it either, and its error says more.
  bool has_replicas = false;
};

// The Scale that the API server would return for `object`. Decoding problems go to the cursor.
WatchedScale ReadScale(const json::Cursor& object, const ScalePaths& paths);

}  // namespace ballast::cluster
