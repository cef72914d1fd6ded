#include "operator/cli/ledger/why_colour.h"

#include <algorithm>
#include <cstddef>

#include "operator/cli/terminal/terminal.h"

namespace ballast::cli {
namespace {

bool IsMarked(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(' ');
  return begin != std::string::npos && begin > 0 && line.compare(begin, 2, "* ") == 0;
}

}  // namespace

std::string ColourWhy(const std::string& text) {
  std::string coloured;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    coloured += Paint(begin == 0       ? Colour::kBold
                      : IsMarked(line) ? Colour::kYellow
                                       : Colour::kNone,
                      line);
    coloured += end < text.size() ? "\n" : "";
    begin = end + 1;
  }
  return coloured;
}

}  // namespace ballast::cli
