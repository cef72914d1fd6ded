#include "operator/cli/selection.h"

#include <iostream>
#include <tuple>
#include <utility>
#include <vector>

#include "api/base/near_names.h"
#include "operator/cli/terminal/one_line.h"
#include "operator/cli/terminal/times.h"
#include "operator/explain/deleted.h"

namespace ballast::cli {
namespace {

// Those that may have been meant: of the same name in any namespace, or of a similar one.
Result<std::string> Suggest(store::History& reader, const AutoscalerName& asked) {
  ASSIGN_OR_RETURN(const auto subjects, reader.Subjects());
  std::vector<std::string> names;
  for (const auto& subject : subjects) {
    if (asked.kind.empty() || subject.kind == asked.kind) {
      names.push_back(subject.key.Print());
    }
  }
  const std::string name = (asked.namespace_.empty() ? "" : asked.namespace_ + "/") + asked.name;
  return DidYouMean(name, std::move(names));
}

}  // namespace

Result<AutoscalerName> Combine(const AutoscalerChoice& choice) {
  if (choice.name.empty()) {
    return AutoscalerName{choice.kind, choice.namespace_, ""};
  }
  ASSIGN_OR_RETURN(const AutoscalerName name, ParseName(choice.name));
  const auto differ = [](const std::string& one, const std::string& other) {
    return !one.empty() && !other.empty() && one != other;
  };
  if (differ(name.kind, choice.kind)) {
    return Error{Code::kInvalid, choice.name + " is not of the kind that --kind says"};
  }
  if (differ(name.namespace_, choice.namespace_)) {
    return Error{Code::kInvalid, choice.name + " is not in the namespace that -n says"};
  }
  return AutoscalerName{name.kind.empty() ? choice.kind : name.kind,
                        name.namespace_.empty() ? choice.namespace_ : name.namespace_, name.name};
}

Status CheckAllNamespaces(bool all_namespaces, bool named) {
  return all_namespaces && named
             ? Status(Error{Code::kInvalid, "-A shows all autoscalers: give no name"})
             : Done{};
}

Result<SelectedTime> ParseTimes(const Selection& selection) {
  const Time now = Now();
  SelectedTime time;
  if (!selection.since.empty()) {
    ASSIGN_OR_RETURN(time.since, ParseMoment("--since", selection.since, now, selection.zone));
  }
  if (selection.until.empty()) {
    return time;
  }
  // A time of the day may be the one after --since.
  for (const TimeOfDay day : {TimeOfDay::kLast, TimeOfDay::kToday, TimeOfDay::kTomorrow}) {
    ASSIGN_OR_RETURN(time.until, ParseMoment("--until", selection.until, now, selection.zone, day));
    if (!time.since || *time.until >= *time.since) {
      return time;
    }
  }
  return Error{Code::kInvalid, "--since is not before --until"};
}

Result<store::HistoryQuery> FindRecorded(store::History& reader, const AutoscalerChoice& choice) {
  ASSIGN_OR_RETURN(const AutoscalerName asked, Combine(choice));
  store::HistoryQuery query;
  query.kind = asked.kind;
  if (asked.name.empty()) {
    query.namespace_ = asked.namespace_;
    return query;
  }
  if (asked.namespace_.empty()) {
    ASSIGN_OR_RETURN(const std::string suggestion, Suggest(reader, asked));
    return Error{
        Code::kInvalid,
        "\"" + choice.name + "\" has no namespace: give NAMESPACE/NAME, or -n" + suggestion};
  }
  query.key = api::ObjectKey{asked.namespace_, asked.name};
  ASSIGN_OR_RETURN(const bool known, reader.Knows(*query.key, query.kind));
  if (!known) {
    ASSIGN_OR_RETURN(const std::string suggestion, Suggest(reader, asked));
    ASSIGN_OR_RETURN(const std::string deleted, explain::DescribeDeleted(reader, query));
    return Error{Code::kNotFound, "nothing is recorded of " +
                                      (asked.kind.empty() ? "" : asked.kind + " ") + "\"" +
                                      query.key->Print() + "\"" + deleted + suggestion};
  }
  return query;
}

Result<store::HistoryQuery> QueryFor(store::History& reader, const Selection& selection) {
  TRY(CheckAllNamespaces(selection.all_namespaces, !selection.of.name.empty()));
  ASSIGN_OR_RETURN(const SelectedTime time, ParseTimes(selection));
  ASSIGN_OR_RETURN(auto query, FindRecorded(reader, selection.of));
  query.since = time.since;
  query.until = time.until;
  return query;
}

bool NewestEntries::Has(const store::Entry& entry) const {
  return !limit || std::tie(entry.time, entry.id) >= std::tie(limit->from.time, limit->from.id);
}

Result<NewestEntries> LimitTo(store::History& reader, const store::HistoryQuery& query,
                              std::int64_t limit) {
  NewestEntries newest{query, {}};
  if (limit > 0) {
    ASSIGN_OR_RETURN(newest.limit, reader.FindNewest(query, limit));
  }
  if (newest.limit) {
    newest.query.since = newest.limit->from.time;  // those that end before need not be read
  }
  return newest;
}

Status TellDeleted(store::History& reader, const store::HistoryQuery& query, Zone zone) {
  ASSIGN_OR_RETURN(const auto reach, reader.HowFarBack(query));
  if (!reach || !reach->deleted || (query.since && *query.since >= reach->since)) {
    return Done{};
  }
  const std::string asked = query.key ? query.key->namespace_ : query.namespace_;
  std::cerr << "every evaluation " << (asked.empty() ? "" : "in namespace " + asked + " ")
            << "since " << PrintIn(zone, reach->since) << " " << NameOf(zone, reach->since)
            << " is on record; earlier ones were deleted (" << explain::kRetentionFlags << ")"
            << (asked.empty()
                    ? "; namespace " + OneLine(reach->namespace_) + " reaches back the least"
                    : "")
            << "\n";
  return Done{};
}

ExitStatus TellDamaged(std::int64_t count) {
  if (count == 0) {
    return ExitStatus::kDone;
  }
  std::cerr << count << (count == 1 ? " record is" : " records are")
            << " damaged and left out; all others are here\n";
  return ExitStatus::kFoundWrong;
}

std::string DescribeLeftOut(const store::Newest& newest, bool changes_only, Zone zone) {
  const bool one = newest.left_out == 1;
  return std::to_string(newest.left_out) + " earlier " + (changes_only ? "change" : "decision") +
         (one ? "" : "s") + ", from " + PrintIn(zone, newest.oldest) + " " +
         NameOf(zone, newest.oldest) + (one ? " on, is" : " on, are") +
         " left out: --limit 0 shows all";
}

}  // namespace ballast::cli
