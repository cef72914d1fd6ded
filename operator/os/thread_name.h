// Names for threads, as shown by `top -H`, debuggers and /proc/PID/task/*/comm.
//
//   thread_ = std::jthread([this] {
//     os::NameThisThread("events");
//     ...
//
// Thread-safety: any thread; each call names the calling thread only.
// Errors: none; if the system refuses a name, the thread keeps its former one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ballast::os {

// The kernel's limit in bytes; longer names are cut.
inline constexpr std::size_t kMaxThreadName = 15;

void NameThisThread(std::string_view name);

// Names threads that a library starts: a new thread inherits the name of the one that starts it, so
// this lends the name to the calling thread while the library starts its own.
class NameForNewThreads {
 public:
  explicit NameForNewThreads(std::string_view name);
  ~NameForNewThreads();  // restores the calling thread's own name
  NameForNewThreads(const NameForNewThreads&) = delete;
  NameForNewThreads& operator=(const NameForNewThreads&) = delete;

 private:
  const std::string own_;
};

}  // namespace ballast::os
