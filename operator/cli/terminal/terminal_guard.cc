#include "operator/cli/terminal/terminal_guard.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "api/base/digit.h"
#include "operator/cli/terminal/one_line.h"

namespace ballast::cli {
namespace {

// The length of the colour that the text begins with: ESC [ digits m. 0: it begins with none.
std::size_t ColourLength(std::string_view text) {
  constexpr std::string_view kBegin = "\x1b[";
  if (!text.starts_with(kBegin)) {
    return 0;
  }
  const auto end = std::ranges::find_if_not(text.substr(kBegin.size()), IsDigit);
  return end != text.end() && *end == 'm' ? static_cast<std::size_t>(end - text.begin()) + 1 : 0;
}

std::string ForTerminal(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t colour = ColourLength(text);
    out += text.substr(0, colour);
    text.remove_prefix(colour);
    const std::size_t next = std::min(text.find('\x1b', colour == 0 ? 1 : 0), text.size());
    out += PrintableLines(text.substr(0, next));
    text.remove_prefix(next);
  }
  return out;
}

}  // namespace

bool GuardedBuffer::Pass(std::size_t size) {
  const std::string text = ForTerminal(std::string_view(waiting_).substr(0, size));
  waiting_.erase(0, size);
  return to_.sputn(text.data(), std::ssize(text)) == std::ssize(text);
}

GuardedBuffer::int_type GuardedBuffer::overflow(int_type c) {
  const char one = traits_type::to_char_type(c);
  return traits_type::eq_int_type(c, traits_type::eof()) || xsputn(&one, 1) == 1
             ? traits_type::not_eof(c)
             : traits_type::eof();
}

std::streamsize GuardedBuffer::xsputn(const char* text, std::streamsize size) {
  waiting_.append(text, static_cast<std::size_t>(size));
  const std::size_t end = waiting_.rfind('\n');
  return end == std::string::npos || Pass(end + 1) ? size : 0;
}

int GuardedBuffer::sync() { return Pass(waiting_.size()) && to_.pubsync() == 0 ? 0 : -1; }

TerminalGuard::TerminalGuard(std::ostream& stream, int file)
    : stream_(stream), before_(stream.rdbuf()), buffer_(*before_) {
  if (isatty(file) == 1) {
    stream_.rdbuf(&buffer_);
  }
}

TerminalGuard::~TerminalGuard() {
  stream_.flush();
  stream_.rdbuf(before_);
}

}  // namespace ballast::cli
