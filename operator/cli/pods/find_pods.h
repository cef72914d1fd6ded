// Which pods are Ballast's. Anybody who may create pods can give one the chart's label and a
// program that answers whatever he likes, so more than the label counts: a StatefulSet made the
// pod, and its account is one that an administrator has let operate the cluster, or the caller
// names its namespace.
//
// Thread-safety: any thread.
// Errors: kubectl.h's; kNotFound: there is no such pod; kInvalid: what kubectl printed cannot be
// read, or which pods are meant is open.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/base/result.h"
#include "api/json/json.h"
#include "api/kubernetes/meta.h"
#include "operator/cli/pods/kubectl.h"

namespace ballast::cli {

// The label of all that the chart makes.
inline constexpr const char* kOwnLabel = "app.kubernetes.io/name=ballast";
inline constexpr const char* kOperatorContainer = "ballast";  // in each of the pods

struct PodOptions : KubectlFlags {
  // Of the pods; empty: those of the accounts with the chart's role. Given, such accounts count if
  // the caller may see them and that namespace has one.
  std::string ballast_namespace;
  std::string ballast_statefulset;  // empty: the only one
};

struct LedgerPod {
  std::string namespace_;
  std::string name;
  std::string statefulset;  // that has made it
  std::string account;      // that it runs as
  std::string store;        // the path of its ledger
  std::string Print() const { return namespace_ + "/" + name; }
};

// The container of the pod that runs `ballast operator`, whatever else runs beside it; or an absent
// place.
json::Cursor OperatorContainerOf(const json::Cursor& pod);

// The pods of a PodList that a StatefulSet has made, and of which a container runs the operator;
// not those that have ended.
Result<std::vector<LedgerPod>> ParsePods(std::string_view pod_list);

// The accounts that a ClusterRoleBindingList gives a role in the whole cluster.
Result<std::vector<api::ObjectKey>> ParseAccounts(std::string_view bindings);

Result<std::vector<LedgerPod>> FindPods(const PodOptions& options);

}  // namespace ballast::cli
