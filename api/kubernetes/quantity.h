// Kubernetes' resource.Quantity: an exact decimal number with a suffix ("250m", "1Gi", "3e6").
//
// Parses, computes and prints as k8s.io/apimachinery/pkg/api/resource does, including its rounding,
// overflow and spelling, because decisions must equal upstream's. Two limits keep hostile input
// cheap, where upstream would compute for minutes: a text has at most 1,000 characters, and a
// number with more than 18 digits at most 10,000 when written out.
//
// Errors: ParseQuantity returns kInvalid; nothing else fails.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "api/base/result.h"
#include "api/json/json.h"

namespace ballast {

class Quantity {
 public:
  enum class Format { kDecimalSi, kBinarySi, kDecimalExponent };

  Quantity() = default;
  // milli / 1000 (may be negative), printed in `format`.
  static Quantity FromMilli(std::int64_t milli, Format format = Format::kDecimalSi);
  static Quantity FromValue(std::int64_t value, Format format = Format::kDecimalSi);

  // In thousandths. A fraction of one is rounded away from zero, except below zero in numbers kept
  // in more than 64 bits, where upstream adds one as well. Beyond int64 the result is upstream's:
  // the lowest bits, or 0.
  std::int64_t MilliValue() const;
  // In ones; rounding and overflow as in MilliValue().
  std::int64_t Value() const;
  // As a double, computed as upstream's AsApproximateFloat64 does.
  double ToDouble() const;
  // -1, 0 or 1.
  int Sign() const;
  Format format() const;

  // Exact, unless the exponents differ by more than 10,000: then the sum is the operand with the
  // larger one. Printed in the format of `a`, unless `a` is 0.
  friend Quantity operator+(const Quantity& a, const Quantity& b);

  // By value: "1" equals "1000m".
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b);
  friend bool operator==(const Quantity& a, const Quantity& b) { return (a <=> b) == 0; }

  // The canonical form in this quantity's format ("1500m", "1Gi").
  std::string Print() const;
  // The same for people: an amount in binary units that is not whole in a large one is cut to whole
  // Mi, Ki or ones ("163Mi" for 171481497600m), much as kubectl prints memory.
  std::string PrintShort() const;

 private:
  friend Result<Quantity> ParseQuantity(std::string_view text);
  // The rare cases: a number that does not fit below, or a spelling that Print() must repeat.
  struct Extra;
  static std::strong_ordering CompareBig(const Quantity& a, const Quantity& b);
  static Quantity AddBig(const Quantity& a, const Quantity& b);
  bool is_big() const;
  std::int64_t Scaled(std::int32_t unit) const;  // in units of 10^unit

  std::int64_t value_ = 0;  // value_ * 10^scale_, unless extra_ holds the number
  std::int32_t scale_ = 0;
  Format format_ = Format::kDecimalSi;
  std::shared_ptr<const Extra> extra_;
};

// kInvalid with upstream's text.
Result<Quantity> ParseQuantity(std::string_view text);

namespace json {
// Reads a string, or a bare number as upstream allows; a malformed one is a problem at the cursor.
bool Read(const Cursor& in, Quantity& out);
}  // namespace json

}  // namespace ballast
