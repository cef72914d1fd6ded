#include "operator/cli/autoscaler_name.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "api/base/lower.h"
#include "operator/cli/workload_type.h"

namespace ballast::cli {
namespace {

struct Kind {
  const char* kind;
  std::string_view group;
  std::array<std::string_view, 3> names;
};
constexpr std::array<Kind, 2> kKinds = {{
    {api::kPolicyKind, ".ballast.dev", {"asp", "autoscalepolicy", "autoscalepolicies"}},
    {api::kHpaKind, ".autoscaling", {"hpa", "horizontalpodautoscaler", "horizontalpodautoscalers"}},
}};

// As kubectl spells it: "hpa", "horizontalpodautoscaler.autoscaling", "hpa.v2.autoscaling". Null:
// it is none, but a namespace, whose name has no dots.
const Kind* FindKind(const std::string& text) {
  const std::string lower = Lower(text);
  const std::string_view plain = std::string_view(lower).substr(0, lower.find('.'));
  const std::string_view rest = std::string_view(lower).substr(plain.size());
  const auto* const kind = std::ranges::find_if(kKinds, [&](const Kind& known) {
    return std::ranges::count(known.names, plain) > 0 &&
           (rest.empty() || rest.ends_with(known.group));
  });
  return kind == kKinds.end() ? nullptr : kind;
}

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
  if (FindWorkloadType(first) != nullptr) {
    return Error{Code::kInvalid,
                 "\"" + text + "\" names a workload: give its autoscaler, asp/NAME " +
                     "or hpa/NAME (or " + rest + " -n " + first + ", if that is a namespace)"};
  }
  const Kind* const kind = FindKind(first);
  return kind != nullptr ? AutoscalerName{.kind = kind->kind, .name = rest}
                         : AutoscalerName{.namespace_ = first, .name = rest};
}

Result<std::string> ParseKind(const std::string& text) {
  const Kind* const kind = FindKind(text);
  if (kind == nullptr) {
    return Error{Code::kInvalid, "\"" + text + "\" is not asp or hpa"};
  }
  return std::string(kind->kind);
}

std::string PrintName(const api::Autoscaler& autoscaler) {
  return api::PrintName(autoscaler.kind, autoscaler.metadata.name);
}

std::string ResourceName(const std::string& kind, const std::string& name) {
  return (kind == api::kHpaKind ? "horizontalpodautoscaler.autoscaling/"
                                : "autoscalepolicy.ballast.dev/") +
         name;
}

}  // namespace ballast::cli
