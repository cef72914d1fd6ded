#include "operator/cli/pods/find_pods.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "api/base/digit.h"
#include "store/sqlite/files.h"

namespace ballast::cli {
namespace {

// The chart writes --store=PATH.
std::string StoreOf(const json::Cursor& container) {
  constexpr std::string_view kFlag = "--store=";
  for (const json::Cursor& argument : container.Member("args").Elements()) {
    if (argument.Text().starts_with(kFlag)) {
      return std::string(argument.Text().substr(kFlag.size()));
    }
  }
  return store::kDefaultPath;
}

// The StatefulSet that controls the pod; empty: none does. One claims only pods of its own names,
// and lets go of others that say they were its.
std::string StatefulSetOf(const api::ObjectMeta& pod) {
  const api::OwnerReference* owner = api::ControllerOf(pod);
  if (owner == nullptr || owner->kind != "StatefulSet" ||
      api::GroupOf(owner->api_version) != "apps" || !pod.name.starts_with(owner->name + "-")) {
    return "";
  }
  const std::string_view ordinal = std::string_view(pod.name).substr(owner->name.size() + 1);
  return IsAllDigits(ordinal) ? owner->name : "";
}

Result<std::vector<LedgerPod>> ListPods(const PodOptions& options, const std::string& namespace_) {
  auto listed = KubectlOutput(options, {"get", "pods", "--selector", kOwnLabel, "--output", "json",
                                        "--namespace=" + namespace_});
  if (!listed.ok()) {
    return Error{listed.error().code,
                 "Ballast's pods could not be listed: " + listed.error().message};
  }
  return ParsePods(*listed);
}

std::vector<std::string> ListingOfBindings() {
  return {"get", "clusterrolebindings", "--selector", kOwnLabel, "--output", "json"};
}

void KeepThoseOf(const std::vector<api::ObjectKey>& accounts, std::vector<LedgerPod>& pods) {
  std::erase_if(pods, [&](const LedgerPod& pod) {
    return std::ranges::count(accounts, api::ObjectKey{pod.namespace_, pod.account}) == 0;
  });
}

// Those in the namespace that the caller names. There may be no account with a role in the whole
// cluster (operator.namespaces), and not everybody may look for it.
Result<std::vector<LedgerPod>> FindInNamespace(const PodOptions& options) {
  ASSIGN_OR_RETURN(auto pods, ListPods(options, options.ballast_namespace));
  const auto bindings = RunKubectl(options, ListingOfBindings());
  if (!bindings.ok() || bindings->status != 0) {
    return pods;
  }
  ASSIGN_OR_RETURN(auto accounts, ParseAccounts(bindings->output));
  std::erase_if(accounts, [&](const api::ObjectKey& account) {
    return account.namespace_ != options.ballast_namespace;
  });
  if (!accounts.empty()) {
    KeepThoseOf(accounts, pods);
  }
  return pods;
}

// Those of the accounts to which an administrator has bound the chart's role.
Result<std::vector<LedgerPod>> FindByAccounts(const PodOptions& options) {
  constexpr const char* kOtherwise =
      " (name the namespace of Ballast's pods with --ballast-namespace, or a copy of the ledger "
      "with --store)";
  auto bindings = KubectlOutput(options, ListingOfBindings());
  if (!bindings.ok()) {
    return Error{bindings.error().code,
                 "Ballast's installation was not found: " + bindings.error().message + kOtherwise};
  }
  ASSIGN_OR_RETURN(const auto accounts, ParseAccounts(*bindings));
  if (accounts.empty()) {
    return Error{Code::kNotFound, std::string("no account has Ballast's role in the cluster, by a "
                                              "ClusterRoleBinding with the label ") +
                                      kOwnLabel + kOtherwise};
  }
  std::set<std::string> namespaces;
  for (const api::ObjectKey& account : accounts) {
    namespaces.insert(account.namespace_);
  }
  std::vector<LedgerPod> pods;
  for (const std::string& namespace_ : namespaces) {
    ASSIGN_OR_RETURN(auto all, ListPods(options, namespace_));
    std::ranges::move(all, std::back_inserter(pods));
  }
  KeepThoseOf(accounts, pods);
  return pods;
}

// A namespace has one installation: others in it only look alike.
Status CheckThatTheyAreOne(const std::vector<LedgerPod>& pods) {
  for (const LedgerPod& pod : pods) {
    const auto other = std::ranges::find_if(pods, [&](const LedgerPod& one) {
      return one.namespace_ == pod.namespace_ &&
             (one.statefulset != pod.statefulset || one.account != pod.account);
    });
    if (other != pods.end()) {
      return Error{Code::kInvalid, pod.Print() + " (StatefulSet " + pod.statefulset + ", account " +
                                       pod.account + ") and " + other->Print() + " (StatefulSet " +
                                       other->statefulset + ", account " + other->account +
                                       ") both look like Ballast's: name the right one with "
                                       "--ballast-statefulset"};
    }
  }
  return Done{};
}

}  // namespace

json::Cursor OperatorContainerOf(const json::Cursor& pod) {
  for (const json::Cursor& container : pod.Member("spec").Member("containers").Elements()) {
    const json::Elements args = container.Member("args").Elements();
    if (container.Member("name").Text() == kOperatorContainer && !args.empty() &&
        (*args.begin()).Text() == "operator") {
      return container;
    }
  }
  return json::Cursor();
}

Result<std::vector<LedgerPod>> ParsePods(std::string_view pod_list) {
  ASSIGN_OR_RETURN(const json::Document document, json::Parse(pod_list));
  json::Decoder decoder(document);
  std::vector<LedgerPod> pods;
  for (const json::Cursor& pod : decoder.root().Required("items").Elements()) {
    const std::string_view phase = pod.Member("status").Member("phase").Text();
    api::ObjectMeta metadata;
    api::Decode(pod.Required("metadata"), metadata);
    const json::Cursor container = OperatorContainerOf(pod);
    const std::string statefulset = StatefulSetOf(metadata);
    if (!container.present() || statefulset.empty() || phase == "Succeeded" || phase == "Failed") {
      continue;
    }
    LedgerPod& found = pods.emplace_back();
    found.namespace_ = metadata.namespace_;
    found.name = metadata.name;
    found.statefulset = statefulset;
    found.account = pod.Member("spec").Member("serviceAccountName").Text();
    found.store = StoreOf(container);
  }
  TRY(decoder.status());
  return pods;
}

Result<std::vector<api::ObjectKey>> ParseAccounts(std::string_view bindings) {
  ASSIGN_OR_RETURN(const json::Document document, json::Parse(bindings));
  json::Decoder decoder(document);
  std::vector<api::ObjectKey> accounts;
  for (const json::Cursor& binding : decoder.root().Required("items").Elements()) {
    for (const json::Cursor& subject : binding.Member("subjects").Elements()) {
      if (subject.Member("kind").Text() == "ServiceAccount") {
        accounts.push_back({std::string(subject.Member("namespace").Text()),
                            std::string(subject.Member("name").Text())});
      }
    }
  }
  TRY(decoder.status());
  return accounts;
}

Result<std::vector<LedgerPod>> FindPods(const PodOptions& options) {
  const std::string& where = options.ballast_namespace;
  ASSIGN_OR_RETURN(auto pods, where.empty() ? FindByAccounts(options) : FindInNamespace(options));
  if (!options.ballast_statefulset.empty()) {
    std::erase_if(
        pods, [&](const LedgerPod& pod) { return pod.statefulset != options.ballast_statefulset; });
  }
  if (pods.empty()) {
    return Error{Code::kNotFound,
                 "no pod of Ballast's runs in " + (where.empty() ? "the cluster" : where) +
                     " (label " + kOwnLabel + ", of " +
                     (options.ballast_statefulset.empty()
                          ? "a StatefulSet"
                          : "the StatefulSet " + options.ballast_statefulset) +
                     (where.empty() ? " whose account has Ballast's role in the cluster" : "") +
                     "); name a copy of the ledger with --store"};
  }
  TRY(CheckThatTheyAreOne(pods));
  return pods;
}

}  // namespace ballast::cli
