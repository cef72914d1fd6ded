// Keeps caches that grow with use bounded: once they hold twice what the last sweep left, unused
// entries are erased. So an insertion takes amortized constant time.
//
// Thread-safety: none; the caller's lock protects the Sweeper with its tables.
#pragma once

#include <algorithm>
#include <cstddef>

namespace ballast::cluster {

class Sweeper {
 public:
  // Call it after an insertion. `unused(entry)` says whether an entry of any of the tables may go.
  template <typename Unused, typename... Tables>
  void Sweep(const Unused& unused, Tables&... tables) {
    const auto size = [&] { return (tables.size() + ...); };
    if (size() >= at_) {
      (std::erase_if(tables, unused), ...);
      at_ = std::max(kFew, 2 * size());
    }
  }

 private:
  static constexpr std::size_t kFew = 64;
  std::size_t at_ = kFew;
};

}  // namespace ballast::cluster
