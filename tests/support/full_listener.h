// A listener with a full backlog: the kernel drops new connection attempts, as if the host were
// gone.
//
// Thread-safety: none.
// Errors: aborts if it cannot listen.
#pragma once

#include <string>
#include <vector>

namespace ballast::support {

class FullListener {
 public:
  // `address`: an IPv4 address of this machine. It may accept one connection before it is full.
  FullListener(const std::string& address, int port, bool accepts_one = false);
  ~FullListener();
  FullListener(const FullListener&) = delete;
  FullListener& operator=(const FullListener&) = delete;

 private:
  std::vector<int> sockets_;
};

}  // namespace ballast::support
