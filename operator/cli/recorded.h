// Which of the recorded autoscalers and which time the user means.
//
// Thread-safety: used by main's thread only. Failure modes: each function's.
#pragma once

#include <string>

#include "api/result.h"
#include "operator/cli/options.h"
#include "operator/cli/times.h"
#include "store/reader.h"

namespace ballast::cli {

// The key in the store that `name` (NAMESPACE/NAME) is, as an autoscaler of that kind (empty: any).
// kNotFound otherwise, with the names that are most like it.
Result<api::ObjectKey> FindRecorded(store::Reader& reader, const std::string& name,
                                    const std::string& kind);

// The query for `name` (empty: all), `kind` (empty: any) and `span`.
Result<store::HistoryQuery> QueryFor(store::Reader& reader, const std::string& name,
                                     const std::string& kind, const Span& span, Zone zone);

}  // namespace ballast::cli
