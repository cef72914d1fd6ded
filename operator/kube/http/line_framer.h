// Splits a stream of bytes into lines; a watch sends one event in each.
//
// A line that arrives in one piece is passed on without a copy. Bytes after the last line end are
// kept for the next call; a line that never ends is never passed on.
//
// Thread-safety: none; one thread.
// Errors: kCorrupt for a line that is too long, and the sink's.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/base/result.h"
#include "operator/kube/transport.h"

namespace ballast::kube {

class LineFramer {
 public:
  // Lines longer than `max_line` bytes are kCorrupt, so that memory is bounded.
  explicit LineFramer(std::size_t max_line) : max_line_(max_line) {}

  // Passes each complete line that is not empty to `sink`, without "\n" or "\r\n". An error of
  // `sink` ends the call.
  Status Feed(std::string_view bytes, const LineSink& sink);

 private:
  const std::size_t max_line_;
  std::string partial_;
};

}  // namespace ballast::kube
