// What the history has beside decisions: times without any, and changes that others made.
//
// Thread-safety: one thread at a time, as the Reader.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/reader.h"

namespace ballast::explain {

// A time in which nothing was evaluated although something was due.
struct Gap {
  Time from;  // the last evaluation before it
  Time to;    // the first one after it
  std::string cause;
};

using Line = std::variant<store::Entry, Gap, store::Intrusion>;

// `entries` (oldest first, all that there are in their time) with the gaps between them.
Result<std::vector<Line>> WithGaps(store::Reader& reader, std::vector<store::Entry> entries);

// Adds what others did to the replicas, where it belongs in time.
void AddIntrusions(std::vector<store::Intrusion> intrusions, std::vector<Line>& lines);

// When the line's part of the history begins.
Time TimeOf(const Line& line);

// Why nothing was evaluated after `from` and before `to`, between these decisions, as far as the
// store tells. `after`: null if there was none. Where they are of two autoscalers, it is about all.
Result<std::string> ExplainGap(store::Reader& reader, const store::Entry& before,
                               const store::Entry* after, Time from, Time to);

}  // namespace ballast::explain
