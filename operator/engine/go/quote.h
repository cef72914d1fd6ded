// Text as Go's %q prints it: double-quoted, with escapes for what cannot be seen.
//
// Exact for ASCII; beyond it, only control characters are escaped (Go also escapes the rarer
// unprintable ones). Thread-safety: pure function. It cannot fail.
#pragma once

#include <string>
#include <string_view>

namespace ballast::engine::go {

std::string Quote(std::string_view text);

}  // namespace ballast::engine::go
