// Spans of time as people say them.
//
// Thread-safety: pure function. It cannot fail.
#pragma once

#include <string>

#include "api/base/time.h"

namespace ballast {

// "1h5m", "12m", "45s", "0.4s": the two largest units.
std::string Rough(Duration span);

}  // namespace ballast
