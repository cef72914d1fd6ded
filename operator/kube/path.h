// Builds a request's path from segments, which are escaped as they are added: whatever a name
// contains, it stays one segment.
//
//   Path() / "api" / "v1" / "namespaces" / key.namespace_ / "pods" / key.name
//
// Errors: kInvalid by Checked().
#pragma once

#include <string>
#include <string_view>

#include "api/base/result.h"

namespace ballast::kube {

class Path {
 public:
  Path& operator/=(std::string_view segment);
  friend Path operator/(Path path, std::string_view segment) {
    path /= segment;
    return path;
  }

  // The escaped path, for Request::path.
  const std::string& text() const { return text_; }
  // The same, but kInvalid if Kubernetes allows a segment in no name ("", ".", "..", or with a "/"
  // or a "%"), since servers could take it for something else.
  Result<std::string> Checked() const;

 private:
  std::string text_;
  std::string refused_;  // the first such segment
  bool valid_ = true;
};

}  // namespace ballast::kube
