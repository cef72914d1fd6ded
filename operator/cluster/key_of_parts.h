// A text by which something is looked up, made of several. Each evaluation makes some.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace ballast::cluster {

// Each part with a slash behind it.
inline std::string KeyOfParts(std::initializer_list<std::string_view> parts) {
  std::size_t size = parts.size();
  for (const std::string_view part : parts) {
    size += part.size();
  }
  std::string key;
  key.reserve(size);
  for (const std::string_view part : parts) {
    key.append(part) += '/';
  }
  return key;
}

}  // namespace ballast::cluster
