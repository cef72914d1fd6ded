// What a history has besides decisions: gaps, changes of the replicas by others, and edits.
//
// Thread-safety: one thread at a time, as the History.
// Errors: the History's.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/history.h"

namespace ballast::explain {

// A time in which an evaluation was due and none is on record: between runs, or the longest one
// within a run.
struct Gap {
  Time from;  // the last evaluation before it
  Time to;    // the first one after it
  std::string cause;
};

using Line = std::variant<store::Entry, Gap, store::ForeignChangeEntry, store::EditEntry>;

// Calls `visit` with the lines of a history from the entry at `from` on, oldest first, in parts, so
// that memory is bounded however long it is, until it returns an error.
using VisitLines = std::function<Status(std::vector<Line>)>;
Status ForEachLine(store::History& history, const store::HistoryQuery& query,
                   const store::Place& from, const VisitLines& visit);

// When the line begins.
Time TimeOf(const Line& line);

// Why the query finds no evaluation between `from` and `to`, the times of the decisions around the
// gap, as far as the store knows. Null `after`: there is no later decision. If the two are about
// different autoscalers, the answer is about all autoscalers.
Result<std::string> ExplainGap(store::History& reader, const store::HistoryQuery& query,
                               const store::Entry& before, const store::Entry* after, Time from,
                               Time to);

}  // namespace ballast::explain
