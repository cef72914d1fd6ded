#include "operator/kube/path.h"

#include "operator/kube/url.h"

namespace ballast::kube {
namespace {

// As upstream's IsValidPathSegmentName, and not empty.
bool IsSegment(std::string_view text) {
  return !text.empty() && text != "." && text != ".." &&
         text.find_first_of("/%") == std::string_view::npos;
}

}  // namespace

Path& Path::operator/=(std::string_view segment) {
  if (valid_ && !IsSegment(segment)) {
    valid_ = false;
    refused_ = segment;
  }
  text_ += '/';
  text_ += Escape(segment);
  return *this;
}

Result<std::string> Path::Checked() const {
  if (!valid_) {
    return Error{Code::kInvalid, "\"" + refused_ + "\" cannot be a name in a path"};
  }
  return text_;
}

}  // namespace ballast::kube
