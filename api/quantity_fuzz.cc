// No text makes a Quantity crash, overflow undefinedly or take long; what is printed reads back as
// the same value.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/quantity.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using ballast::Quantity;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t half = size / 2;
  const auto quantity = ballast::ParseQuantity(text);
  if (quantity.ok()) {
    quantity->MilliValue();
    quantity->Value();
    quantity->ToDouble();
    const auto again = ballast::ParseQuantity(quantity->Print());
    if (again.ok() && *again != *quantity) {  // what is too long is not read back
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
