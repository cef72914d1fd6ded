// How deep a JSON text may be.
#pragma once

namespace ballast::json {

// In levels. RapidJSON's destructor and its writer recurse.
inline constexpr int kMaxDepth = 64;

}  // namespace ballast::json
