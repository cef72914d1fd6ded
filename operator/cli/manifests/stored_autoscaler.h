// The autoscaler of a manifest as the operator takes one that is stored: it goes on with some that
// `ballast validate` refuses to write, as with a bound that never counts or a time zone that is
// gone.
//
// Thread-safety: main thread only.
// Errors: kInvalid, with what is wrong.
#pragma once

#include <string>

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "api/json/json.h"

namespace ballast::cli {

// `source`: of the manifest. kInvalid: the operator would not go on with it; else what is wrong is
// told on standard error.
Result<api::Autoscaler> AsStored(const std::string& source, const json::Cursor& object);

}  // namespace ballast::cli
