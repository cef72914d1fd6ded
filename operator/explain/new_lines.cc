#include "operator/explain/new_lines.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace ballast::explain {

NewLines::NewLines(store::HistoryQuery query, const store::Place& from)
    : query_(std::move(query)), from_(from), told_(query_.since) {
  told_.LeaveOut(from);
}

Status NewLines::Read(store::History& history, Time now, const VisitLines& visit) {
  // Runs that began earlier are read again, because they show until when there is no gap.
  query_.since = told_.since();
  TRY(ForEachLine(history, query_, std::exchange(from_, {}),
                  [&](std::vector<Line> lines) -> Status {
                    std::vector<Line> untold;
                    for (const std::size_t i : told_.Tell(lines, now)) {
                      untold.push_back(std::move(lines[i]));
                    }
                    told_.Forget();
                    return untold.empty() ? Status(Done{}) : visit(std::move(untold));
                  }));
  told_.EndReading();
  return Done{};
}

}  // namespace ballast::explain
