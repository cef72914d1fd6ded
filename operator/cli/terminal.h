// The terminal that standard output is, as far as pictures need to know it.
//
// Thread-safety: main thread only, as it reads the environment.
// Errors: none.
#pragma once

#include <cstddef>

namespace ballast::cli {

// The width of the terminal; if standard output is none, $COLUMNS; else 80.
std::size_t TerminalWidth();

// Whether the environment's locale has UTF-8: the first of LC_ALL, LC_CTYPE and LANG that is set
// names it. (The program itself has no locale: its image has none.)
bool TerminalHasUtf8();

}  // namespace ballast::cli
