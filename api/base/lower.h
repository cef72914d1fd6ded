// Names whose case does not matter, for comparison.
#pragma once

#include <string>

namespace ballast {

// ASCII letters in lower case; other bytes stay as they are, whatever the locale.
std::string Lower(std::string text);

}  // namespace ballast
