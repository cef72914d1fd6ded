// Quotes text as Go's %q does: double quotes, and escapes for control characters.
//
// Exact for ASCII. Other bytes are copied; Go escapes invalid UTF-8 and unprintable characters.
#pragma once

#include <string>
#include <string_view>

namespace ballast::engine::go {

std::string Quote(std::string_view text);

}  // namespace ballast::engine::go
