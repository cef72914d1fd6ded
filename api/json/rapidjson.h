// RapidJSON, set up once: its assertions throw (so that a wrong use is an error and never undefined
// behaviour, in every build). Include it only in api/json and in pod_reader.cc; others use
// api/json/json.h.
//
// Thread-safety: its own, that of plain values.
#pragma once

#include <stdexcept>

#define RAPIDJSON_HAS_STDSTRING 1
#ifdef __SSE2__
#define RAPIDJSON_SSE2 \
  1  // strings sixteen bytes at a time; they may be read that far behind their end
#endif
#define RAPIDJSON_ASSERT(x)                                       \
  do {                                                            \
    if (!(x)) throw std::logic_error("RapidJSON assertion: " #x); \
  } while (false)
// Only where RapidJSON promises not to throw; a failed assertion there ends the program.
#define RAPIDJSON_NOEXCEPT_ASSERT(x) RAPIDJSON_ASSERT(x)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wpedantic"
#include <rapidjson/document.h>
// The writer's fast path of 1.1.0 leaves the characters 0x1a to 0x1f unescaped; the reader's takes
// them as they are, which json::Parse makes up for.
#undef RAPIDJSON_SSE2
#include <rapidjson/error/en.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#pragma GCC diagnostic pop
