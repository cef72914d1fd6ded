// What the ledger has of decisions and edits, in words.
#pragma once

#include <string>

#include "operator/cli/options.h"
#include "operator/cli/terminal/times.h"
#include "store/history.h"

namespace ballast::cli {

// "spec.maxReplicas 10 -> 20 by kubectl at 14:05:00"
std::string DescribeEdit(const store::Edit& edit, Zone zone);

// "kubectl set the replicas at 14:05:00"
std::string DescribeForeignChange(const store::ForeignChange& change, Zone zone);

// "Nothing is recorded in this time."
std::string NothingRecorded(const Selection& selected, bool changes_only);

// "3 -> 5", or "3" if the count was not to change.
std::string Replicas(const store::Entry& entry);
// The outcome in words; empty if there was nothing to write.
std::string Outcome(const store::Entry& entry);

}  // namespace ballast::cli
