#include "api/base/printable.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "api/base/utf8.h"

namespace ballast {
namespace {

constexpr std::string_view kMore = "...";

// The length in bytes of the character that valid UTF-8 begins with.
std::size_t LengthOf(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

std::uint32_t CodePoint(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character.front());
  constexpr unsigned char kLeadBits[] = {0x7F, 0x1F, 0x0F, 0x07};
  std::uint32_t point = lead & kLeadBits[character.size() - 1];
  for (const char c : character.substr(1)) {
    point = point << 6 | (static_cast<unsigned char>(c) & 0x3FU);
  }
  return point;
}

bool Breaks(std::uint32_t point) {
  return (point >= '\t' && point <= '\r') || point == 0x85 || point == 0x2028 || point == 0x2029;
}

bool Controls(std::uint32_t point) {
  return point < 0x20 || (point >= 0x7F && point < 0xA0) || point == 0x061C ||
         (point >= 0x200E && point <= 0x200F) || (point >= 0x202A && point <= 0x202E) ||
         (point >= 0x2066 && point <= 0x2069) || point == 0xFEFF;
}

// What to show for one character.
std::string_view Shown(std::string_view character) {
  const std::uint32_t point = CodePoint(character);
  return Breaks(point) ? " " : Controls(point) ? kReplacement : character;
}

// Whether all of it is ASCII before DEL, as nearly all text is.
bool IsPlain(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  while (text.size() >= sizeof kOnes) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, text.data(), sizeof eight);
    if (((eight | (eight + kOnes)) & kHighBits) != 0) {
      return false;
    }
    text.remove_prefix(sizeof eight);
  }
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x7F; });
}

}  // namespace

std::string Printable(std::string_view text, std::size_t max_bytes) {
  std::string out;
  std::size_t cut = 0;  // the longest prefix that leaves room for kMore
  std::size_t valid = FindInvalidUtf8(text);
  while (!text.empty()) {
    const bool good = valid > 0;
    const std::size_t taken = good ? LengthOf(text) : 1;
    const std::string_view shown = good ? Shown(text.substr(0, taken)) : kReplacement;
    if (out.size() + kMore.size() <= max_bytes) {
      cut = out.size();
    }
    if (out.size() + shown.size() > max_bytes) {
      out.resize(cut);
      return out.append(kMore);
    }
    out += shown;
    text.remove_prefix(taken);
    valid = good ? valid - taken : FindInvalidUtf8(text);
  }
  return out;
}

std::string EscapeUnprintable(std::string json) {
  if (IsPlain(json)) {
    return json;
  }
  std::string out;
  std::string_view text = json;
  while (!text.empty()) {
    const std::string_view character = text.substr(0, LengthOf(text));
    const std::uint32_t point = CodePoint(character);
    if (point >= 0x7F && (Breaks(point) || Controls(point))) {
      std::array<char, 7> escaped{};
      std::snprintf(escaped.data(), escaped.size(), "\\u%04x",
                    point & 0xFFFFU);  // as all of them are
      out += escaped.data();
    } else {
      out += character;
    }
    text.remove_prefix(character.size());
  }
  return out;
}

}  // namespace ballast
