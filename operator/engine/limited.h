// What is left of a count after the limits.
//
// Thread-safety: a plain value.
#pragma once

#include <cstdint>
#include <string_view>

namespace ballast::engine {

// A limited count, with reason and message of the condition ScalingLimited.
struct Limited {
  std::int32_t replicas = 0;
  std::string_view reason;
  std::string_view message;
};

}  // namespace ballast::engine
