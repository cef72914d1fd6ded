#include "operator/cli/terminal/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

#include "api/base/lower.h"

namespace ballast::cli {

std::size_t TerminalWidth() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  if (const char* columns = std::getenv("COLUMNS")) {
    const std::string_view text(columns);
    std::size_t width = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
    // What nobody has on a screen is a mistake.
    if (error == std::errc() && end == text.data() + text.size() && width > 0 && width <= 1000) {
      return width;
    }
  }
  return 80;
}

bool TerminalHasUtf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') {
      const std::string locale = Lower(value);
      return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
    }
  }
  return false;
}

bool TerminalHasColour() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && (no_colour == nullptr || *no_colour == '\0') &&
         terminal != nullptr && std::string_view(terminal) != "dumb";
}

std::string Paint(Colour colour, const std::string& text) {
  if (colour == Colour::kNone || text.empty()) {
    return text;
  }
  const char* code = colour == Colour::kGreen    ? "32"
                     : colour == Colour::kYellow ? "33"
                     : colour == Colour::kRed    ? "31"
                                                 : "1";
  return std::string("\x1b[") + code + "m" + text + "\x1b[0m";
}

}  // namespace ballast::cli
