#include "store/fold/stored_state.h"

#include <algorithm>
#include <utility>

#include "api/base/stable_hash.h"

namespace ballast::store {

MemoryImage AfterACrash(MemoryImage image, Time heartbeat) {
  if (!image.live) {
    return image;
  }
  if (image.held) {
    Time& held = image.recommendations[*image.held];
    held = std::max(held, heartbeat + image.period + kSlack);
  }
  const Duration pause{image.period.nanoseconds * 2};
  image.evaluated = std::max(image.evaluated, heartbeat - pause - kLate);
  return AtRest(std::move(image));
}

void TrustJournal(StoredState& state) {
  for (LoadedMemory& memory : state.memories) {
    const auto found = state.unsaved.find(StableHash(memory.subject.uid));
    if (found == state.unsaved.end()) {
      continue;
    }
    for (const JournalEntry& entry : found->second) {
      if (entry.point) {
        memory.image.evaluated = std::max(memory.image.evaluated, entry.point->time);
      }
    }
  }
}

}  // namespace ballast::store
