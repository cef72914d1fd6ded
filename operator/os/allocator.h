// How the process takes memory from the system: as little as it needs.
//
// Thread-safety: call it once, before other threads start; it changes the allocator of the whole
// process.
#pragma once

namespace ballast::os {

// - One heap for all threads: with one for each, what one thread frees is of no use to the others.
//   Threads keep small blocks of their own, so they rarely wait for each other.
// - Large buffers, such as a list of the API server's or a review, go back to the system at once.
//   Otherwise glibc keeps up to twice the largest buffer that was ever freed.
void KeepTheHeapSmall();

}  // namespace ballast::os
