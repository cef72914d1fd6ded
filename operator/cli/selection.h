// The autoscalers and the time that the user selected, as a query of the ledger.
//
// Thread-safety: main thread only.
// Errors: kNotFound and kInvalid as below, and the History's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/base/result.h"
#include "api/base/time.h"
#include "operator/cli/autoscaler_name.h"
#include "operator/cli/options.h"
#include "store/history.h"

namespace ballast::cli {

// The options together, without looking whether there is such an autoscaler. kInvalid: the name is
// none, or they contradict each other.
Result<AutoscalerName> Combine(const AutoscalerChoice& choice);

// kInvalid: --all-namespaces is given, and a name too.
Status CheckAllNamespaces(bool all_namespaces, bool named);

struct SelectedTime {
  std::optional<Time> since;  // absent: no bound
  std::optional<Time> until;
};
// --since and --until. kInvalid: one is not a time, or the end is before the begin.
Result<SelectedTime> ParseTimes(const Selection& selection);

// The recorded autoscalers that are asked for, as a query without times: its name and kind as
// autoscaler_name.h says, its namespace from the name or --namespace. Without a name, all that
// these options leave. kInvalid: the options contradict each other, or no namespace is given.
// kNotFound: there is no such autoscaler; the message suggests similar names.
Result<store::HistoryQuery> FindRecorded(store::History& reader, const AutoscalerChoice& choice);

// The newest entries of a query.
struct NewestEntries {
  store::HistoryQuery query;
  std::optional<store::Newest> limit;  // absent: all of the query's
  // Whether the entry, one of the query's, is among them.
  bool Has(const store::Entry& entry) const;
};
// The newest `limit` of them; 0: all.
Result<NewestEntries> LimitTo(store::History& reader, const store::HistoryQuery& query,
                              std::int64_t limit);
// "3 earlier decisions, from 2026-03-04 12:00:00 UTC on, are left out: --limit 0 shows all"
std::string DescribeLeftOut(const store::Newest& newest, bool changes_only, Zone zone);

// Says on standard error what retention has deleted of what the query asks for.
Status TellDeleted(store::History& reader, const store::HistoryQuery& query, Zone zone);

// Says on standard error that so much of what was asked for is damaged, and returns kFoundWrong;
// kDone: nothing is. Whatever else was asked for is shown.
ExitStatus TellDamaged(std::int64_t count);

// The errors of CheckAllNamespaces, ParseTimes and FindRecorded.
Result<store::HistoryQuery> QueryFor(store::History& reader, const Selection& selection);

}  // namespace ballast::cli
