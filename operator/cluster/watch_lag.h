// Decides when evidence against a watch's view means that the watch is behind.
#pragma once

#include "operator/process/clock.h"

namespace ballast::cluster {

// Whether the objects, last listed at `read_at`, are to be listed again because of evidence that
// has lasted since `since`. It has to last for ten seconds, because events take a while to arrive.
// Evidence that outlasted a list is not the watch's fault (a selector that matches others' pods
// too, an object that cannot be decoded), and is ignored for an hour.
bool IsBehind(process::SteadyTime since, process::SteadyTime read_at, process::SteadyTime now);

}  // namespace ballast::cluster
