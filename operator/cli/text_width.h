// How many columns of a terminal a text takes. Characters of East Asian scripts and emoji take two,
// combining and invisible ones and the sequences that set colours none. The tables are part of the
// program, because the operator's image has no locales.
//
// Thread-safety: pure functions.
// Errors: none; each malformed byte counts as one column.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ballast::cli {

std::size_t WidthOf(std::string_view text);

// `text` followed by as many blanks as it needs to take `width` columns.
std::string PadTo(std::string text, std::size_t width);

// Cuts a text that takes more than `width` columns (three at least) between characters, and ends it
// with "...".
std::string FitTo(std::string_view text, std::size_t width);

}  // namespace ballast::cli
