// A listener whose backlog is full: the kernel drops what wants to connect, as if nobody were
// there.
//
// Thread-safety: none.
#pragma once

#include <string>
#include <vector>

namespace ballast::support {

class FullListener {
 public:
  // Of an address of this machine, IPv4.
  FullListener(const std::string& address, int port);
  ~FullListener();
  FullListener(const FullListener&) = delete;
  FullListener& operator=(const FullListener&) = delete;

 private:
  std::vector<int> sockets_;
};

}  // namespace ballast::support
