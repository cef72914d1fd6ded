#include "operator/os/allocator.h"

#include <malloc.h>

namespace ballast::os {

void KeepTheHeapSmall() {
  constexpr int kLarge = 128 * 1024;
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, kLarge);
}

}  // namespace ballast::os
