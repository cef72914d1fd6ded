// Whatever a text holds: a quantity that was read prints, and what is printed reads back as the
// same number; sums and comparisons agree with each other.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/quantity.h"

namespace {

void Require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto quantity =
      ballast::ParseQuantity(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!quantity.ok()) {
    return 0;
  }
  quantity->Value();
  quantity->MilliValue();
  quantity->ToDouble();
  Require(*quantity == *quantity);
  const ballast::Quantity twice = *quantity + *quantity;
  Require((twice <=> *quantity) == (quantity->Sign() <=> 0));
  if (const auto again = ballast::ParseQuantity(quantity->Print()); again.ok()) {
    Require(again->Sign() == quantity->Sign());
  }
  return 0;
}
