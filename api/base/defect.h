// Defects of the past that a test puts back, to prove that it would find them.
//
//   const bool may_arrive = !BALLAST_DEFECT("core-M4") && clock.Steady() < attempt.deadline;
//
// In the program the macro is `false`. The simulator (docs/simulation.md) compiles the files that
// use it once more, with BALLAST_DEFECTS defined, and defines HasDefect.
//
// Thread-safety: any thread.
// Errors: none.
#pragma once

#ifdef BALLAST_DEFECTS
#include <string_view>

namespace ballast {
// Whether that defect is put back.
bool HasDefect(std::string_view name);
}  // namespace ballast

#define BALLAST_DEFECT(name) (::ballast::HasDefect(name))
#else
#define BALLAST_DEFECT(name) false
#endif
