// The terminal that standard output is, as far as tables and pictures need to know it.
//
// Thread-safety: main thread only, as it reads the environment; Paint and Unpainted are
// pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ballast::cli {

// The width of the terminal; if standard output is none, $COLUMNS; else 80.
std::size_t TerminalWidth();

// Whether the environment's locale has UTF-8: the first of LC_ALL, LC_CTYPE and LANG that is set
// names it. (The program itself has no locale: its image has none.)
bool TerminalHasUtf8();

// Whether to print in colour: on a terminal that is not "dumb", unless NO_COLOR is set
// (https://no-color.org).
bool TerminalHasColour();

enum class Colour { kNone, kGreen, kYellow, kRed, kBold };
// `text` in that colour, by sequences that take no column.
std::string Paint(Colour colour, const std::string& text);
// The same text without what Paint adds, of which it may have several.
std::string Unpainted(std::string_view text);

}  // namespace ballast::cli
