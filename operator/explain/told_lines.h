// Remembers which lines of a history have been told, for those who read it again and again.
//
// Thread-safety: one thread at a time.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/base/time.h"
#include "operator/explain/gaps.h"
#include "store/history.h"

namespace ballast::explain {

class ToldLines {
 public:
  // Nothing that began before `since` is told, unless it is in what is read first.
  explicit ToldLines(std::optional<Time> since) : since_(since) {}

  // Nothing before that place is told.
  void LeaveOut(const store::Place& before) { from_ = before; }

  // Which of the lines, oldest first, have not been told; from now on they have. A decision is told
  // once its outcome is known, and a gap with the decision that ends it.
  std::vector<std::size_t> Tell(const std::vector<Line>& lines, Time now);

  // Forgets what will not come again, after a part of a reading and at its end.
  void Forget();
  void EndReading();

  // From when on the next reading has to be; absent: from the begin on.
  const std::optional<Time>& since() const { return since_; }

 private:
  bool IsNew(const Line& line);

  std::optional<Time> since_;  // what began before was told, or is none of ours
  store::Place from_;
  bool first_ = true;
  Time newest_;                              // of what has been read
  std::map<std::string, Time> told_;         // what of the time since then was told, and its time
  std::map<std::string, Time> in_progress_;  // decisions that were not told, and their times
};

}  // namespace ballast::explain
