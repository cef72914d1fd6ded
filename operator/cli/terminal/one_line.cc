#include "operator/cli/terminal/one_line.h"

#include "api/base/printable.h"

namespace ballast::cli {

std::string OneLine(std::string_view text) { return Printable(text, std::string::npos); }

std::string PrintableLines(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines += OneLine(text.substr(0, end));
    if (end == std::string_view::npos) {
      break;
    }
    lines += '\n';
    text.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace ballast::cli
