// Reads what history_print.h writes in JSON.
//
// Errors: problems are noted by the cursors' Decoder.
#pragma once

#include "api/json/json.h"
#include "operator/explain/gaps.h"
#include "store/history.h"

namespace ballast::cli {

// The fields that WriteFields writes.
store::Entry ReadEntry(const json::Cursor& in);
store::EditEntry ReadEdit(const json::Cursor& in);

// The required member "outcome".
store::Disposition ReadOutcome(const json::Cursor& in);

// The value of the member "gap", or "foreignChange".
explain::Gap ReadGap(const json::Cursor& in);
store::ForeignChangeEntry ReadForeignChange(const json::Cursor& in);

}  // namespace ballast::cli
