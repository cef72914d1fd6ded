#include "operator/cli/autoscaler_name.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "api/base/lower.h"

namespace ballast::cli {
namespace {

constexpr std::array<std::pair<std::string_view, const char*>, 7> kKinds = {{
    {"asp", api::kPolicyKind},
    {"autoscalepolicy", api::kPolicyKind},
    {"autoscalepolicies", api::kPolicyKind},
    {"autoscalepolicy.ballast.dev", api::kPolicyKind},
    {"hpa", api::kHpaKind},
    {"horizontalpodautoscaler", api::kHpaKind},
    {"horizontalpodautoscalers", api::kHpaKind},
}};

}  // namespace

Result<AutoscalerName> ParseName(const std::string& text) {
  const std::size_t slash = text.find('/');
  const std::string first = text.substr(0, slash);
  const std::string rest = slash == std::string::npos ? "" : text.substr(slash + 1);
  if (first.empty() || (slash != std::string::npos && rest.empty()) ||
      rest.find('/') != std::string::npos) {
    return Error{Code::kInvalid,
                 "\"" + text + "\" is not asp/NAME, hpa/NAME, NAMESPACE/NAME or NAME"};
  }
  if (slash == std::string::npos) {
    return AutoscalerName{.name = first};
  }
  const auto* const kind =
      std::ranges::find(kKinds, Lower(first), &decltype(kKinds)::value_type::first);
  return kind != kKinds.end() ? AutoscalerName{.kind = kind->second, .name = rest}
                              : AutoscalerName{.namespace_ = first, .name = rest};
}

std::string PrintName(const api::Autoscaler& autoscaler) {
  return (autoscaler.is_policy() ? "asp/" : "hpa/") + autoscaler.metadata.name;
}

std::string ResourceName(const std::string& kind, const std::string& name) {
  return (kind == api::kHpaKind ? "horizontalpodautoscaler.autoscaling/"
                                : "autoscalepolicy.ballast.dev/") +
         name;
}

}  // namespace ballast::cli
