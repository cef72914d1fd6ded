// Defects of the past that a run puts back, to prove that it would find them. The patches in
// defects/ ask for them in the simulator's copies of the program's sources.
//
// Thread-safety: any thread.
#pragma once

#include <string_view>

namespace ballast {

// Whether that defect is put back ("core-H2").
bool HasDefect(std::string_view name);

}  // namespace ballast
