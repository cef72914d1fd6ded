// Which of the recorded autoscalers and which time the user means.
//
// Thread-safety: used by main's thread only. Failure modes: each function's.
#pragma once

#include <string>

#include "api/base/result.h"
#include "operator/cli/options.h"
#include "store/reader.h"

namespace ballast::cli {

// The key in the store that `name` (NAMESPACE/NAME) is, as an autoscaler of that kind (empty: any).
// kNotFound otherwise, with the names that are most like it.
Result<api::ObjectKey> FindRecorded(store::Reader& reader, const std::string& name,
                                    const std::string& kind);

Result<store::HistoryQuery> QueryFor(store::Reader& reader, const Selection& selection);

}  // namespace ballast::cli
