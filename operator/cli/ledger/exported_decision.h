// A recorded decision with its inputs, as `ballast export` prints it: one JSON object a line.
#pragma once

#include <string>

#include "api/json/json_writer.h"
#include "store/history.h"

namespace ballast::cli {

// "7", or "ballast/ballast-0/7", since each ledger has numbers of its own.
std::string IdOf(const store::Entry& entry);

// Writes the pod whose ledger has it, if it is a pod's, and the entry's fields into the open
// object.
void WriteSummary(json::Writer& out, const store::Entry& entry);

// Without the end of the line.
std::string PrintLine(const store::FullEntry& decision);

}  // namespace ballast::cli
