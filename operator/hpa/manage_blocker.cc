#include "operator/hpa/manage_blocker.h"

#include "api/autoscaling/annotation.h"
#include "api/autoscaling/mode.h"
#include "api/autoscaling/validation.h"

namespace ballast::hpa {
namespace {

constexpr const char* kNotUnderstood = "NotUnderstood";

}  // namespace

std::optional<ManageBlocker> ManageBlockerOf(const api::Autoscaler& hpa,
                                             const Namespaces& take_over_in) {
  if (!take_over_in.Contain(hpa.metadata.namespace_)) {
    return ManageBlocker{
        "NamespaceNotAllowed",
        "this installation does not manage HorizontalPodAutoscalers in namespace " +
            hpa.metadata.namespace_ + ": start the operator with --hpa-takeover-namespace " +
            hpa.metadata.namespace_ + " (chart: operator.hpaTakeoverNamespaces)",
        false};
  }
  if (!hpa.metadata.owner_references.empty() &&
      api::FindAnnotation(hpa, api::kHpaMode) == nullptr) {
    const api::OwnerReference& owner = hpa.metadata.owner_references->front();
    return ManageBlocker{"HasOwner",
                         "it belongs to " + owner.kind + " " + owner.name +
                             ": if Ballast is to manage it all the same, set the annotation " +
                             api::kHpaMode + " on the HorizontalPodAutoscaler itself"};
  }
  if (!hpa.unknown_field.empty()) {
    return ManageBlocker{kNotUnderstood,
                         hpa.unknown_field +
                             ": this version of Ballast does not know the field, so it "
                             "leaves the target alone: upgrade Ballast, or remove the "
                             "field"};
  }
  if (const auto errors = api::ValidateSpec(hpa); !errors.empty()) {
    return ManageBlocker{kNotUnderstood, Print(errors.front())};
  }
  return std::nullopt;
}

}  // namespace ballast::hpa
