// Snapshot and Memory as JSON: the format that `ballast decide`, the ledger and the conformance
// vectors share. What Encode prints, Parse reads back to an equal value.
//
// Absent settings take their defaults; unknown fields are ignored. Policies have fields of their
// own: settings.staleAfterSeconds and maxViewAgeSeconds, memory.usedSamples, lastEvaluation,
// clockJumped, interrupted, unsettledWrite; what is told of HPAs too, but decides nothing for them:
// podsAge. Thread-safety: pure functions. Failure modes: kInvalid, with the path of the first
// problem.
#pragma once

#include <string_view>

#include "api/base/result.h"
#include "api/decision/snapshot.h"
#include "api/json/json.h"

namespace ballast::engine {

Result<Snapshot> ParseSnapshot(std::string_view text);
// Of a document that is parsed already.
Result<Snapshot> DecodeSnapshot(const json::Document& document);
Result<Memory> ParseMemory(std::string_view text);

void Encode(json::Writer& out, const Snapshot& snapshot);
void Encode(json::Writer& out, const Memory& memory);

}  // namespace ballast::engine
