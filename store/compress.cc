#include "store/compress.h"

#include <zstd.h>

namespace ballast::store {
namespace {

constexpr int kLevel = 3;
constexpr unsigned long long kMaxSize = 64ULL << 20;  // NOLINT: zstd's own type

}  // namespace

std::string Compress(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  // Cannot fail: the room is what zstd asks for.
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), kLevel));
  return out;
}

Result<std::string> Decompress(std::string_view data) {
  const auto size = ZSTD_getFrameContentSize(data.data(), data.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > kMaxSize) {
    return Error{Code::kCorrupt, "compressed text: damaged"};
  }
  std::string out(size, '\0');
  const auto got = ZSTD_decompress(out.data(), out.size(), data.data(), data.size());
  if (ZSTD_isError(got) != 0U || got != size) {
    return Error{Code::kCorrupt, "compressed text: damaged"};
  }
  return out;
}

}  // namespace ballast::store
