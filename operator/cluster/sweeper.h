// Keeps tables that grow with what is seen in bounds: whenever they hold twice what the last sweep
// left, what nobody uses any more goes. So an insertion costs a constant time on average.
//
// Thread-safety: none of its own.
#pragma once

#include <algorithm>
#include <cstddef>

namespace ballast::cluster {

class Sweeper {
 public:
  // To be called after an insertion. `unused` tells of an entry of any of the tables.
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
