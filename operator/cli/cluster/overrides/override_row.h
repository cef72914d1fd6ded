// What `ballast overrides` shows of each: a row for people, and of JSON spec, ended and status as
// the object has them.
#pragma once

#include "api/autoscaling/override.h"
#include "operator/cli/row_fields.h"

namespace ballast::cli {

// `with_namespace`: the row has it, too.
void List(RowFields& f, const api::AutoScaleOverride& override, bool with_namespace);

}  // namespace ballast::cli
