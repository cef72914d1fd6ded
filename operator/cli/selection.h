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

// The key of the recorded autoscaler `name` (NAMESPACE/NAME) of that kind (empty: any). kNotFound:
// there is none; the message suggests similar names.
Result<api::ObjectKey> FindRecorded(store::History& reader, const std::string& name,
                                    const std::string& kind);

// kInvalid: --since or --until is not a time; else FindRecorded's errors.
Result<store::HistoryQuery> QueryFor(store::History& reader, const Selection& selection);

}  // namespace ballast::cli
