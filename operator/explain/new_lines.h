// Follows a history: tells each of its lines once, as the ledger gets them.
//
//   NewLines news(query, from);
//   news.Read(*history, Now(), visit);  // all that there is
//   news.Read(*history, Now(), visit);  // what has come since
//
// Thread-safety: one thread at a time, as the History.
// Errors: the History's, and those of `visit`.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "operator/explain/gaps.h"
#include "store/history.h"

namespace ballast::explain {

class NewLines {
 public:
  // Nothing before `from` is told.
  NewLines(store::HistoryQuery query, const store::Place& from)
      : query_(std::move(query)), from_(from) {}

  // Calls `visit` with the lines that have not been told, oldest first, in parts. A decision is
  // told once its outcome is known.
  Status Read(store::History& history, Time now, const VisitLines& visit);

 private:
  bool IsNew(const Line& line);
  std::vector<Line> Untold(std::vector<Line> lines, Time now);
  void Forget();

  store::HistoryQuery query_;  // its `since`: what began before was told, or is none of ours
  const store::Place from_;
  bool first_ = true;
  Time newest_;                       // of what has been read
  std::map<std::string, Time> told_;  // what of the time since then was told, and its time
  std::map<store::DecisionId, Time> in_progress_;  // decisions that were not told, and their times
};

}  // namespace ballast::explain
