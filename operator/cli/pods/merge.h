// One answer out of those of several pods, each from a ledger of its own.
//
// A ledger has what its pod did while it led, so the ledgers complement each other: of a moment
// one has a decision, and the others have a gap.
//
// Errors: kInvalid: not what `ballast history -o json` or `ballast why -o json` prints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "operator/explain/gaps.h"
#include "store/history.h"

namespace ballast::cli {

// What a pod's ledger has, oldest first.
struct PodHistory {
  std::string pod;
  std::vector<explain::Line> lines;
  std::optional<Time> from;  // what was before has been left out; absent: nothing has
};

// Reads what `ballast history -o json` prints.
Result<PodHistory> ParseHistory(const std::string& pod, std::string_view text);

// Of a long history the lines that tell others what they need, to show its changes among theirs:
// decisions that changed the replicas; of the other decisions, the first one and the one that ended
// last of each time without a gap; and all that are no decisions.
class EssentialLines {
 public:
  // What to pass on of these lines, which follow those of the call before.
  std::vector<explain::Line> Of(std::vector<explain::Line> lines);
  // Nothing follows: what is left to pass on.
  std::vector<explain::Line> End();

 private:
  bool interrupted_ = true;
  std::optional<store::Entry> last_;  // of those since the gap that were not passed on
};

// Notes it if the history has as many decisions, with `changes_only` those that changed the
// replicas, as were asked for: so it may have been cut. 0: all were asked for.
void NoteCut(std::int64_t limit, bool changes_only, PodHistory& history);

struct MergedHistory {
  std::vector<explain::Line> lines;  // oldest first
  std::vector<std::string> pods;     // of each line
  // What ended before has been left out, since the ledger of the pod goes back no further; absent:
  // nothing has.
  std::optional<Time> from;
  std::string from_pod;
};

// All lines by time. Of a gap there remains the part in which no other ledger has an evaluation:
// what several ledgers miss is a line once, with what the first one says about it. Where a history
// was cut, the others end too: else it would look as if nothing had been decided before.
MergedHistory MergeHistories(const std::vector<PodHistory>& histories);

// What counts of an answer of `ballast why -o json`.
struct PodWhy {
  std::string pod;
  bool recorded = false;  // whether the ledger has something of that moment
  // The last decision until then; absent: there is none.
  std::optional<Time> decided;
  std::int64_t desired_replicas = 0;
};
Result<PodWhy> ParseWhy(const std::string& pod, std::string_view text);

// Which answer counts: one about the moment itself rather than about one before it, and of those
// the one with the latest decision. `answers` must not be empty.
std::size_t ChooseAnswer(const std::vector<PodWhy>& answers);

// The others that have something of the same moment and say another count; empty if the ledgers
// agree. "ballast/ballast-1 has 5 replicas, decided at 2026-04-08T14:05:00Z"
std::vector<std::string> Contradictions(const std::vector<PodWhy>& answers, std::size_t chosen);

}  // namespace ballast::cli
