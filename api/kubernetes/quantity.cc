#include "api/kubernetes/quantity.h"

#include <array>
#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "api/base/digit.h"
#include "api/json/go_number.h"

namespace ballast {

namespace {

using boost::multiprecision::cpp_int;

constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMinInt64 = std::numeric_limits<std::int64_t>::min();
constexpr std::size_t kMaxText = 1'000;
constexpr std::int32_t kMaxWrittenOut = 10'000;
constexpr std::int32_t kNano = -9;
constexpr std::int32_t kMilli = -3;

constexpr std::array<std::int64_t, 19> kPowersOf10 = [] {
  std::array<std::int64_t, 19> powers{};
  std::int64_t power = 1;
  for (std::int64_t& p : powers) {
    p = power;
    power *= power < kMaxInt64 / 10 ? 10 : 1;
  }
  return powers;
}();

// Two's complement arithmetic, as in Go.
std::int64_t WrapMul(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
std::int32_t WrapSub(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
}

cpp_int PowerOf10(std::int32_t exponent) {
  return boost::multiprecision::pow(cpp_int(10), static_cast<unsigned>(exponent));
}

// A decimal of any size: unscaled * 10^exponent.
struct Decimal {
  cpp_int unscaled;
  std::int32_t exponent = 0;
};

// The lowest 64 bits of the magnitude with the number's sign, as Go's big.Int.Int64().
std::int64_t LowBits(const cpp_int& number) {
  const auto low = static_cast<std::uint64_t>(cpp_int(abs(number)) & ~std::uint64_t{0});
  return static_cast<std::int64_t>(number < 0 ? 0 - low : low);
}

// Rounds to the nearest double, ties to even: converts the top 64 bits, the last of them set if
// anything non-zero follows.
double NearestDouble(const cpp_int& number) {
  if (number == 0) {
    return 0;
  }
  cpp_int magnitude = abs(number);
  const auto bits = static_cast<int>(msb(magnitude)) + 1;
  const int dropped = bits > 64 ? bits - 64 : 0;
  const cpp_int top = magnitude >> dropped;
  const bool rest = dropped > 0 && static_cast<int>(lsb(magnitude)) < dropped;
  const double value =
      std::ldexp(static_cast<double>(static_cast<std::uint64_t>(top) | (rest ? 1 : 0)), dropped);
  return number < 0 ? -value : value;
}

// 10^exponent, as the same product of table entries as in Go's math.Pow10.
double Pow10(std::int64_t exponent) {
  static constexpr double kOnes[] = {1e00, 1e01, 1e02, 1e03, 1e04, 1e05, 1e06, 1e07,
                                     1e08, 1e09, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22, 1e23,
                                     1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31};
  static constexpr double kThirtyTwos[] = {1e00,  1e32,  1e64,  1e96,  1e128,
                                           1e160, 1e192, 1e224, 1e256, 1e288};
  static constexpr double kNegativeThirtyTwos[] = {1e-00,  1e-32,  1e-64,  1e-96,  1e-128, 1e-160,
                                                   1e-192, 1e-224, 1e-256, 1e-288, 1e-320};
  if (exponent >= 0 && exponent <= 308) {
    return kThirtyTwos[exponent / 32] * kOnes[exponent % 32];
  }
  if (exponent < 0 && exponent >= -323) {
    return kNegativeThirtyTwos[-exponent / 32] / kOnes[-exponent % 32];
  }
  return exponent > 0 ? std::numeric_limits<double>::infinity() : 0;
}

// value * 10^-shift, rounded away from zero; `exact` is true if nothing was rounded.
std::int64_t ScaleDown(std::int64_t value, std::int32_t shift, bool& exact) {
  const bool beyond = shift >= static_cast<std::int32_t>(kPowersOf10.size());
  const std::int64_t divisor = beyond ? kMaxInt64 : kPowersOf10[static_cast<std::size_t>(shift)];
  const std::int64_t quotient = beyond ? 0 : value / divisor;
  exact = beyond ? value == 0 : value % divisor == 0;
  if (exact) {
    return quotient;
  }
  return value > 0 ? quotient + 1 : quotient - 1;
}

// value * 10^shift. On overflow upstream's result depends on which multiplication it takes: the
// factors 10, 100, 10^3, 10^6 and 10^9 wrap, all others give 0.
std::int64_t ScaleUp(std::int64_t value, std::int32_t shift, bool& fits) {
  fits = true;
  if (shift <= 0 || value == 0) {
    return value;
  }
  if (value == kMinInt64) {
    fits = false;
    return 0;
  }
  const bool wraps = shift <= 3 || shift == 6 || shift == 9;
  std::int64_t result = 0;
  fits = shift < static_cast<std::int32_t>(kPowersOf10.size()) &&
         !__builtin_mul_overflow(value, kPowersOf10[static_cast<std::size_t>(shift)], &result);
  return fits || wraps ? result : 0;
}

// unscaled * 10^exponent in units of 10^unit. Rounds as upstream does: anything left over adds one,
// also below zero. Beyond 64 bits only the lowest 64 count.
std::int64_t ScaledValue(const Decimal& number, std::int32_t unit) {
  const std::int64_t shift = static_cast<std::int64_t>(number.exponent) - unit;
  if (shift == 0) {
    return LowBits(number.unscaled);
  }
  if (shift > 0) {
    const std::int64_t factor = shift < static_cast<std::int64_t>(kPowersOf10.size())
                                    ? kPowersOf10[static_cast<std::size_t>(shift)]
                                    : kMinInt64;  // amd64's int64 of a double too large
    return WrapMul(LowBits(number.unscaled), factor);
  }
  if (number.unscaled < kMaxInt64 && -shift < static_cast<std::int64_t>(kPowersOf10.size())) {
    const std::int64_t divisor = kPowersOf10[static_cast<std::size_t>(-shift)];
    const std::int64_t low = LowBits(number.unscaled);
    return low / divisor + (low % divisor != 0 ? 1 : 0);
  }
  if (number.unscaled == 0) {
    return 0;
  }
  const cpp_int divisor = PowerOf10(static_cast<std::int32_t>(-shift));
  cpp_int quotient;
  cpp_int remainder;
  divide_qr(number.unscaled, divisor, quotient, remainder);
  if (remainder < 0) {
    --quotient;  // rounded down, as upstream's division; the remainder then adds one
  }
  const auto result = static_cast<std::uint64_t>(LowBits(quotient)) + (remainder != 0 ? 1 : 0);
  return static_cast<std::int64_t>(result);
}

// Rounds away from zero to a multiple of 10^exponent.
Decimal RoundUp(const Decimal& number, std::int32_t exponent) {
  const std::int32_t shift = WrapSub(number.exponent, exponent);
  if (shift >= 0) {
    return {number.unscaled * PowerOf10(shift), exponent};
  }
  if (shift < -kMaxWrittenOut) {  // longer than any text: all that is left is that it is not 0
    return {cpp_int(number.unscaled.sign()), exponent};
  }
  cpp_int quotient;
  cpp_int remainder;
  divide_qr(number.unscaled, PowerOf10(-shift), quotient, remainder);
  return {quotient + remainder.sign(), exponent};
}

std::strong_ordering Order(int comparison) { return comparison <=> 0; }

// The number of decimal digits before the point of |number|, which must not be 0.
std::int64_t Magnitude(const Decimal& number) {
  return static_cast<std::int64_t>(cpp_int(abs(number.unscaled)).str().size()) + number.exponent;
}

std::strong_ordering Compare(const Decimal& a, const Decimal& b) {
  const int sign = a.unscaled.sign();
  if (sign != b.unscaled.sign() || sign == 0) {
    return sign <=> b.unscaled.sign();
  }
  const std::int64_t a_size = Magnitude(a);
  const std::int64_t b_size = Magnitude(b);
  if (a_size != b_size) {
    return Order((a_size < b_size ? -1 : 1) * sign);
  }
  // The sizes are equal, so the exponents differ by no more than the number of digits.
  const std::int32_t shift = a.exponent - b.exponent;
  return shift >= 0 ? Order(cpp_int(a.unscaled * PowerOf10(shift)).compare(b.unscaled))
                    : Order(a.unscaled.compare(cpp_int(b.unscaled * PowerOf10(-shift))));
}

constexpr std::string_view kDecimalSuffixes = "num kMGTPE";  // 10^-9, 10^-6, ..., 10^18
constexpr std::string_view kBinarySuffixes = "KMGTPE";       // 2^10, ..., 2^60

struct Suffix {
  std::int32_t base = 10;
  std::int32_t exponent = 0;
  Quantity::Format format = Quantity::Format::kDecimalSi;
};

std::optional<Suffix> ParseSuffix(std::string_view text) {
  if (text.empty()) {
    return Suffix{};
  }
  if (text.size() == 1) {
    const std::size_t at = kDecimalSuffixes.find(text[0]);
    return at == std::string_view::npos
               ? std::nullopt
               : std::optional(Suffix{10, static_cast<std::int32_t>(at) * 3 - 9});
  }
  if (text.size() == 2 && text[1] == 'i') {
    const std::size_t at = kBinarySuffixes.find(text[0]);
    return at == std::string_view::npos
               ? std::nullopt
               : std::optional(Suffix{2, static_cast<std::int32_t>(at) * 10 + 10,
                                      Quantity::Format::kBinarySi});
  }
  if (text[0] != 'e' && text[0] != 'E') {
    return std::nullopt;
  }
  text.remove_prefix(1);
  if (text[0] == '+') {
    text.remove_prefix(1);
    if (text.starts_with('-')) {
      return std::nullopt;
    }
  }
  std::int64_t exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return Suffix{10, static_cast<std::int32_t>(exponent), Quantity::Format::kDecimalExponent};
}

// A power without a suffix (10^21) is left out, as upstream does.
std::string PrintSuffix(std::int32_t exponent, Quantity::Format format) {
  if (exponent == 0) {
    return "";
  }
  if (format == Quantity::Format::kDecimalExponent) {
    return 'e' + std::to_string(exponent);
  }
  const bool binary = format == Quantity::Format::kBinarySi;
  const std::string_view names = binary ? kBinarySuffixes : kDecimalSuffixes;
  const std::int32_t index = binary ? exponent / 10 - 1 : (exponent + 9) / 3;
  if (index < 0 || index >= static_cast<std::int32_t>(names.size())) {
    return "";
  }
  return names[static_cast<std::size_t>(index)] + std::string(binary ? "i" : "");
}

std::string Digits(std::int64_t value) { return std::to_string(value); }
std::string Digits(const cpp_int& value) { return value.str(); }

// value *= 10; false if that overflows.
bool TimesTen(std::int64_t& value) { return !__builtin_mul_overflow(value, 10, &value); }
bool TimesTen(cpp_int& value) {
  value *= 10;
  return true;
}

// Prints a value of magnitude 1024 or more in the largest unit that leaves it whole.
template <typename Integer>
std::string PrintBinary(Integer value) {
  std::int32_t exponent = 0;
  while (value % 1024 == 0 && value != kMinInt64) {  // upstream cannot negate -2^63
    value /= 1024;
    exponent += 10;
  }
  return Digits(value) + PrintSuffix(exponent, Quantity::Format::kBinarySi);
}

// Prints value * 10^exponent, which must not be 0, without trailing zeros and with an exponent that
// is a multiple of 3; nullopt if Integer overflows.
template <typename Integer>
std::optional<std::string> PrintDecimal(Integer value, std::int32_t exponent,
                                        Quantity::Format format) {
  while (value % 10 == 0) {
    value /= 10;
    ++exponent;
  }
  for (; exponent % 3 != 0; --exponent) {
    if (!TimesTen(value)) {
      return std::nullopt;
    }
  }
  return Digits(value) + PrintSuffix(exponent, format);
}

// The parts of "-001.50Mi".
struct Parts {
  bool negative = false;
  std::string_view number;    // "-001.50"
  std::string_view whole;     // "1"; "0" if there is none
  std::string_view fraction;  // "50"
  std::string_view suffix;    // "Mi"
};

std::optional<Parts> Split(std::string_view text) {
  Parts parts;
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t begin = at;
    while (at < text.size() && IsDigit(text[at])) {
      ++at;
    }
    return text.substr(begin, at - begin);
  };
  if (text[0] == '-' || text[0] == '+') {
    parts.negative = text[0] == '-';
    ++at;
  }
  while (at < text.size() && text[at] == '0') {
    ++at;
  }
  if (at == text.size()) {
    parts.number = parts.whole = "0";
    return parts;
  }
  parts.whole = digits();
  if (parts.whole.empty()) {
    parts.whole = "0";
  }
  if (at < text.size() && text[at] == '.') {
    ++at;
    parts.fraction = digits();
  }
  parts.number = text.substr(0, at);
  const std::size_t suffix = at;
  while (at < text.size() && std::string_view("eEinumkKMGTP").find(text[at]) != text.npos) {
    ++at;
  }
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) {
    ++at;
  }
  digits();
  parts.suffix = text.substr(suffix);
  return at == text.size() ? std::optional(parts) : std::nullopt;
}

// Digits, at least one, with at most one point among them and an optional sign.
std::optional<Decimal> ParseDecimal(std::string_view text) {
  Decimal number;
  std::string digits;
  for (const char c : text) {
    if (IsDigit(c)) {
      digits += c;
    }
  }
  if (digits.empty()) {
    return std::nullopt;
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  number.unscaled = cpp_int(digits);
  if (text[0] == '-') {
    number.unscaled = -number.unscaled;
  }
  if (const std::size_t point = text.find('.'); point != text.npos) {
    number.exponent = -static_cast<std::int32_t>(text.size() - point - 1);
  }
  return number;
}

// Whether upstream prints the number as it was written: it repeats a text that it takes for
// canonical.
bool KeepsSpelling(const Parts& parts, const Suffix& suffix, std::int64_t digits,
                   std::int32_t scale) {
  if (suffix.base == 2) {
    return digits % 8 != 0;
  }
  const bool ends_in_000 = digits % 1000 == 0 && parts.whole.size() + parts.fraction.size() >= 3;
  return scale % 3 == 0 && !ends_in_000 && parts.whole[0] != '0';
}

// A number that upstream keeps in 64 bits: value * 10^scale.
struct Small {
  std::int64_t digits = 0;  // as written
  std::int64_t value = 0;   // with sign and binary suffix applied
  std::int32_t scale = 0;
};

// Uses 64 bits exactly where upstream does, because its two representations round differently.
std::optional<Small> ParseSmall(const Parts& parts, const Suffix& suffix) {
  const auto whole = static_cast<std::int32_t>(parts.whole.size());
  const auto fraction = static_cast<std::int32_t>(parts.fraction.size());
  const bool binary = suffix.base == 2;
  const std::int32_t spare_digits = !binary         ? 18 - whole - fraction
                                    : fraction == 0 ? 14 - whole - suffix.exponent * 3 / 10
                                                    : -1;
  Small small{.scale = binary ? 0 : WrapSub(suffix.exponent, fraction)};
  if (spare_digits < 0 || small.scale < kNano) {
    return std::nullopt;
  }
  for (const std::string_view part : {parts.whole, parts.fraction}) {
    for (const char c : part) {
      small.digits = small.digits * 10 + (c - '0');
    }
  }
  const std::int64_t unit = binary ? std::int64_t{1} << suffix.exponent : 1;
  if (__builtin_mul_overflow(small.digits, unit, &small.value)) {
    return std::nullopt;
  }
  small.value = parts.negative ? -small.value : small.value;
  return small;
}

// Any other number, rounded away from zero to billionths.
Result<Decimal> ParseLarge(const Parts& parts, const Suffix& suffix) {
  auto number = ParseDecimal(parts.number);
  if (!number) {
    return Error{Code::kInvalid, "unable to parse numeric part of quantity"};
  }
  if (suffix.base == 2) {
    number->unscaled <<= suffix.exponent;
  } else {
    number->exponent = WrapSub(number->exponent, WrapSub(0, suffix.exponent));
  }
  if (number->unscaled == 0) {
    return *std::move(number);
  }
  if (WrapSub(number->exponent, kNano) > kMaxWrittenOut) {
    return Error{Code::kInvalid, "a quantity written out has at most " +
                                     std::to_string(kMaxWrittenOut) + " digits"};
  }
  return RoundUp(*number, kNano);
}

}  // namespace

struct Quantity::Extra {
  std::optional<Decimal> number;
  std::string text;

  static Decimal NumberOf(const Quantity& q) {
    return q.is_big() ? *q.extra_->number : Decimal{cpp_int(q.value_), q.scale_};
  }
};

Result<Quantity> ParseQuantity(std::string_view text) {
  constexpr const char* kWrongFormat =
      "quantities must match the regular expression "
      "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  if (text.empty()) {
    return Error{Code::kInvalid, kWrongFormat};
  }
  if (text.size() > kMaxText) {
    return Error{Code::kInvalid,
                 "a quantity has at most " + std::to_string(kMaxText) + " characters"};
  }
  const auto parts = Split(text);
  if (!parts) {
    return Error{Code::kInvalid, kWrongFormat};
  }
  const auto suffix = ParseSuffix(parts->suffix);
  if (!suffix) {
    return Error{Code::kInvalid, "unable to parse quantity's suffix"};
  }

  Quantity quantity;
  quantity.format_ = suffix->format;
  if (const auto small = ParseSmall(*parts, *suffix)) {
    quantity.value_ = small->value;
    quantity.scale_ = small->scale;
    // Plain digits with a suffix need no copy of the text: Print() gives them back.
    const bool plain = suffix->format != Quantity::Format::kDecimalExponent &&
                       parts->whole.data() == text.data() + (parts->negative ? 1 : 0) &&
                       parts->number.size() == parts->whole.size() + (parts->negative ? 1 : 0);
    if (!plain && KeepsSpelling(*parts, *suffix, small->digits, small->scale)) {
      quantity.extra_ =
          std::make_shared<Quantity::Extra>(Quantity::Extra{std::nullopt, std::string(text)});
    }
    return quantity;
  }

  ASSIGN_OR_RETURN(Decimal number, ParseLarge(*parts, *suffix));
  if (suffix->base == 2) {
    const cpp_int one = PowerOf10(-number.exponent);
    const cpp_int magnitude = abs(number.unscaled);
    if (magnitude > kMaxInt64 * one) {
      number = {cpp_int(number.unscaled.sign() * kMaxInt64), 0};
    } else if (magnitude < one && magnitude != 0) {
      quantity.format_ = Quantity::Format::kDecimalSi;
    }
  }
  quantity.extra_ = std::make_shared<Quantity::Extra>(Quantity::Extra{std::move(number), {}});
  return quantity;
}

bool Quantity::is_big() const { return extra_ != nullptr && extra_->number.has_value(); }

Quantity Quantity::FromMilli(std::int64_t milli, Format format) {
  Quantity quantity = FromValue(milli, format);
  quantity.scale_ = kMilli;
  return quantity;
}

Quantity Quantity::FromValue(std::int64_t value, Format format) {
  Quantity quantity;
  quantity.value_ = value;
  quantity.format_ = format;
  return quantity;
}

Quantity::Format Quantity::format() const { return format_; }

std::int64_t Quantity::Scaled(std::int32_t unit) const {
  if (is_big()) {
    return ScaledValue(*extra_->number, unit);
  }
  bool ignored = false;
  return scale_ < unit ? ScaleDown(value_, WrapSub(unit, scale_), ignored)
                       : ScaleUp(value_, WrapSub(scale_, unit), ignored);
}

std::int64_t Quantity::MilliValue() const { return Scaled(kMilli); }
std::int64_t Quantity::Value() const { return Scaled(0); }

double Quantity::ToDouble() const {
  const double base =
      is_big() ? NearestDouble(extra_->number->unscaled) : static_cast<double>(value_);
  const std::int32_t exponent = is_big() ? extra_->number->exponent : scale_;
  return exponent == 0 ? base : base * Pow10(exponent);
}

int Quantity::Sign() const {
  if (is_big()) {
    return extra_->number->unscaled.sign();
  }
  return value_ == 0 ? 0 : value_ > 0 ? 1 : -1;
}

Quantity operator+(const Quantity& a, const Quantity& b) {
  if (a.Sign() == 0 || b.Sign() == 0) {
    return a.Sign() == 0 ? b : a;
  }
  if (a.is_big() || b.is_big()) {
    return Quantity::AddBig(a, b);
  }
  // In the finer of the two units, if the values fit in it.
  Quantity sum = Quantity::FromValue(0, a.format_);
  sum.scale_ = std::min(a.scale_, b.scale_);
  bool a_fits = false;
  bool b_fits = false;
  const std::int64_t left = ScaleUp(a.value_, WrapSub(a.scale_, sum.scale_), a_fits);
  const std::int64_t right = ScaleUp(b.value_, WrapSub(b.scale_, sum.scale_), b_fits);
  if (!a_fits || !b_fits || __builtin_add_overflow(left, right, &sum.value_)) {
    return Quantity::AddBig(a, b);
  }
  return sum;
}

Quantity Quantity::AddBig(const Quantity& a, const Quantity& b) {
  const Decimal left = Extra::NumberOf(a);
  const Decimal right = Extra::NumberOf(b);
  const std::int32_t exponent = std::min(left.exponent, right.exponent);
  if (std::max(left.exponent, right.exponent) - static_cast<std::int64_t>(exponent) >
      kMaxWrittenOut) {  // the sum has too many digits; the smaller operand does not count
    return left.exponent > right.exponent ? a : b;
  }
  // Neither operand has digits below that exponent, so nothing is rounded.
  Decimal sum{RoundUp(left, exponent).unscaled + RoundUp(right, exponent).unscaled, exponent};
  Quantity quantity = FromValue(0, a.format_);
  quantity.extra_ = std::make_shared<Extra>(Extra{std::move(sum), {}});
  return quantity;
}

std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) {
  if (a.is_big() || b.is_big()) {
    return Quantity::CompareBig(a, b);
  }
  if (a.scale_ == b.scale_) {
    return a.value_ <=> b.value_;
  }
  if (a.scale_ < b.scale_) {
    return 0 <=> (b <=> a);
  }
  const std::int64_t shift = static_cast<std::int64_t>(a.scale_) - b.scale_;
  if (shift >= static_cast<std::int64_t>(kPowersOf10.size())) {  // a non-zero a outweighs any b
    return a.value_ != 0 ? a.value_ <=> 0 : 0 <=> b.value_;
  }
  std::int64_t raised = 0;
  if (__builtin_mul_overflow(a.value_, kPowersOf10[static_cast<std::size_t>(shift)], &raised)) {
    return a.value_ <=> 0;
  }
  return raised <=> b.value_;
}

std::strong_ordering Quantity::CompareBig(const Quantity& a, const Quantity& b) {
  return Compare(Extra::NumberOf(a), Extra::NumberOf(b));
}

std::string Quantity::Print() const {
  if (extra_ != nullptr && !extra_->text.empty()) {
    return extra_->text;
  }
  if (Sign() == 0) {
    return "0";
  }
  const bool binary =
      format_ == Format::kBinarySi && (*this <= FromValue(-1024) || *this >= FromValue(1024));
  const Format decimal = format_ == Format::kDecimalExponent ? format_ : Format::kDecimalSi;
  if (binary && !is_big() && scale_ == 0) {
    return PrintBinary(value_);
  }
  if (!binary && !is_big()) {
    if (auto printed = PrintDecimal(value_, scale_, decimal)) {
      return *printed;
    }
  }
  const Decimal number = Extra::NumberOf(*this);
  if (binary) {
    const Decimal whole = RoundUp(number, 0);
    if (Compare(whole, number) == 0) {
      return PrintBinary(whole.unscaled);
    }
  }
  return *PrintDecimal(number.unscaled, number.exponent, decimal);
}

std::string Quantity::PrintShort() const {
  constexpr std::int64_t kKi = 1024;
  constexpr std::int64_t kMi = kKi * kKi;
  std::string text = Print();
  const bool has_large_unit = text.ends_with('i') && !text.ends_with("Ki");
  if (format_ != Format::kBinarySi || has_large_unit || Sign() < 0) {
    return text;
  }
  std::int64_t whole = Value();
  whole -= FromValue(whole) > *this ? 1 : 0;
  // The unit of which there are ten or more, so that little is lost.
  return whole >= 10 * kMi     ? std::to_string(whole / kMi) + "Mi"
         : whole >= 10 * kKi   ? std::to_string(whole / kKi) + "Ki"
         : text.ends_with('m') ? std::to_string(whole)
                               : text;
}

namespace json {

bool Read(const Cursor& in, Quantity& out) {
  if (!in.present()) {
    return false;
  }
  if (!in.IsString() && !in.IsNumber()) {
    in.Fail("expected a quantity like \"250m\"");
    return false;
  }
  double value = 0;
  std::string number = in.NumberText();
  if (in.IsNumber() && !in.Integer() && in.Read(value)) {
    number = PrintGoFloat(value);
  }
  std::string_view text = in.IsString() ? in.Text() : std::string_view(number);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  text.remove_suffix(text.size() - (text.find_last_not_of(' ') + 1));
  auto quantity = ParseQuantity(text);
  if (!quantity.ok()) {
    in.Fail(quantity.error().message);
    return false;
  }
  out = std::move(quantity).value();
  return true;
}

}  // namespace json

}  // namespace ballast
