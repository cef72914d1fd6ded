// The feature gates of Kubernetes that HorizontalPodAutoscalers depend on: which they are, where
// they are on by default, and how a command line sets them. Policies do not depend on gates.
//
// Errors: ParseGateOverrides: kInvalid, naming the gate.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "api/base/result.h"

namespace ballast::api {

struct FeatureGates {
  bool scale_to_zero = false;           // minReplicas may be 0
  bool configurable_tolerance = false;  // behavior.scaleUp and scaleDown may have a tolerance
};

// The gates as a flag sets them. Absent: not set, so as the server has them.
struct GateOverrides {
  std::optional<bool> scale_to_zero;
  std::optional<bool> configurable_tolerance;
};

struct FeatureGate {
  std::string_view name;
  int on_since;  // on by default from Kubernetes 1.<on_since> on
  bool FeatureGates::*state;
  std::optional<bool> GateOverrides::*set;
};

inline constexpr FeatureGate kScaleToZeroGate = {"HPAScaleToZero", 37, &FeatureGates::scale_to_zero,
                                                 &GateOverrides::scale_to_zero};
inline constexpr FeatureGate kConfigurableToleranceGate = {"HPAConfigurableTolerance", 35,
                                                           &FeatureGates::configurable_tolerance,
                                                           &GateOverrides::configurable_tolerance};
inline constexpr std::array kFeatureGates = {kScaleToZeroGate, kConfigurableToleranceGate};

// Ballast is tested up to Kubernetes 1.<kTestedMinor>. Its defaults count for a server whose
// version is unknown.
inline constexpr int kTestedMinor = 37;

// The defaults of Kubernetes 1.<minor>.
FeatureGates DefaultGates(int minor);

// `gates`, but as `overrides` says where it says something.
FeatureGates Apply(const GateOverrides& overrides, FeatureGates gates);

// Parses the value of Kubernetes' own flag --feature-gates,
// "HPAScaleToZero=true,HPAConfigurableTolerance=false". The last value of a gate counts. kInvalid:
// a gate that is unknown here, or a value that is neither true nor false.
Result<GateOverrides> ParseGateOverrides(std::string_view text);

}  // namespace ballast::api
