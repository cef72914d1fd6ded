// Prints Kubernetes objects to standard output, one after the other.
//
// Thread-safety: main thread only.
// Errors: none; a stream that cannot be written is noticed by whoever flushes it.
#pragma once

#include <optional>

#include "api/json/json.h"
#include "operator/cli/manifests/manifest.h"

namespace ballast::cli {

class ObjectPrinter {
 public:
  // All in the syntax of the first, since nobody reads a mixture. YAML documents are separated by
  // "---".
  void Print(const json::Cursor& object, Syntax syntax);

 private:
  std::optional<Syntax> syntax_;
};

}  // namespace ballast::cli
