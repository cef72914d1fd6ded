// Answers what another `ballast` asks about a ledger here, a line for each (history_json.h): what
// runs in Ballast's pods when somebody asks from outside. It ends at an empty line, which needs no
// runtime that passes on the end of the input, or when nobody asks any more, so that it outlives no
// caller, and keeps nothing open between two questions.
//
// Thread-safety: one thread at a time.
// Errors: as Reader::Open, before anything is written; kUnavailable: the output cannot be written.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "store/history.h"

namespace ballast::cli {

Status AnswerQuestions(const std::string& store, std::istream& questions, std::ostream& answers);

// The entries (oldest first) with those that change nothing joined, as far as an autoscaler has
// several without a gap: one that is known for as long as all of them, and says no more.
std::vector<store::Entry> JoinUnchanged(std::vector<store::Entry> entries);

}  // namespace ballast::cli
