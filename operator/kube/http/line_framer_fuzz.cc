// However a stream is cut into pieces, the lines are the same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "operator/kube/http/line_framer.h"

namespace {

constexpr std::size_t kMaxLine = 64;

// The lines of `text`, fed `piece` bytes at a time, until a line is too long.
std::vector<std::string> Lines(std::string_view text, std::size_t piece) {
  std::vector<std::string> lines;
  ballast::kube::LineFramer framer(kMaxLine);
  const auto sink = [&lines](std::string_view line) -> ballast::Status {
    lines.emplace_back(line);
    return ballast::Done{};
  };
  while (!text.empty() && framer.Feed(text.substr(0, piece), sink).ok()) {
    text.remove_prefix(std::min(piece, text.size()));
  }
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto whole = Lines(text, text.size());
  if (Lines(text, 1) != whole || Lines(text, 1U + data[0]) != whole) {
    std::abort();
  }
  for (const std::string& line : whole) {
    if (line.empty() || line.size() > kMaxLine || line.find('\n') != std::string::npos) {
      std::abort();
    }
  }
  return 0;
}
