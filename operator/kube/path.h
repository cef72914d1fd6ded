// A request's path, built of segments that are escaped as they are added: whatever a name holds, it
// stays one segment.
//
//   Path() / "api" / "v1" / "namespaces" / key.namespace_ / "pods" / key.name
//
// Thread-safety: a plain value.
#pragma once

#include <string>
#include <string_view>

#include "api/base/result.h"

namespace ballast::kube {

class Path {
 public:
  Path& operator/=(std::string_view segment);
  friend Path operator/(Path path, std::string_view segment) { return path /= segment; }

  // Escaped, to go into a Request.
  const std::string& text() const { return text_; }
  // The same; kInvalid when a segment is one that Kubernetes allows in no name ("", ".", "..", with
  // a "/" or a "%"), since servers would take it for something else.
  Result<std::string> Checked() const;

 private:
  std::string text_;
  std::string refused_;  // the first such segment
  bool valid_ = true;
};

}  // namespace ballast::kube
