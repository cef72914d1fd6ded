#include "operator/cli/pods/merge.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "api/json/json.h"
#include "operator/cli/ledger/history_parse.h"
#include "store/history.h"

namespace ballast::cli {
namespace {

using explain::Gap;
using explain::Line;

Line ReadLine(const json::Cursor& in) {
  if (const json::Cursor gap = in.Member("gap"); gap.present()) {
    return ReadGap(gap);
  }
  if (const json::Cursor change = in.Member("foreignChange"); change.present()) {
    return ReadForeignChange(change);
  }
  if (const json::Cursor edit = in.Member("edit"); edit.present()) {
    return ReadEdit(edit);
  }
  return ReadEntry(in);
}

struct CoveredSpan {
  Time from;
  Time to;
};

// When the ledger has evaluations: from the first to the last one, without its gaps. In order.
std::vector<CoveredSpan> Covered(const PodHistory& history) {
  std::vector<CoveredSpan> spans;
  bool interrupted = true;
  for (const Line& line : history.lines) {
    if (const auto* entry = std::get_if<store::Entry>(&line)) {
      if (interrupted) {
        spans.push_back({entry->time, entry->until});
        interrupted = false;
      }
      spans.back().to = std::max(spans.back().to, entry->until);
    } else if (const auto* gap = std::get_if<Gap>(&line)) {
      interrupted = interrupted || gap->to > spans.back().to;
      if (!interrupted) {  // it is within a run
        spans.push_back({gap->to, std::exchange(spans.back().to, gap->from)});
      }
    }
  }
  return spans;
}

// What the spans leave of the gap.
std::vector<Gap> Without(const Gap& gap, const std::vector<CoveredSpan>& spans) {
  std::vector<Gap> left;
  Gap rest = gap;
  for (const CoveredSpan& span : spans) {
    if (span.to <= rest.from || span.from >= rest.to) {
      continue;
    }
    if (span.from > rest.from) {
      left.push_back({rest.from, span.from, gap.cause});
    }
    rest.from = span.to;
    if (rest.from >= rest.to) {
      return left;
    }
  }
  left.push_back(rest);
  return left;
}

Time EndOf(const Line& line) {
  if (const auto* entry = std::get_if<store::Entry>(&line)) {
    return entry->until;
  }
  const auto* gap = std::get_if<Gap>(&line);
  return gap == nullptr ? explain::TimeOf(line) : gap->to;
}

// Leaves out what ended before the latest begin of a history that was cut.
void CutWhereOneIs(const std::vector<PodHistory>& histories, MergedHistory& merged) {
  for (const PodHistory& history : histories) {
    if (history.from && (!merged.from || *history.from > *merged.from)) {
      merged.from = history.from;
      merged.from_pod = history.pod;
    }
  }
  std::vector<Line> lines;
  std::vector<std::string> pods;
  for (std::size_t i = 0; i < merged.lines.size(); ++i) {
    Line& line = merged.lines[i];
    if (merged.from && EndOf(line) < *merged.from) {
      continue;
    }
    if (auto* gap = std::get_if<Gap>(&line); gap != nullptr && merged.from) {
      gap->from = std::max(gap->from, *merged.from);
    }
    lines.push_back(std::move(line));
    pods.push_back(std::move(merged.pods[i]));
  }
  if (lines.size() == merged.lines.size()) {
    merged.from.reset();
  }
  merged.lines = std::move(lines);
  merged.pods = std::move(pods);
}

// The spans of all ledgers but that one, by their begin.
std::vector<CoveredSpan> CoveredByOthers(const std::vector<std::vector<CoveredSpan>>& covered,
                                         std::size_t own) {
  std::vector<CoveredSpan> all;
  for (std::size_t i = 0; i < covered.size(); ++i) {
    if (i != own) {
      all.insert(all.end(), covered[i].begin(), covered[i].end());
    }
  }
  std::ranges::sort(all, {}, &CoveredSpan::from);
  return all;
}

}  // namespace

Result<PodHistory> ParseHistory(const std::string& pod, std::string_view text) {
  ASSIGN_OR_RETURN(const json::Document document, json::Parse(text));
  json::Decoder decoder(document);
  PodHistory history{pod, {}, {}};
  for (const json::Cursor& line : decoder.root().Elements()) {
    history.lines.push_back(ReadLine(line));
  }
  TRY(decoder.status());
  return history;
}

std::vector<Line> EssentialLines::Of(std::vector<Line> lines) {
  std::vector<Line> essential;
  for (Line& line : lines) {
    const auto* entry = std::get_if<store::Entry>(&line);
    if (std::holds_alternative<Gap>(line)) {
      std::ranges::move(End(), std::back_inserter(essential));
      interrupted_ = true;
    } else if (entry != nullptr && !entry->changes() && !std::exchange(interrupted_, false)) {
      if (!last_ || last_->until < entry->until) {
        last_ = *entry;
      }
      continue;
    } else if (entry != nullptr) {
      interrupted_ = false;
    }
    essential.push_back(std::move(line));
  }
  return essential;
}

std::vector<Line> EssentialLines::End() {
  std::vector<Line> essential;
  if (last_) {
    essential.emplace_back(*std::move(last_));
    last_.reset();
  }
  return essential;
}

void NoteCut(std::int64_t limit, bool changes_only, PodHistory& history) {
  std::int64_t count = 0;
  std::optional<Time> first;
  for (const Line& line : history.lines) {
    if (const auto* entry = std::get_if<store::Entry>(&line)) {
      count += !changes_only || entry->changes() ? 1 : 0;
      first = first.value_or(entry->time);
    }
  }
  if (limit > 0 && count >= limit) {
    history.from = first;
  }
}

MergedHistory MergeHistories(const std::vector<PodHistory>& histories) {
  std::vector<std::vector<CoveredSpan>> covered;
  std::ranges::transform(histories, std::back_inserter(covered), Covered);
  std::vector<std::pair<Line, std::string>> all;
  std::vector<CoveredSpan> told;  // the gaps that are lines already
  for (std::size_t i = 0; i < histories.size(); ++i) {
    std::vector<CoveredSpan> others = CoveredByOthers(covered, i);
    others.insert(others.end(), told.begin(), told.end());
    std::ranges::sort(others, {}, &CoveredSpan::from);
    for (const Line& line : histories[i].lines) {
      const auto* gap = std::get_if<Gap>(&line);
      if (gap == nullptr) {
        all.emplace_back(line, histories[i].pod);
        continue;
      }
      for (Gap& left : Without(*gap, others)) {
        told.push_back({left.from, left.to});
        all.emplace_back(std::move(left), histories[i].pod);
      }
    }
  }
  std::ranges::stable_sort(all, {}, [](const auto& one) { return explain::TimeOf(one.first); });
  MergedHistory merged;
  for (auto& [line, pod] : all) {
    merged.lines.push_back(std::move(line));
    merged.pods.push_back(std::move(pod));
  }
  CutWhereOneIs(histories, merged);
  return merged;
}

Result<PodWhy> ParseWhy(const std::string& pod, std::string_view text) {
  ASSIGN_OR_RETURN(const json::Document document, json::Parse(text));
  json::Decoder decoder(document);
  PodWhy why;
  why.pod = pod;
  decoder.root().Required("recorded").Read(why.recorded);
  if (const json::Cursor decided = decoder.root().Member("decided"); decided.present()) {
    json::Read(decided.Required("time"), why.decided.emplace());
    decided.Required("desiredReplicas").Read(why.desired_replicas);
  }
  TRY(decoder.status());
  return why;
}

std::size_t ChooseAnswer(const std::vector<PodWhy>& answers) {
  const auto rank = [](const PodWhy& why) { return std::tuple(why.recorded, why.decided); };
  return static_cast<std::size_t>(std::ranges::max_element(answers, {}, rank) - answers.begin());
}

std::vector<std::string> Contradictions(const std::vector<PodWhy>& answers, std::size_t chosen) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const PodWhy& other = answers[i];
    if (i != chosen && answers[chosen].recorded && other.recorded && other.decided &&
        other.desired_replicas != answers[chosen].desired_replicas) {
      found.push_back(other.pod + " has " + std::to_string(other.desired_replicas) +
                      " replicas, decided at " + Print(*other.decided));
    }
  }
  return found;
}

}  // namespace ballast::cli
