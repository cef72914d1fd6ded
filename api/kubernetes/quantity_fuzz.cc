// No text makes a Quantity crash, overflow with undefined behaviour or take long. What it prints
// reads back as the same value.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "api/kubernetes/quantity.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using ballast::Quantity;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t half = size / 2;
  const auto quantity = ballast::ParseQuantity(text);
  if (quantity.ok()) {
    quantity->MilliValue();
    quantity->Value();
    quantity->ToDouble();
    // Beyond int64, upstream's Print may leave the exponent out.
    const auto again = ballast::ParseQuantity(quantity->Print());
    const bool fits =
        *quantity <= Quantity::FromValue(kMost) && *quantity >= Quantity::FromValue(-kMost);
    if (fits && !(again.ok() && *again == *quantity)) {
      std::abort();
    }
  }
  const auto a = ballast::ParseQuantity(text.substr(0, half));
  const auto b = ballast::ParseQuantity(text.substr(half));
  if (a.ok() && b.ok()) {
    if ((*a < *b) != (*b > *a)) {
      std::abort();
    }
    (*a + *b).Print();
  }
  return 0;
}
