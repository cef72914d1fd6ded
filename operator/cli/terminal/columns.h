// How many columns of a terminal a text takes, as fmt counts them (the only place that knows fmt):
// two for each wide character, none for the sequences that set colours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ballast::cli {

std::size_t WidthOf(std::string_view text);

// `text` followed by as many blanks as it needs to take `width` columns.
std::string PadTo(std::string text, std::size_t width);

// Cuts a text without colours that takes more than `width` columns between characters, and ends it
// with "..."; of three columns and less that is all. Wide characters may still take more.
std::string FitTo(std::string_view text, std::size_t width);

}  // namespace ballast::cli
