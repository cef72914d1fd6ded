// Follows a history: tells each of its lines once, as the ledger gets them.
//
//   NewLines news(query, from);
//   news.Read(*history, Now(), visit);  // all that there is
//   news.Read(*history, Now(), visit);  // what has come since
//
// Thread-safety: one thread at a time, as the History.
// Errors: the History's, and those of `visit`.
#pragma once

#include "api/base/result.h"
#include "api/base/time.h"
#include "operator/explain/gaps.h"
#include "operator/explain/told_lines.h"
#include "store/history.h"

namespace ballast::explain {

class NewLines {
 public:
  // Nothing before `from` is told.
  NewLines(store::HistoryQuery query, const store::Place& from);

  // Calls `visit` with the lines that have not been told, oldest first, in parts. A decision is
  // told once its outcome is known.
  Status Read(store::History& history, Time now, const VisitLines& visit);

 private:
  store::HistoryQuery query_;
  store::Place from_;  // of the first reading; then the beginning
  ToldLines told_;
};

}  // namespace ballast::explain
