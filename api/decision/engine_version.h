// The version of the engine that made a recorded decision.
//
// From the first release on, raise it in the commit that changes any decision or conclusion of a
// policy: the same snapshot gives another count, condition, event or memory. Do not raise it for
// changes of the trace alone, or for a new field of the snapshot that changes nothing where it is
// absent.
#pragma once

#include <cstdint>

namespace ballast::engine {

inline constexpr std::int64_t kEngineVersion = 1;

}  // namespace ballast::engine
