// How many columns of a terminal a text takes: one for each character, none for the sequences that
// set colours. Names in tables are Kubernetes', which have no wide characters; where a person's
// note has some, its line is not aligned.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ballast::cli {

std::size_t WidthOf(std::string_view text);

// `text` followed by as many blanks as it needs to take `width` columns.
std::string PadTo(std::string text, std::size_t width);

// Cuts a text that takes more than `width` columns between characters, and ends it with "..."; of
// three columns and less that is all.
std::string FitTo(std::string_view text, std::size_t width);

// Text from outside (an API server's, a metrics source's) as a terminal may have it: one line,
// without the characters that terminals obey (printable.h), however long.
std::string OneLine(std::string_view text);
// The same for text of several lines.
std::string PrintableLines(std::string_view text);

}  // namespace ballast::cli
