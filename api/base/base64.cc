#include "api/base/base64.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "api/base/digit.h"

namespace ballast {
namespace {

// The six bits that a character encodes; -1 for a character outside of the alphabet.
int Bits(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (IsDigit(c)) return c - '0' + 52;
  if (c == '+') return 62;
  if (c == '/') return 63;
  return -1;
}

}  // namespace

Result<std::string> DecodeBase64(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  int characters = 0;
  int padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      continue;
    }
    const int bits = c == '=' ? 0 : Bits(c);
    if (bits < 0) {
      return Error{Code::kInvalid, "not base64: a character that does not belong"};
    }
    if (padding > 0 && c != '=') {
      return Error{Code::kInvalid, "not base64: padding before the end"};
    }
    padding += c == '=' ? 1 : 0;
    group = group << 6 | static_cast<std::uint32_t>(bits);
    if (++characters % 4 == 0) {
      for (int i = 0; i < 3 - padding; ++i) {
        out += static_cast<char>(group >> (16 - 8 * i) & 0xff);
      }
      group = 0;
    }
  }
  if (characters % 4 != 0 || padding > 2) {
    return Error{Code::kInvalid, "not base64: cut off"};
  }
  return out;
}

std::string EncodeBase64(std::string_view bytes) {
  constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      group = group << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      out += i <= count ? kAlphabet[group >> (18 - 6 * i) & 0x3f] : '=';
    }
  }
  return out;
}

}  // namespace ballast
