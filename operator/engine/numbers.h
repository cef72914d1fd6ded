// The integers of an evaluation. An HPA's wrap around as those of upstream's controller do
// (go/arithmetic.h); a policy's stop at the bounds of their type, so that what is meant to be
// without a limit has none, and what is too much never counts as too little.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "api/kubernetes/quantity.h"
#include "operator/engine/go/arithmetic.h"
#include "operator/engine/quirks.h"

namespace ballast::engine {

class Numbers {
 public:
  explicit constexpr Numbers(const Quirks& quirks) : wrap_(quirks.numbers_wrap) {}

  constexpr std::int32_t Add(std::int32_t a, std::int32_t b) const {
    return wrap_ ? go::Add(a, b) : Bounded<std::int32_t>(std::int64_t{a} + b);
  }
  constexpr std::int32_t Subtract(std::int32_t a, std::int32_t b) const {
    return wrap_ ? go::Subtract(a, b) : Bounded<std::int32_t>(std::int64_t{a} - b);
  }
  constexpr std::int64_t Add(std::int64_t a, std::int64_t b) const {
    return wrap_ ? go::Add(a, b) : Bounded<std::int64_t>(Wide{a} + b);
  }
  // a * b / c, where c is not 0, truncated toward zero.
  constexpr std::int64_t Scale(std::int64_t a, std::int64_t b, std::int64_t c) const {
    return wrap_ ? go::Divide(go::Multiply(a, b), c) : Bounded<std::int64_t>(Wide{a} * b / c);
  }
  constexpr std::int32_t ToInt32(std::int64_t value) const {
    return wrap_ ? static_cast<std::int32_t>(value) : Bounded<std::int32_t>(value);
  }

  // Truncates toward zero. Of an HPA what does not fit becomes the minimum; of a policy NaN is 0.
  constexpr std::int32_t ToInt32(double value) const {
    return wrap_ ? go::ToInt32(value) : ToInt32(ToInt64(value));
  }
  constexpr std::int64_t ToInt64(double value) const {
    const std::int64_t converted = go::ToInt64(value);
    if (wrap_ || converted != std::numeric_limits<std::int64_t>::min() || value < 0) {
      return converted;
    }
    return value > 0 ? std::numeric_limits<std::int64_t>::max() : 0;
  }

  // In thousandths.
  std::int64_t Milli(const Quantity& quantity) const {
    // Well above the rounding of a double near the bounds, and well below any real quantity.
    constexpr double kBeyond = 9.2233720368547e15;
    const double value = wrap_ ? 0 : quantity.ToDouble();
    return value >= kBeyond || value <= -kBeyond ? ToInt64(value * 1000) : quantity.MilliValue();
  }

 private:
  __extension__ using Wide = __int128;

  template <typename Int, typename From>
  static constexpr Int Bounded(From value) {
    return static_cast<Int>(
        std::clamp<From>(value, std::numeric_limits<Int>::min(), std::numeric_limits<Int>::max()));
  }

  bool wrap_;
};

}  // namespace ballast::engine
