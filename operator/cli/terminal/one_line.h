// Text from outside (an API server's, a metrics source's) as a terminal may have it: without the
// characters that terminals obey (printable.h), however long.
#pragma once

#include <string>
#include <string_view>

namespace ballast::cli {

std::string OneLine(std::string_view text);
// The same for text of several lines.
std::string PrintableLines(std::string_view text);

}  // namespace ballast::cli
