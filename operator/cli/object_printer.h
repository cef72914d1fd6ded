// Prints documents to standard output: Kubernetes objects, one after the other, and others.
//
// Thread-safety: main thread only.
// Errors: none; a stream that cannot be written is noticed by whoever flushes it.
#pragma once

#include <string>

#include "api/json/json.h"
#include "operator/cli/manifest.h"
#include "operator/cli/options.h"

namespace ballast::cli {

// A document that is given in JSON, without a line break at its end; not for kText.
void PrintDocument(const std::string& json, DocumentOutput output);

class ObjectPrinter {
 public:
  // YAML documents are separated by "---".
  void Print(const json::Cursor& object, Syntax syntax);

 private:
  bool first_ = true;
};

}  // namespace ballast::cli
