// When something that speaks against a watch's view means that the watch is behind.
//
// Thread-safety: pure function.
#pragma once

#include "operator/runtime/clock.h"

namespace ballast::cluster {

// Whether evidence that has been there since then is to have the objects read again, which were
// read whole at `read_at`. It has to last for some seconds, as events need to come. What has
// outlasted a reading is not the watch's fault (a selector that matches others' pods too, an object
// that cannot be decoded), and is not believed again for an hour.
bool IsBehind(runtime::SteadyTime since, runtime::SteadyTime read_at, runtime::SteadyTime now);

}  // namespace ballast::cluster
