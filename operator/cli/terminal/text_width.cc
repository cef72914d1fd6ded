#include "operator/cli/terminal/text_width.h"

#include "api/base/printable.h"

namespace ballast::cli {
namespace {

// The length of the sequence for a colour with which `text` begins, or 0.
std::size_t LengthOfColour(std::string_view text) {
  if (!text.starts_with("\x1b[")) {
    return 0;
  }
  const std::size_t end = text.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

// Takes the first character, or sequence for a colour, off `text`, which is not empty.
std::string_view TakeCharacter(std::string_view& text, std::size_t& width) {
  std::size_t length = LengthOfColour(text);
  width = length > 0 ? 0 : 1;
  if (length == 0) {
    const auto continues = [](char byte) {
      return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
    };
    do {
      ++length;
    } while (length < text.size() && continues(text[length]));
  }
  const std::string_view character = text.substr(0, length);
  text.remove_prefix(length);
  return character;
}

}  // namespace

std::size_t WidthOf(std::string_view text) {
  std::size_t all = 0;
  while (!text.empty()) {
    std::size_t width = 0;
    TakeCharacter(text, width);
    all += width;
  }
  return all;
}

std::string PadTo(std::string text, std::size_t width) {
  const std::size_t present = WidthOf(text);
  text.append(width > present ? width - present : 0, ' ');
  return text;
}

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

std::string FitTo(std::string_view text, std::size_t width) {
  if (WidthOf(text) <= width) {
    return std::string(text);
  }
  constexpr std::string_view kMore = "...";
  if (width <= kMore.size()) {
    return std::string(kMore.substr(0, width));
  }
  std::string fitting;
  std::size_t left = width - kMore.size();
  while (!text.empty()) {
    std::size_t takes = 0;
    const std::string_view character = TakeCharacter(text, takes);
    if (takes > left) {
      break;
    }
    left -= takes;
    fitting += character;
  }
  return fitting.append(kMore);
}

}  // namespace ballast::cli
