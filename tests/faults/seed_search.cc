#include "tests/faults/seed_search.h"

#include <algorithm>

namespace ballast::faults {

std::optional<std::uint64_t> FindSeed(const SeedSearch& search) {
  for (std::uint64_t tried = 0; tried < search.tries; ++tried) {
    const std::uint64_t seed = search.first + tried;
    const std::string broken = search.with_defect(seed);
    if (std::ranges::find(search.invariants, broken) != search.invariants.end() &&
        (!search.without_defect || search.without_defect(seed).empty())) {
      return seed;
    }
  }
  return std::nullopt;
}

}  // namespace ballast::faults
