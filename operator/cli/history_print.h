// The ledger's entries for people and for programs.
//
// Thread-safety: pure functions, but for the process's time zone.
#pragma once

#include <string>
#include <vector>

#include "api/json.h"
#include "operator/cli/history_gaps.h"
#include "operator/cli/times.h"
#include "store/reader.h"

namespace ballast::cli {

// One line each, under a line of headings; names the autoscaler in each line if there are several.
std::string HistoryTable(const std::vector<Line>& lines, Zone zone);

// A JSON array, times in UTC and exact; a gap is {"gap": {"from", "to", "cause"}}.
std::string HistoryJson(const std::vector<Line>& lines);

// Comma-separated values with a line of names, as RFC 4180 has them; the outcome of a gap is "gap".
std::string HistoryCsv(const std::vector<Line>& lines);

// The fields of one entry, into an object that is open.
void WriteFields(json::Writer& out, const store::Entry& entry);

// "3 -> 5", or "3" when nothing was to change.
std::string Replicas(const store::Entry& entry);
// What became of it, in words; empty when nothing was to be done.
std::string Outcome(const store::Entry& entry);

}  // namespace ballast::cli
