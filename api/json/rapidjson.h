// RapidJSON, configured once: its assertions throw, so that a wrong use is an exception and not
// undefined behaviour, in every build. Include it only in api/json and in pod_reader.cc; everything
// else uses api/json/json.h.
//
// Thread-safety: RapidJSON's: plain values.
// Errors: a failed assertion throws std::logic_error.
#pragma once

#include <stdexcept>

#define RAPIDJSON_HAS_STDSTRING 1
#ifdef __SSE2__
#define RAPIDJSON_SSE2 \
  1  // SIMD for strings: reads sixteen bytes at a time, and up to that many beyond the end
#endif
#define RAPIDJSON_ASSERT(x)                                       \
  do {                                                            \
    if (!(x)) throw std::logic_error("RapidJSON assertion: " #x); \
  } while (false)
// RapidJSON uses this one in noexcept functions, where a failed assertion ends the program.
#define RAPIDJSON_NOEXCEPT_ASSERT(x) RAPIDJSON_ASSERT(x)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wpedantic"
#include <rapidjson/document.h>
// In 1.1.0 the writer's fast path leaves the characters 0x1a to 0x1f unescaped, so it is switched
// off. The reader's accepts them in strings; json::Parse rejects them.
#undef RAPIDJSON_SSE2
#include <rapidjson/error/en.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#pragma GCC diagnostic pop
