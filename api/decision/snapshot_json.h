// Snapshot and Memory as JSON: the format that `ballast decide`, the ledger and the conformance
// vectors share. Parse reads what Encode prints back to an equal value, except that
// Scale::replicas_manager is never printed.
//
// Absent settings take their defaults; unknown fields are ignored. Only policies have
// settings.staleAfterSeconds, maxViewAgeSeconds, suspectHoldSeconds and syncPeriodSeconds,
// memory.usedSamples, noValueSince and suspectSince, podsLeftOut, lastEvaluation, clockJumped,
// interrupted, silenceEnded, unsettledWrite, suspectSource, takesOverFrom, opponent and
// ledgerTrouble. HPAs have podsAge too, but it does not affect their decisions; samplesEvery and
// memory.target affect nobody's.
//
// Errors: kInvalid, with the path of the first problem.
#pragma once

#include <string_view>

#include "api/base/result.h"
#include "api/decision/snapshot.h"
#include "api/json/json.h"
#include "api/json/json_writer.h"

namespace ballast::engine {

Result<Snapshot> ParseSnapshot(std::string_view text);
// From a document that is already parsed.
Result<Snapshot> DecodeSnapshot(const json::Document& document);

void Encode(json::Writer& out, const Snapshot& snapshot);
void Encode(json::Writer& out, const Memory& memory);

}  // namespace ballast::engine
