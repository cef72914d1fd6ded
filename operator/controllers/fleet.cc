#include "operator/controllers/fleet.h"

namespace ballast::controllers {
namespace {

const kube::Resource kHpas{.group = "autoscaling",
                           .version = "v2",
                           .plural = "horizontalpodautoscalers",
                           .kind = api::kHpaKind};
const kube::Resource kPods{.version = "v1", .plural = "pods", .kind = "Pod"};

// Lists leave the kind out of their items, so it is put back; defaults make up for objects that
// were stored before a default was known.
template <const char* const& kApiVersion, const char* const& kKind>
api::Autoscaler DecodeAutoscaler(const json::Cursor& object) {
  api::Autoscaler autoscaler;
  api::Decode(object, autoscaler);
  autoscaler.api_version = kApiVersion;
  autoscaler.kind = kKind;
  return autoscaler;
}

api::Pod DecodePod(const json::Cursor& object) {
  api::Pod pod;
  api::Decode(object, pod);
  // Nobody reads these, and they are what most of a pod's metadata is.
  pod.metadata.annotations.clear();
  return pod;
}

}  // namespace

const kube::Resource kPolicies{.group = "ballast.dev",
                               .version = "v1alpha1",
                               .plural = "autoscalepolicies",
                               .kind = api::kPolicyKind};

Fleet::Fleet(kube::Transport& transport, runtime::Clock& clock,
             const std::vector<std::string>& namespaces)
    : policies(transport, clock, kPolicies, namespaces,
               DecodeAutoscaler<api::kPolicyApiVersion, api::kPolicyKind>),
      hpas(transport, clock, kHpas, namespaces,
           DecodeAutoscaler<api::kHpaApiVersion, api::kHpaKind>),
      pods(transport, clock, kPods, namespaces, DecodePod) {}

void Fleet::Start() {
  policies.Start();
  hpas.Start();
  pods.Start();
}

bool SameTarget(const api::Autoscaler& a, const api::Autoscaler& b) {
  const api::CrossVersionObjectReference& x = a.spec.scale_target_ref;
  const api::CrossVersionObjectReference& y = b.spec.scale_target_ref;
  return a.metadata.namespace_ == b.metadata.namespace_ && x.kind == y.kind && x.name == y.name &&
         kube::GroupOf(x.api_version) == kube::GroupOf(y.api_version);
}

}  // namespace ballast::controllers
