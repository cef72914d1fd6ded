// Words and reasons that several passes share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ballast::engine {

// "1 pod", "2 pods"
inline std::string Count(std::int64_t number, const char* what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}
inline std::string Replicas(std::int32_t number) { return Count(number, "replica"); }

// How the sentence about a metric that gives no proposal begins.
inline constexpr std::string_view kUnusable = "This metric is unusable: ";

// In the sentence about the pods of a metric, if some do not count in full.
inline constexpr const char* kCountedInFull = " counted in full";

// Upstream's reasons for a rescale that enforces the bounds.
inline constexpr const char* kAboveMaximum = "Current number of replicas above Spec.MaxReplicas";
inline constexpr const char* kBelowMinimum = "Current number of replicas below Spec.MinReplicas";

}  // namespace ballast::engine
