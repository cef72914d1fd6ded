#include "operator/cli/history_gaps.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace ballast::cli {

Result<std::string> ExplainGap(store::Reader& reader, Time from, Time to) {
  ASSIGN_OR_RETURN(const bool others, reader.EvaluatedBetween(from, to));
  return std::string(others ? "not evaluated, while others were: there was no such autoscaler, it "
                              "yielded to another one of its target, or its spec was refused"
                            : "no operator ran with this store");
}

Result<std::vector<Line>> WithGaps(store::Reader& reader, std::vector<store::Entry> entries) {
  std::vector<Line> lines;
  lines.reserve(entries.size());
  // Of all entries so far: until when they are known to hold, and the last evaluation.
  std::optional<Time> known;
  Time last;
  for (store::Entry& entry : entries) {
    if (known && entry.time > *known) {
      ASSIGN_OR_RETURN(std::string cause, ExplainGap(reader, *known, entry.time));
      lines.push_back(Gap{last, entry.time, std::move(cause)});
    }
    known = std::max(known.value_or(entry.known_until()), entry.known_until());
    last = std::max(last, entry.until);
    lines.push_back(std::move(entry));
  }
  return lines;
}

}  // namespace ballast::cli
