// Waits for the lists of a watch.
//
// Thread-safety: any thread.
// Errors: none; without a list it waits for ever.
#pragma once

#include <thread>

#include "operator/process/clock.h"

namespace ballast::controllers {

// Until all objects of the namespace "shop" have been listed at `now` and are watched, so that they
// can be listed again.
template <typename Watch>
void AwaitList(const Watch& watch, process::SteadyTime now) {
  while (*watch.AsOf("shop") != now || watch.DebugState().front().state != "watching") {
    std::this_thread::yield();
  }
}

}  // namespace ballast::controllers
