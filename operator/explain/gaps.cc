#include "operator/explain/gaps.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include "api/autoscaling/types.h"
#include "api/base/human_duration.h"
#include "operator/explain/deleted.h"

namespace ballast::explain {

namespace {

constexpr Duration kDefaultPeriod = Duration::Seconds(15);
constexpr const char* kUnknown = "the store does not say why";
constexpr const char* kNothingElse = "nothing was evaluated; the store does not say why";
constexpr const char* kNoneIsRunning =
    "no operator was running with this store, or it cannot write to it, or still waits for answers";

bool SameName(const store::Entry& a, const store::Entry& b) {
  return a.subject.key == b.subject.key && a.subject.kind == b.subject.kind;
}

// "queue" of "External/queue": the types of metrics are words of the API.
std::string WithoutType(const std::string& metric) { return metric.substr(metric.find('/') + 1); }

// Why the evaluation was late. Requests that took less than a period delay nothing.
std::string Describe(const store::Delay& delay, Duration period, Duration tolerated) {
  const Duration pause = delay.time - delay.since;
  if (delay.took < period ||
      pause.nanoseconds - delay.took.nanoseconds > 2 * tolerated.nanoseconds) {
    return "the operator was suspended, or busy with other policies";
  }
  return "the requests of the evaluation before it took " + HumanDuration(delay.took) +
         (delay.slowest.empty() ? "" : ", the longest for " + WithoutType(delay.slowest));
}

std::string DescribeLate(const store::Delay& delay, Duration period) {
  return "it was evaluated late: " + Describe(delay, period, std::max(period, kDefaultPeriod));
}

// All causes that the store knows, those that explain most first.
std::vector<std::string> Causes(const store::GapFacts& pause, Duration gap, Duration period) {
  const Duration tolerated = std::max(period, kDefaultPeriod);
  std::vector<std::string> causes;
  if (pause.leader) {
    causes.push_back("another replica led: " + *pause.leader + "; its own store has the decisions");
  }
  if (pause.down > Duration{}) {
    // After a start, up to one period passes until the first evaluation.
    const bool whole = gap.nanoseconds - pause.down.nanoseconds <= 2 * tolerated.nanoseconds;
    causes.push_back("no operator was running with this store" +
                     (whole ? "" : " for " + HumanDuration(pause.down) + " of it"));
  }
  if (pause.in_vain && !pause.leader) {
    causes.emplace_back("an operator that started ended before it evaluated anything");
  }
  if (pause.unserved) {
    causes.emplace_back("its namespace was not served");
  }
  if (pause.delay) {
    causes.push_back(DescribeLate(*pause.delay, period));
  }
  return causes;
}

// Inserts others in order of time.
template <typename Others>
void Add(std::vector<Others> others, std::vector<Line>& lines) {
  const auto present = static_cast<std::ptrdiff_t>(lines.size());
  lines.insert(lines.end(), std::make_move_iterator(others.begin()),
               std::make_move_iterator(others.end()));
  // The evaluation that notices a change or follows an edit may have the same time: it comes after
  // that, and a gap after the evaluation that it follows.
  std::inplace_merge(
      lines.begin(), lines.begin() + present, lines.end(), [](const Line& a, const Line& b) {
        const auto rank = [](const Line& line) {
          return std::pair(TimeOf(line), std::holds_alternative<store::Entry>(line) ? 1
                                         : std::holds_alternative<Gap>(line)        ? 2
                                                                                    : 0);
        };
        return rank(a) < rank(b);
      });
}

// Finds the gaps between entries that come in parts.
class Gaps {
 public:
  Gaps(store::History& history, const store::HistoryQuery& query)
      : history_(history), query_(query) {}

  // Appends the entries, and the gaps between them, to `lines`.
  Status Insert(std::vector<store::Entry> entries, std::vector<Line>& lines) {
    for (store::Entry& entry : entries) {
      if (known_ && entry.time > *known_) {
        ASSIGN_OR_RETURN(std::string cause,
                         ExplainGap(history_, query_, previous_, &entry, *known_, entry.time));
        lines.push_back(Gap{last_, entry.time, std::move(cause)});
      }
      known_ = std::max(known_.value_or(entry.known_until()), entry.known_until());
      last_ = std::max(last_, entry.until);
      previous_ = entry;
      lines.push_back(std::move(entry));
    }
    return Done{};
  }

 private:
  store::History& history_;
  const store::HistoryQuery& query_;
  store::Entry previous_;
  // Over all entries so far: until when they are known to hold, and the last evaluation.
  std::optional<Time> known_;
  Time last_;
};

// Those within runs. A history of several autoscalers has only gaps in which none was evaluated.
Result<std::vector<Gap>> GapsInRuns(store::History& history, const store::HistoryQuery& query) {
  std::vector<Gap> gaps;
  if (!query.key) {
    return gaps;
  }
  ASSIGN_OR_RETURN(const auto delays, history.DelaysInRuns(query));
  for (const store::DelayEntry& entry : delays) {
    gaps.push_back(
        {entry.delay.since, entry.delay.time,
         DescribeLate(entry.delay, entry.period) + "; shorter ones of that run are not listed"});
  }
  return gaps;
}

}  // namespace

Result<std::string> ExplainGap(store::History& reader, const store::HistoryQuery& query,
                               const store::Entry& before, const store::Entry* after, Time from,
                               Time to) {
  const bool one = after == nullptr || SameName(before, *after);
  ASSIGN_OR_RETURN(const auto pause, reader.Explain(one ? &before.subject : nullptr, from, to));
  auto causes = Causes(pause, to - from, before.period);
  if (one && after != nullptr && before.subject.uid != after->subject.uid) {
    causes.emplace_back("it was deleted and created again");
  }
  ASSIGN_OR_RETURN(const auto reach, reader.HowFarBack(query));
  if (reach && reach->deleted && from < reach->since) {
    causes.push_back(std::string("what was evaluated ") +
                     (to <= reach->since ? "then" : "in the first part of it") + " was deleted (" +
                     kRetentionFlags + ")");
  }
  if (causes.empty()) {
    // The next process that opens the store records how long none had: until then this is likely.
    const char* const guess = after == nullptr ? kNoneIsRunning : kNothingElse;
    return before.subject.kind == api::kHpaKind
               ? std::string("its mode was ignore, or ") + (pause.others ? kUnknown : guess)
           : pause.others
               ? std::string("it was not evaluated although other policies were; ") + kUnknown
               : guess;
  }
  std::string text = std::move(causes.front());
  for (auto cause = causes.begin() + 1; cause != causes.end(); ++cause) {
    text += "; " + *cause;
  }
  return text;
}

Time TimeOf(const Line& line) {
  struct Begin {
    Time operator()(const store::Entry& entry) const { return entry.time; }
    Time operator()(const Gap& gap) const { return gap.from; }
    Time operator()(const store::ForeignChangeEntry& entry) const { return entry.change.time; }
    Time operator()(const store::EditEntry& entry) const { return entry.edit.time; }
  };
  return std::visit(Begin{}, line);
}

Status ForEachLine(store::History& history, const store::HistoryQuery& query,
                   const store::Place& from, const VisitLines& visit) {
  Gaps gaps(history, query);
  store::HistoryQuery part = query;
  if (from.time > Time()) {
    part.since = std::max(query.since.value_or(from.time), from.time);
  }
  return history.ForEachPart(query, from,
                             [&](std::vector<store::Entry> entries, Time until) -> Status {
                               std::vector<Line> lines;
                               TRY(gaps.Insert(std::move(entries), lines));
                               part.until = until;
                               ASSIGN_OR_RETURN(auto foreign_changes, history.ForeignChanges(part));
                               Add(std::move(foreign_changes), lines);
                               ASSIGN_OR_RETURN(auto edits, history.Edits(part));
                               Add(std::move(edits), lines);
                               ASSIGN_OR_RETURN(auto late, GapsInRuns(history, part));
                               Add(std::move(late), lines);
                               part.since = until + Duration{1};
                               return visit(std::move(lines));
                             });
}

}  // namespace ballast::explain
