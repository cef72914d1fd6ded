#include "operator/cli/terminal/text_width.h"

#include <algorithm>
#include <array>

#include "api/base/printable.h"
#include "api/base/utf8.h"

namespace ballast::cli {
namespace {

struct Block {
  char32_t first;
  char32_t last;
};

// From Unicode's character database: general categories Mn, Me and Cf.
constexpr std::array kZeroWidth = std::to_array<Block>({
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x05BF, 0x05BF},   {0x05C1, 0x05C2},
    {0x05C4, 0x05C5}, {0x0610, 0x061A}, {0x064B, 0x065F}, {0x0670, 0x0670},   {0x06D6, 0x06DC},
    {0x06DF, 0x06E4}, {0x06E7, 0x06E8}, {0x06EA, 0x06ED}, {0x0900, 0x0902},   {0x093A, 0x093A},
    {0x093C, 0x093C}, {0x0941, 0x0948}, {0x094D, 0x094D}, {0x0951, 0x0957},   {0x0E31, 0x0E31},
    {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},   {0x200B, 0x200F},
    {0x202A, 0x202E}, {0x2060, 0x206F}, {0x20D0, 0x20F0}, {0x302A, 0x302D},   {0x3099, 0x309A},
    {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF},
});

// From Unicode's EastAsianWidth: W and F.
constexpr std::array kWide = std::to_array<Block>({
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},
    {0x23F0, 0x23F0},   {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x267F, 0x267F},   {0x2693, 0x2693},   {0x26A1, 0x26A1},
    {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},   {0x26CE, 0x26CE},
    {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},
    {0x26FA, 0x26FA},   {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},
    {0x2728, 0x2728},   {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2795, 0x2797},   {0x27B0, 0x27B0},   {0x27BF, 0x27BF},
    {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},   {0x2E80, 0x303E},
    {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},
    {0xA960, 0xA97C},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE10, 0xFE19},
    {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x16FE0, 0x18DFF},
    {0x1B000, 0x1B2FF}, {0x1F004, 0x1F004}, {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E},
    {0x1F191, 0x1F19A}, {0x1F200, 0x1F265}, {0x1F300, 0x1F320}, {0x1F32D, 0x1F335},
    {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393}, {0x1F3A0, 0x1F3CA}, {0x1F3CF, 0x1F3D3},
    {0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4}, {0x1F3F8, 0x1F43E}, {0x1F440, 0x1F440},
    {0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D}, {0x1F54B, 0x1F54E}, {0x1F550, 0x1F567},
    {0x1F57A, 0x1F57A}, {0x1F595, 0x1F596}, {0x1F5A4, 0x1F5A4}, {0x1F5FB, 0x1F64F},
    {0x1F680, 0x1F6C5}, {0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6D7}, {0x1F6DC, 0x1F6DF},
    {0x1F6EB, 0x1F6EC}, {0x1F6F4, 0x1F6FC}, {0x1F7E0, 0x1F7EB}, {0x1F90C, 0x1F93A},
    {0x1F93C, 0x1F945}, {0x1F947, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x2FFFD},
    {0x30000, 0x3FFFD},
});

static_assert(std::ranges::is_sorted(kZeroWidth, {}, &Block::last));
static_assert(std::ranges::is_sorted(kWide, {}, &Block::last));

template <std::size_t kSize>
bool Contains(const std::array<Block, kSize>& blocks, char32_t character) {
  const auto block = std::ranges::lower_bound(blocks, character, {}, &Block::last);
  return block != blocks.end() && block->first <= character;
}

std::size_t WidthOfCharacter(char32_t character) {
  if (Contains(kZeroWidth, character)) {
    return 0;
  }
  return Contains(kWide, character) ? 2 : 1;
}

// The length in bytes of the well-formed character that begins with `lead`.
std::size_t LengthOf(unsigned char lead) {
  return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

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
  if (const std::size_t colour = LengthOfColour(text); colour > 0) {
    width = 0;
    const std::string_view sequence = text.substr(0, colour);
    text.remove_prefix(colour);
    return sequence;
  }
  const std::size_t length = LengthOf(static_cast<unsigned char>(text.front()));
  const std::string_view bytes = text.substr(0, length);
  if (bytes.size() < length || FindInvalidUtf8(bytes) != bytes.size()) {
    width = 1;
    const std::string_view malformed = text.substr(0, 1);
    text.remove_prefix(1);
    return malformed;
  }
  auto character = static_cast<char32_t>(static_cast<unsigned char>(bytes.front()));
  if (length > 1) {
    character &= 0x7FU >> length;
    for (const char more : bytes.substr(1)) {
      character = character << 6 | (static_cast<unsigned char>(more) & 0x3FU);
    }
  }
  width = WidthOfCharacter(character);
  text.remove_prefix(length);
  return bytes;
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
