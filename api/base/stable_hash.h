// A hash that is the same in every build and on every machine, for what is kept on disk.
#pragma once

#include <cstdint>
#include <string_view>

namespace ballast {

// FNV-1a with 64 bits. Never change it: hashes are on disk.
constexpr std::uint64_t StableHash(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  return hash;
}

}  // namespace ballast
