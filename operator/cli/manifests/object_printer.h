// Prints Kubernetes objects to standard output, one after the other.
//
// Thread-safety: main thread only.
// Errors: none; a stream that cannot be written is noticed by whoever flushes it.
#pragma once

#include "api/json/json.h"
#include "operator/cli/manifests/manifest.h"

namespace ballast::cli {

class ObjectPrinter {
 public:
  // YAML documents are separated by "---".
  void Print(const json::Cursor& object, Syntax syntax);

 private:
  bool first_ = true;
};

}  // namespace ballast::cli
