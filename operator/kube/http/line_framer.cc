#include "operator/kube/http/line_framer.h"

namespace ballast::kube {
namespace {

Status HandOn(std::string_view line, const LineSink& sink) {
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  return line.empty() ? Done{} : sink(line);
}

}  // namespace

Status LineFramer::Feed(std::string_view bytes, const LineSink& sink) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    if (partial_.size() + piece.size() > max_line_) {
      return Error{Code::kCorrupt, "a line longer than " + std::to_string(max_line_) + " bytes"};
    }
    if (end == std::string_view::npos) {
      partial_ += piece;
      break;
    }
    bytes.remove_prefix(end + 1);
    if (partial_.empty()) {
      TRY(HandOn(piece, sink));
    } else {
      partial_ += piece;
      TRY(HandOn(partial_, sink));
      partial_ = {};  // with its memory, which a quiet watch does not need
    }
  }
  return Done{};
}

}  // namespace ballast::kube
