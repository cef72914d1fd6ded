// The modes in which an autoscaler is served: what each of them does, in one table for policies
// (spec.mode) and one for HorizontalPodAutoscalers (an annotation, else the installation's mode).
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "api/autoscaling/types.h"

namespace ballast::api {

struct ServingMode {
  enum class Kind { kActive, kDryRun, kDisabled, kObserve, kShadow, kManage, kIgnore };
  Kind kind;
  std::string_view name;
  bool observes;   // another controller scales the target; what that one does is recorded
  bool evaluates;  // asks for metrics, and decides
  bool writes_scale;
  bool reports;  // writes the status, and emits events
};

inline constexpr std::array<ServingMode, 3> kPolicyModes = {{
    {ServingMode::Kind::kActive, "Active", false, true, true, true},
    {ServingMode::Kind::kDryRun, "DryRun", false, true, false, true},
    {ServingMode::Kind::kDisabled, "Disabled", false, false, false, true},
}};

inline constexpr std::array<ServingMode, 4> kHpaModes = {{
    {ServingMode::Kind::kObserve, "observe", true, false, false, false},
    {ServingMode::Kind::kShadow, "shadow", true, true, false, false},
    {ServingMode::Kind::kManage, "manage", false, true, true, true},
    {ServingMode::Kind::kIgnore, "ignore", false, false, false, false},
}};

std::vector<std::string> PolicyModeNames();

inline constexpr const char* kHpaMode = "ballast.dev/hpa-mode";  // the annotation

// The mode for the text of spec.mode. Empty, as in every HorizontalPodAutoscaler, is Active. Text
// that is no mode, which validation rejects, counts as Disabled, the least harmful one.
const ServingMode& ModeOf(std::string_view text);
inline const ServingMode& ModeOf(const AutoscalerSpec& spec) { return ModeOf(spec.mode); }
// Whether it may scale its target: any HorizontalPodAutoscaler, and a policy in mode Active.
bool Scales(const Autoscaler& autoscaler);

// The mode of an HPA: its annotation's, else `installation`. An annotation that is no mode counts
// as observe, which changes nothing in the cluster.
const ServingMode& HpaModeOf(const Autoscaler& hpa, const ServingMode& installation);
// Whether the annotation is present but no mode.
bool HpaModeIsMalformed(const Autoscaler& hpa);

}  // namespace ballast::api
