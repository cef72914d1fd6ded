#include "api/base/utf8.h"

#include <cstdint>
#include <cstring>

namespace ballast {
namespace {

// Skips ASCII eight bytes at a time. Returns an offset with only ASCII between it and `at`; it may
// stop up to seven bytes early.
std::size_t SkipAscii(std::string_view text, std::size_t at) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  std::uint64_t block = 0;
  while (at + sizeof(block) <= text.size()) {
    std::memcpy(&block, text.data() + at, sizeof(block));
    if ((block & kHighBits) != 0) {
      break;
    }
    at += sizeof(block);
  }
  return at;
}

// The length of the sequence at `at`; 0 if it is malformed.
std::size_t SequenceLength(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t offset) {
    return at + offset < text.size() ? static_cast<unsigned char>(text[at + offset]) : 0U;
  };
  const auto continues = [&](std::size_t offset) { return (byte(offset) & 0xC0U) == 0x80U; };
  const unsigned lead = byte(0);
  const unsigned second = byte(1);
  if (lead < 0x80) {
    return 1;
  }
  if (lead >= 0xC2 && lead <= 0xDF) {
    return continues(1) ? 2 : 0;
  }
  if (lead >= 0xE0 && lead <= 0xEF) {
    const bool overlong = lead == 0xE0 && second < 0xA0;
    const bool surrogate = lead == 0xED && second > 0x9F;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const bool overlong = lead == 0xF0 && second < 0x90;
    const bool beyond = lead == 0xF4 && second > 0x8F;
    return continues(1) && continues(2) && continues(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::size_t FindInvalidUtf8(std::string_view text) {
  std::size_t at = SkipAscii(text, 0);
  while (at < text.size()) {
    const std::size_t length = SequenceLength(text, at);
    if (length == 0) {
      return at;
    }
    at = SkipAscii(text, at + length);
  }
  return at;
}

std::string ReplaceInvalidUtf8(std::string_view text) {
  std::string out;
  for (;;) {
    const std::size_t valid = FindInvalidUtf8(text);
    out += text.substr(0, valid);
    if (valid == text.size()) {
      return out;
    }
    out += kReplacement;
    text.remove_prefix(valid + 1);
  }
}

std::string Shorten(std::string text, std::size_t size) {
  constexpr std::string_view kMore = "...";
  if (text.size() > size) {
    text.resize(size - kMore.size());
    text.resize(FindInvalidUtf8(text));
    text += kMore;
    text.shrink_to_fit();
  }
  return text;
}

}  // namespace ballast
