// Prints one document to standard output.
//
// Thread-safety: main thread only.
// Errors: none; a stream that cannot be written is noticed by whoever flushes it.
#pragma once

#include <string>

#include "operator/cli/options.h"

namespace ballast::cli {

// A document that is given in JSON, without a line break at its end; not for kText.
void PrintDocument(const std::string& json, DocumentOutput output);

}  // namespace ballast::cli
