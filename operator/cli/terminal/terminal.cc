#include "operator/cli/terminal/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "api/base/lower.h"
#include "operator/os/environment.h"

namespace ballast::cli {

std::size_t TerminalWidth() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  const std::string text = os::Environment("COLUMNS");
  std::size_t width = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
  // What nobody has on a screen is a mistake.
  const bool plausible =
      error == std::errc() && end == text.data() + text.size() && width > 0 && width <= 1000;
  return plausible ? width : 80;
}

bool TerminalHasUtf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string locale = Lower(os::Environment(name));
    if (!locale.empty()) {
      return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
    }
  }
  return false;
}

bool TerminalHasColour() {
  const std::string terminal = os::Environment("TERM");
  return isatty(STDOUT_FILENO) == 1 && os::Environment("NO_COLOR").empty() && !terminal.empty() &&
         terminal != "dumb";
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

std::string Unpainted(std::string_view text) {
  std::string bare;
  while (true) {
    const std::size_t colour = std::min(text.find("\x1b["), text.size());
    bare += text.substr(0, colour);
    const std::size_t end = text.find('m', colour);
    if (end == std::string_view::npos) {
      return bare;
    }
    text.remove_prefix(end + 1);
  }
}

}  // namespace ballast::cli
