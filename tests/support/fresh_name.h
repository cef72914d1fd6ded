// A name that nothing in this process has had before, for what the process remembers as long as it
// lives (such as log::About): then a test can be repeated, and run in any order.
//
// Thread-safety: any thread.
#pragma once

#include <atomic>
#include <string>

namespace ballast::support {

inline std::string FreshName(const std::string& stem) {
  static std::atomic<int> last = 0;
  return stem + "-" + std::to_string(++last);
}

}  // namespace ballast::support
