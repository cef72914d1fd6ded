// Names for threads, as `top -H`, debuggers and /proc/PID/task/*/comm show them.
//
//   thread_ = std::jthread([this] {
//     os::NameThisThread("events");
//     ...
//
// Thread-safety: each names the calling thread alone. A name that cannot be given is none: the
// thread keeps the one that it has.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ballast::os {

// The kernel keeps no more than this; what is longer is cut.
inline constexpr std::size_t kMaxThreadName = 15;

void NameThisThread(std::string_view name);

// For threads that a library starts: a thread begins with the name of the one that started it, so
// that this one lends it while the library is at it.
class NameForNewThreads {
 public:
  explicit NameForNewThreads(std::string_view name);
  ~NameForNewThreads();  // the calling thread has its own name again
  NameForNewThreads(const NameForNewThreads&) = delete;
  NameForNewThreads& operator=(const NameForNewThreads&) = delete;

 private:
  const std::string own_;
};

}  // namespace ballast::os
