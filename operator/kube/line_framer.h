// Cuts a stream of bytes into lines, as a watch sends one event in each.
//
// A line that arrives whole is handed on without a copy. Bytes after the last line end are kept for
// more; what never gets its end is never handed on. Thread-safety: one thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/base/result.h"
#include "operator/kube/transport.h"

namespace ballast::kube {

class LineFramer {
 public:
  // Lines longer than `max_line` bytes are kCorrupt: nothing grows without bound.
  explicit LineFramer(std::size_t max_line) : max_line_(max_line) {}

  // Hands each complete line, without "\n" or "\r\n", to `sink`, empty ones left out; its error
  // ends the call.
  Status Feed(std::string_view bytes, const LineSink& sink);

 private:
  const std::size_t max_line_;
  std::string partial_;
};

}  // namespace ballast::kube
