#include "operator/cli/cluster/autoscalers.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "operator/cluster/resources.h"

namespace ballast::cli {
namespace {

using cluster::kHpas;
using cluster::kPolicies;

// What the failure to read a kind means for the user.
std::string Explain(const kube::Resource& resource, const Error& error) {
  if (error.code == Code::kNotFound && &resource == &kPolicies) {
    return "the cluster has no AutoScalePolicies: the CRD is not installed (ballast crd | kubectl "
           "apply -f -)";
  }
  return resource.plural + " cannot be read: " + error.message;
}

Status ListInto(kube::Client& client, const kube::Resource& resource, const std::string& namespace_,
                std::vector<api::Autoscaler>& all) {
  return client.List(resource, {.namespace_ = namespace_}, [&](const json::Cursor& item) {
    api::Autoscaler& autoscaler = all.emplace_back();
    api::Decode(item, autoscaler);
    autoscaler.kind = resource.kind;  // items of lists do not name theirs
    return Status(Done{});
  });
}

Result<api::Autoscaler> Read(kube::Client& client, const kube::Resource& resource,
                             const api::ObjectKey& key) {
  ASSIGN_OR_RETURN(const json::Document document, client.Get(resource, key));
  json::Decoder decoder(document);
  api::Autoscaler autoscaler;
  api::Decode(decoder.root(), autoscaler);
  TRY(decoder.status());
  autoscaler.kind = resource.kind;
  return autoscaler;
}

}  // namespace

FoundAutoscalers ListAutoscalers(kube::Client& client, const std::string& namespace_) {
  FoundAutoscalers found;
  for (const kube::Resource* resource : {&kPolicies, &kHpas}) {
    std::vector<api::Autoscaler> of_kind;
    Status done = ListInto(client, *resource, namespace_, of_kind);
    if (!done.ok() && done.error().code == Code::kGone) {  // the list expired between two pages
      of_kind.clear();
      done = ListInto(client, *resource, namespace_, of_kind);
    }
    if (!done.ok()) {
      found.problems.push_back(Explain(*resource, done.error()));
      found.unread.insert(resource->kind);
      continue;
    }
    std::ranges::move(of_kind, std::back_inserter(found.all));
  }
  std::ranges::stable_sort(found.all, {}, [](const api::Autoscaler& autoscaler) {
    return std::tie(autoscaler.metadata.namespace_, autoscaler.metadata.name);
  });
  return found;
}

FoundAutoscalers FindAutoscalers(kube::Client& client, const AutoscalerName& name,
                                 const std::string& default_namespace) {
  const api::ObjectKey key{name.namespace_.empty() ? default_namespace : name.namespace_,
                           name.name};
  FoundAutoscalers found;
  for (const kube::Resource* resource : {&kPolicies, &kHpas}) {
    if (!name.kind.empty() && name.kind != resource->kind) {
      continue;
    }
    auto autoscaler = Read(client, *resource, key);
    if (autoscaler.ok()) {
      found.all.push_back(*std::move(autoscaler));
    } else if (autoscaler.error().code != Code::kNotFound) {
      found.problems.push_back(Explain(*resource, autoscaler.error()));
      found.unread.insert(resource->kind);
    }
  }
  if (found.all.empty() && found.problems.empty()) {
    found.problems.push_back("there is no " + (name.kind.empty() ? "autoscaler" : name.kind) + " " +
                             name.name + " in namespace " + key.namespace_);
  }
  return found;
}

Result<api::Autoscaler> FindAutoscaler(kube::Client& client, const AutoscalerName& name,
                                       const std::string& default_namespace) {
  FoundAutoscalers found = FindAutoscalers(client, name, default_namespace);
  if (!found.problems.empty()) {  // it may be about another one of the name
    return Error{Code::kUnavailable, found.problems.front()};
  }
  if (found.all.size() > 1) {
    return Error{Code::kConflict,
                 "there are asp/" + name.name + " and hpa/" + name.name + ": name one of them"};
  }
  return std::move(found.all.front());
}

}  // namespace ballast::cli
