#include "operator/kube/headers.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace ballast::kube {

std::optional<std::chrono::milliseconds> ParseRetryAfter(std::string_view header) {
  std::int64_t seconds = 0;
  const char* end = header.data() + header.size();
  const auto [rest, problem] = std::from_chars(header.data(), end, seconds);
  if (problem == std::errc::invalid_argument || rest != end || seconds < 0) {
    return std::nullopt;
  }
  const bool too_long =
      problem != std::errc() || seconds > std::chrono::seconds(kLongestRetryAfter).count();
  return too_long ? std::chrono::milliseconds(kLongestRetryAfter) : std::chrono::seconds(seconds);
}

std::vector<std::string> ParseWarnings(std::string_view header) {
  std::vector<std::string> texts;
  std::string text;
  bool quoted = false;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (header[i] == '"') {
      if (quoted) {
        texts.push_back(std::move(text));
        text.clear();
      }
      quoted = !quoted;
    } else if (quoted) {
      i += header[i] == '\\' && i + 1 < header.size() ? 1 : 0;
      text += header[i];
    }
  }
  return texts;
}

bool IsHeaderText(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
}

}  // namespace ballast::kube
