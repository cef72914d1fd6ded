// What is left of a count after the limits.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/decision/step.h"

namespace ballast::engine {

// A limited count, with reason and message of the condition ScalingLimited.
struct Limited {
  std::int32_t replicas = 0;
  std::string_view reason;
  std::string_view message;
  std::optional<LimitKind> limit = {};  // that it met; absent: none
};

}  // namespace ballast::engine
