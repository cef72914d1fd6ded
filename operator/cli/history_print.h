// Prints the ledger's entries as a table, JSON or CSV.
//
// Thread-safety: pure functions that read the process's time zone, which must not change meanwhile.
// Errors: none.
#pragma once

#include <string>
#include <vector>

#include "api/json/json.h"
#include "operator/cli/times.h"
#include "operator/explain/gaps.h"
#include "store/history.h"

namespace ballast::cli {

// One line for each, below the headings; the autoscaler is a column if there are several.
std::string HistoryTable(const std::vector<explain::Line>& lines, Zone zone);

// A JSON array; times are UTC and exact. A gap is {"gap": {"from", "to", "cause"}}, a change by
// others {"changedByOthers": {"time", "from", "to", "manager", ...}}, an edit {"edited": {"time",
// "field", "before", "after", "manager", "decision", ...}}.
std::string HistoryJson(const std::vector<explain::Line>& lines);

// CSV (RFC 4180) with a header line; the outcome of a gap is "gap", that of a change by others
// "by-others", and that of an edit "edited", with the id of the first decision with it.
std::string HistoryCsv(const std::vector<explain::Line>& lines);

// Writes the entry's fields into the open object.
void WriteFields(json::Writer& out, const store::Entry& entry);

// Write the member "gap", or "changedByOthers", of the open object.
void WriteGap(json::Writer& out, const explain::Gap& gap);
void WriteForeignChange(json::Writer& out, const store::ForeignChangeEntry& foreign_change);

// Writes an edit's fields into the open object.
void WriteFields(json::Writer& out, const store::EditEntry& entry);

// "spec.maxReplicas 10 -> 20 by kubectl at 14:05:00"
std::string DescribeEdit(const store::Edit& edit, Zone zone);

// "kubectl set the replicas at 14:05:00"
std::string DescribeForeignChange(const store::ForeignChange& change, Zone zone);

// "3 -> 5", or "3" if the count was not to change.
std::string Replicas(const store::Entry& entry);
// The outcome in words; empty if there was nothing to write.
std::string Outcome(const store::Entry& entry);

}  // namespace ballast::cli
