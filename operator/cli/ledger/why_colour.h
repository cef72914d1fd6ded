// The text that `ballast why` prints, for a terminal with colours.
#pragma once

#include <string>

namespace ballast::cli {

// The answer, which is the first line, and the rule that set the count (marked with "*") stand out.
std::string ColourWhy(const std::string& text);

}  // namespace ballast::cli
