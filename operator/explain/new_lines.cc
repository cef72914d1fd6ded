#include "operator/explain/new_lines.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace ballast::explain {
namespace {

// How long after the beginning of an evaluation its record may come: the answers of metrics APIs
// take 40 s at most, a write 15 s.
constexpr Duration kLatest = Duration::Seconds(120);

// Identifies what a line is about.
std::string KeyOf(const Line& line) {
  if (const auto* entry = std::get_if<store::Entry>(&line)) {
    return std::to_string(entry->id);
  }
  if (const auto* edit = std::get_if<store::EditEntry>(&line)) {
    return edit->subject.uid + " " + Print(edit->edit.time) + " " + edit->edit.field;
  }
  const auto& foreign = std::get<store::ForeignChangeEntry>(line);
  return foreign.subject.uid + " " + Print(foreign.change.time);
}

}  // namespace

Status NewLines::Read(store::History& history, Time now, const VisitLines& visit) {
  // Runs that began earlier are read again, because they show until when there is no gap.
  const store::HistoryQuery query = query_;
  TRY(ForEachLine(history, query, first_ ? from_ : store::Place(),
                  [&](std::vector<Line> lines) -> Status {
                    const std::vector<Line> untold = Untold(std::move(lines), now);
                    if (first_) {
                      Forget();
                    }
                    return untold.empty() ? Status(Done{}) : visit(untold);
                  }));
  first_ = false;
  Forget();
  return Done{};
}

std::vector<Line> NewLines::Untold(std::vector<Line> lines, Time now) {
  std::vector<Line> untold;
  std::optional<Line> gap;  // told with the entry that ends it
  for (Line& line : lines) {
    if (std::holds_alternative<Gap>(line)) {
      gap = std::move(line);
      continue;
    }
    const bool is_new = IsNew(line);
    // A clock that was ahead must not hide what came after it was set.
    newest_ = std::max(newest_, std::min(TimeOf(line), now));
    if (std::holds_alternative<store::Entry>(line) && gap) {
      if (is_new) {
        untold.push_back(*std::move(gap));
      }
      gap.reset();
    }
    if (is_new) {
      untold.push_back(std::move(line));
    }
  }
  return untold;
}

bool NewLines::IsNew(const Line& line) {
  const Time time = TimeOf(line);
  if (!first_ && query_.since && time < *query_.since) {
    return false;
  }
  if (const auto* entry = std::get_if<store::Entry>(&line)) {
    if (std::pair(time, entry->id) < std::pair(from_.time, from_.id)) {
      return false;
    }
    if (entry->fate == store::Fate::kIntended) {
      in_progress_[entry->id] = time;
      return false;
    }
    in_progress_.erase(entry->id);
  } else if (time < from_.time) {
    return false;
  }
  return told_.emplace(KeyOf(line), time).second;
}

void NewLines::Forget() {
  Time since = newest_ - kLatest;
  for (const auto& [id, time] : in_progress_) {
    since = std::min(since, time);
  }
  query_.since = std::max(query_.since.value_or(since), since);
  std::erase_if(told_, [&](const auto& one) { return one.second < *query_.since; });
}

}  // namespace ballast::explain
