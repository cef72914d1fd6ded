#include "operator/cli/terminal/columns.h"

#include <fmt/format.h>

#include "operator/cli/terminal/terminal.h"

namespace ballast::cli {

std::size_t WidthOf(std::string_view text) {
  // No character takes more columns than bytes. fmt fills up to a width with blanks, one byte each.
  const std::string bare = Unpainted(text);
  return 2 * bare.size() - fmt::formatted_size("{:<{}}", bare, bare.size());
}

std::string PadTo(std::string text, std::size_t width) {
  const std::size_t present = WidthOf(text);
  text.append(width > present ? width - present : 0, ' ');
  return text;
}

std::string FitTo(std::string_view text, std::size_t width) {
  constexpr std::string_view kMore = "...";
  return WidthOf(text) <= width  ? std::string(text)
         : width <= kMore.size() ? std::string(kMore.substr(0, width))
                                 : fmt::format("{:.{}}{}", text, width - kMore.size(), kMore);
}

}  // namespace ballast::cli
