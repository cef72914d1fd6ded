#include "api/kubernetes/scale_kind.h"

#include <algorithm>
#include <iterator>

namespace ballast::api {
namespace {

constexpr std::string_view kOldVersions[] = {"extensions/v1beta1", "apps/v1beta1", "apps/v1beta2"};

}  // namespace

bool IsOldScale(std::string_view api_version) {
  return std::ranges::find(kOldVersions, api_version) != std::end(kOldVersions);
}

void CheckScaleKind(const json::Cursor& scale) {
  const json::Cursor kind = scale.Member("kind");
  if (kind.present() && kind.Text() != "Scale") {
    kind.Fail("expected Scale");
  }
  const json::Cursor version = scale.Member("apiVersion");
  if (version.present() && version.Text() != "autoscaling/v1" && !IsOldScale(version.Text())) {
    version.Fail("expected autoscaling/v1, apps/v1beta1, apps/v1beta2 or extensions/v1beta1");
  }
}

}  // namespace ballast::api
