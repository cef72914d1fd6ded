// Which of several seeds finds a defect. The seeds are tried in a fixed order, so that it does not
// matter which run one of them is: a change that draws one random number more makes each another.
//
// Thread-safety: one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ballast::faults {

// Runs the seed, and returns the invariant that broke; empty: none did.
using RunSeed = std::function<std::string(std::uint64_t seed)>;

struct SeedSearch {
  std::uint64_t first = 1;
  std::uint64_t tries = 1;
  std::vector<std::string> invariants;  // any of these may see the defect
  RunSeed with_defect;
  RunSeed without_defect;  // null: there is none that could be left out
};

// The first seed whose run breaks one of the invariants with the defect, and none at all without
// it, which is tried last, as it rarely matters. Absent: no seed does.
std::optional<std::uint64_t> FindSeed(const SeedSearch& search);

}  // namespace ballast::faults
