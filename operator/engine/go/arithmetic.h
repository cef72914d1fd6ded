// Integer arithmetic as in Go on amd64, without C++'s undefined behaviour: integers wrap around,
// and a float that does not fit into the integer type becomes the type's minimum (CVTTSD2SL,
// CVTTSD2SQ).
//
// Upstream's controller computes like this, and the engine must reproduce its results.
#pragma once

#include <cstdint>
#include <limits>

namespace ballast::engine::go {

constexpr std::int64_t Add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
constexpr std::int64_t Multiply(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
// Truncates toward zero. `b` must not be 0.
constexpr std::int64_t Divide(std::int64_t a, std::int64_t b) {
  return b == -1 ? Multiply(a, -1) : a / b;
}

constexpr std::int32_t Add(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}
constexpr std::int32_t Subtract(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
}

// Both truncate toward zero; NaN and values out of range become the minimum.
constexpr std::int32_t ToInt32(double value) {
  return value > -2147483649.0 && value < 2147483648.0 ? static_cast<std::int32_t>(value)
                                                       : std::numeric_limits<std::int32_t>::min();
}
constexpr std::int64_t ToInt64(double value) {
  return value >= -9223372036854775808.0 && value < 9223372036854775808.0
             ? static_cast<std::int64_t>(value)
             : std::numeric_limits<std::int64_t>::min();
}

}  // namespace ballast::engine::go
