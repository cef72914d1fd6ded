#include "store/packing/compress.h"

#include <zstd.h>

#include <memory>
#include <mutex>

#include "store/packing/dictionary.h"

namespace ballast::store {
namespace {

constexpr int kLevel = 3;

// Precedes a frame that needs kDictionary1. (Another dictionary would have another number.)
constexpr char kNumber1 = '\1';

template <typename T, std::size_t (*kFree)(T*)>
struct Free {
  void operator()(T* object) const { kFree(object); }
};
template <typename T, std::size_t (*kFree)(T*)>
using Owned = std::unique_ptr<T, Free<T, kFree>>;

const ZSTD_CDict* ToCompress() {
  static const Owned<ZSTD_CDict, ZSTD_freeCDict> dictionary(
      ZSTD_createCDict(kDictionary1.data(), kDictionary1.size(), kLevel));
  return dictionary.get();
}

const ZSTD_DDict* ToDecompress() {
  static const Owned<ZSTD_DDict, ZSTD_freeDDict> dictionary(
      ZSTD_createDDict(kDictionary1.data(), kDictionary1.size()));
  return dictionary.get();
}

}  // namespace

Result<std::string> Compress(std::string_view text) {
  if (text.size() > kMaxText) {
    return Error{Code::kInvalid, "the text has " + std::to_string(text.size()) +
                                     " bytes, more than " + std::to_string(kMaxText)};
  }
  // One for all threads: it takes some hundred kilobytes, and each use some ten microseconds.
  static const Owned<ZSTD_CCtx, ZSTD_freeCCtx> context(ZSTD_createCCtx());
  static std::mutex mutex;  // guards: context
  std::string out(1 + ZSTD_compressBound(text.size()), kNumber1);
  {
    const std::lock_guard lock(mutex);
    // Cannot fail: `out` has the size that zstd asks for.
    out.resize(1 + ZSTD_compress_usingCDict(context.get(), out.data() + 1, out.size() - 1,
                                            text.data(), text.size(), ToCompress()));
  }
  out.shrink_to_fit();  // it may wait in memory for the disk
  return out;
}

Result<std::string> Decompress(std::string_view data) {
  const std::string_view frame = data.substr(data.empty() ? 0 : 1);
  const auto size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (!data.starts_with(kNumber1) || size == ZSTD_CONTENTSIZE_ERROR ||
      size == ZSTD_CONTENTSIZE_UNKNOWN || size > kMaxText) {
    return Error{Code::kCorrupt, "compressed text: damaged"};
  }
  thread_local const Owned<ZSTD_DCtx, ZSTD_freeDCtx> context(ZSTD_createDCtx());
  std::string out(size, '\0');
  const auto got = ZSTD_decompress_usingDDict(context.get(), out.data(), out.size(), frame.data(),
                                              frame.size(), ToDecompress());
  if (ZSTD_isError(got) != 0U || got != size) {
    return Error{Code::kCorrupt, "compressed text: damaged"};
  }
  return out;
}

}  // namespace ballast::store
