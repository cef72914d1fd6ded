// A Conclusion as JSON: a line of `ballast decide`'s output, and what the ledger keeps.
#pragma once

#include <string_view>

#include "api/decision/decision.h"
#include "api/json/json_writer.h"

namespace ballast::engine {

// Writes the snapshot's `id` unless it is empty, and the trace unless it is empty. Conditions are
// sorted by type; a metric that failed is {"type": ""}.
void Encode(json::Writer& out, std::string_view id, const Conclusion& conclusion);

// {"rule", "in", "out", "binding", "text"}
void Encode(json::Writer& out, const Step& step);

}  // namespace ballast::engine
