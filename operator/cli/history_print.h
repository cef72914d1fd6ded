// The ledger's entries for people and for programs.
//
// Thread-safety: pure functions, but for the process's time zone.
#pragma once

#include <string>
#include <vector>

#include "api/json/json.h"
#include "operator/cli/times.h"
#include "operator/explain/gaps.h"
#include "store/reader.h"

namespace ballast::cli {

// One line each, under a line of headings; names the autoscaler in each line if there are several.
std::string HistoryTable(const std::vector<explain::Line>& lines, Zone zone);

// A JSON array, times in UTC and exact; a gap is {"gap": {"from", "to", "cause"}}, a change by
// others
// {"changedByOthers": {"time", "from", "to", "manager", ...}}.
std::string HistoryJson(const std::vector<explain::Line>& lines);

// Comma-separated values with a line of names, as RFC 4180 has them; the outcome of a gap is "gap",
// that of a change by others "by-others".
std::string HistoryCsv(const std::vector<explain::Line>& lines);

// The fields of one entry, into an object that is open.
void WriteFields(json::Writer& out, const store::Entry& entry);

// The member "gap", and the member "changedByOthers", of an object that is open.
void WriteGap(json::Writer& out, const explain::Gap& gap);
void WriteIntrusion(json::Writer& out, const store::Intrusion& intrusion);

// "kubectl set the replicas at 14:05:00"
std::string DescribeIntrusion(const store::ForeignChange& change, Zone zone);

// "3 -> 5", or "3" when nothing was to change.
std::string Replicas(const store::Entry& entry);
// What became of it, in words; empty when nothing was to be done.
std::string Outcome(const store::Entry& entry);

}  // namespace ballast::cli
