// The engine's version: what a recorded decision was made by.
//
// Raised by the commit that changes any decision or conclusion of a policy: the same snapshot, and
// another count, condition, event or memory. Not by what only changes the trace, and not by a new
// field of the snapshot that decides as before where it is absent. 0 is what was recorded before
// there were versions. Thread-safety: a constant.
#pragma once

#include <cstdint>

namespace ballast::engine {

inline constexpr std::int64_t kEngineVersion = 1;

}  // namespace ballast::engine
