// Whether anybody still reads what this program prints.
//
// Thread-safety: any thread.
#pragma once

#include "api/base/time.h"

namespace ballast::os {

// Waits that long, and returns true; or, as soon as whoever reads the pipe `output` has closed it,
// false.
bool StaysRead(int output, Duration time);

}  // namespace ballast::os
