// The autoscalers and the time that the user selected, as a query of the ledger.
//
// Thread-safety: main thread only.
// Errors: kNotFound and kInvalid as below, and the History's.
#pragma once

#include <string>

#include "api/base/result.h"
#include "operator/cli/options.h"
#include "store/history.h"

namespace ballast::cli {

// The recorded autoscalers that are asked for, as a query without times: its name and kind as
// autoscaler_name.h says, its namespace from the name or --namespace. Without a name, all that
// these options leave. kInvalid: the options contradict each other, or no namespace is given.
// kNotFound: there is no such autoscaler; the message suggests similar names.
Result<store::HistoryQuery> FindRecorded(store::History& reader, const AutoscalerChoice& choice);

// kInvalid: --since or --until is not a time; else FindRecorded's errors.
Result<store::HistoryQuery> QueryFor(store::History& reader, const Selection& selection);

}  // namespace ballast::cli
