// A recorded decision with its inputs, as `ballast export` prints it: one JSON object a line.
//
// Errors: kInvalid: the text is no such line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/base/result.h"
#include "api/json/json_writer.h"
#include "store/history.h"

namespace ballast::cli {

struct ExportedDecision {
  store::Entry entry;
  store::Documents documents;
  std::vector<store::ReasonEntry> reasons;  // if the run has several
  std::string pod;                          // whose ledger has it; empty: that of a file
};

// "7", or "ballast/ballast-0/7", since each ledger has numbers of its own.
std::string IdOf(const ExportedDecision& decision);

// Writes the pod, if any, and the entry's fields into the open object.
void WriteSummary(json::Writer& out, const ExportedDecision& decision);

// Without the end of the line.
std::string PrintLine(const ExportedDecision& decision);
Result<ExportedDecision> ParseLine(std::string_view line);

}  // namespace ballast::cli
