// What a history has besides decisions: gaps, changes of the replicas by others, and edits.
//
// Thread-safety: one thread at a time, as the History.
// Errors: the History's.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/history.h"

namespace ballast::explain {

// A time in which an evaluation was due and none was made.
struct Gap {
  Time from;  // the last evaluation before it
  Time to;    // the first one after it
  std::string cause;
};

using Line = std::variant<store::Entry, Gap, store::ForeignChangeEntry, store::EditEntry>;

// Inserts the gaps between `entries`, which must be ordered by time and complete for that time.
Result<std::vector<Line>> WithGaps(store::History& reader, std::vector<store::Entry> entries);

// Insert the changes by others, or the edits, in order of time.
void AddForeignChanges(std::vector<store::ForeignChangeEntry> foreign_changes,
                       std::vector<Line>& lines);
void AddEdits(std::vector<store::EditEntry> edits, std::vector<Line>& lines);

// When the line begins.
Time TimeOf(const Line& line);

// Why nothing was evaluated between `from` and `to`, the times of the decisions around the gap, as
// far as the store knows. Null `after`: there is no later decision. If the two are about different
// autoscalers, the answer is about all autoscalers.
Result<std::string> ExplainGap(store::History& reader, const store::Entry& before,
                               const store::Entry* after, Time from, Time to);

}  // namespace ballast::explain
