#include "operator/explain/told_lines.h"

#include <algorithm>

namespace ballast::explain {
namespace {

// How long after the beginning of an evaluation its record may come: the answers of metrics APIs
// take 40 s at most, a write 15 s.
constexpr Duration kLatest = Duration::Seconds(120);

// Identifies what a line is about.
std::string KeyOf(const Line& line) {
  if (const auto* entry = std::get_if<store::Entry>(&line)) {
    return entry->ledger + " " + std::to_string(entry->id);
  }
  if (const auto* edit = std::get_if<store::EditEntry>(&line)) {
    return edit->subject.uid + " " + Print(edit->edit.time) + " " + edit->edit.field;
  }
  const auto& foreign = std::get<store::ForeignChangeEntry>(line);
  return foreign.subject.uid + " " + Print(foreign.change.time);
}

}  // namespace

std::vector<std::size_t> ToldLines::Tell(const std::vector<Line>& lines, Time now) {
  std::vector<std::size_t> untold;
  std::vector<std::size_t> gaps;  // until the decision after them
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    if (std::holds_alternative<Gap>(line)) {
      gaps.push_back(i);
      continue;
    }
    const bool is_new = IsNew(line);
    // A clock that was ahead must not hide what came after it was set.
    newest_ = std::max(newest_, std::min(TimeOf(line), now));
    if (std::holds_alternative<store::Entry>(line)) {
      if (is_new) {
        untold.insert(untold.end(), gaps.begin(), gaps.end());
      }
      gaps.clear();
    }
    if (is_new) {
      untold.push_back(i);
    }
  }
  return untold;
}

bool ToldLines::IsNew(const Line& line) {
  const Time time = TimeOf(line);
  if (!first_ && since_ && time < *since_) {
    return false;
  }
  const std::string key = KeyOf(line);
  if (const auto* entry = std::get_if<store::Entry>(&line)) {
    if (std::pair(time, entry->id) < std::pair(from_.time, from_.id)) {
      return false;
    }
    if (entry->disposition == store::Disposition::kIntended) {
      in_progress_[key] = time;
      return false;
    }
    in_progress_.erase(key);
  } else if (time < from_.time) {
    return false;
  }
  return told_.emplace(key, time).second;
}

void ToldLines::Forget() {
  Time since = newest_ - kLatest;
  for (const auto& [key, time] : in_progress_) {
    since = std::min(since, time);
  }
  since_ = std::max(since_.value_or(since), since);
  std::erase_if(told_, [&](const auto& one) { return one.second < *since_; });
}

void ToldLines::EndReading() {
  first_ = false;
  Forget();
}

}  // namespace ballast::explain
