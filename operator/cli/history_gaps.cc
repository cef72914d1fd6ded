#include "operator/cli/history_gaps.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

namespace ballast::cli {

Result<std::string> ExplainGap(store::Reader& reader, Time from, Time to) {
  ASSIGN_OR_RETURN(const auto leader, reader.OtherLeader(from, to));
  if (leader) {
    return "another replica led: " + *leader + "; its own store has the decisions";
  }
  ASSIGN_OR_RETURN(const bool others, reader.EvaluatedBetween(from, to));
  return std::string(others ? "not evaluated, while others were: it did not exist then, or its "
                              "namespace was not served"
                            : "no operator ran with this store");
}

Time TimeOf(const Line& line) {
  if (const auto* entry = std::get_if<store::Entry>(&line)) {
    return entry->time;
  }
  const auto* gap = std::get_if<Gap>(&line);
  return gap != nullptr ? gap->from : std::get<store::Intrusion>(line).change.time;
}

void AddIntrusions(std::vector<store::Intrusion> intrusions, std::vector<Line>& lines) {
  const auto decisions = static_cast<std::ptrdiff_t>(lines.size());
  lines.insert(lines.end(), std::make_move_iterator(intrusions.begin()),
               std::make_move_iterator(intrusions.end()));
  // The evaluation that notices a change bears the same time: the change comes first.
  std::inplace_merge(
      lines.begin(), lines.begin() + decisions, lines.end(), [](const Line& a, const Line& b) {
        const auto rank = [](const Line& line) {
          return std::pair(TimeOf(line), std::holds_alternative<store::Entry>(line) ? 1 : 0);
        };
        return rank(a) < rank(b);
      });
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
