// A Conclusion as JSON: one line of `ballast decide`'s answer, and what the ledger keeps.
//
// Thread-safety: pure function. It cannot fail.
#pragma once

#include <string_view>

#include "api/decision/decision.h"
#include "api/json/json.h"

namespace ballast::engine {

// `id`, when not empty, is the snapshot's. Conditions are sorted by type; a metric that failed is
// {"type": ""}; the trace is left out when there is none.
void Encode(json::Writer& out, std::string_view id, const Conclusion& conclusion);

// {"rule", "in", "out", "binding", "text"}
void Encode(json::Writer& out, const Step& step);

}  // namespace ballast::engine
