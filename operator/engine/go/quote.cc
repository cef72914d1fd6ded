#include "operator/engine/go/quote.h"

#include <array>
#include <utility>

namespace ballast::engine::go {
namespace {

constexpr std::array<std::pair<char, char>, 9> kEscapes = {{{'"', '"'},
                                                            {'\\', '\\'},
                                                            {'\a', 'a'},
                                                            {'\b', 'b'},
                                                            {'\f', 'f'},
                                                            {'\n', 'n'},
                                                            {'\r', 'r'},
                                                            {'\t', 't'},
                                                            {'\v', 'v'}}};

void Append(std::string& out, char c) {
  for (const auto& [plain, escaped] : kEscapes) {
    if (c == plain) {
      out += '\\';
      out += escaped;
      return;
    }
  }
  const auto code = static_cast<unsigned char>(c);
  if (code < 0x20 || code == 0x7f) {
    constexpr char kHex[] = "0123456789abcdef";
    out += "\\x";
    out += kHex[code >> 4];
    out += kHex[code & 15];
    return;
  }
  out += c;
}

}  // namespace

std::string Quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    Append(out, c);
  }
  return out + '"';
}

}  // namespace ballast::engine::go
