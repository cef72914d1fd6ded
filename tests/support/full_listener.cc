#include "tests/support/full_listener.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace ballast::support {

FullListener::FullListener(const std::string& address, int port, bool accepts_one) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, address.c_str(), &name.sin_addr);
  const auto* any = reinterpret_cast<const sockaddr*>(&name);
  sockets_.push_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (bind(sockets_[0], any, sizeof name) != 0 || listen(sockets_[0], 0) != 0) {
    std::perror("FullListener");
    std::abort();
  }
  // Connects until one attempt stays pending: that one waits in the backlog, too.
  for (bool connected = !accepts_one; connected && sockets_.size() < 1000;) {
    sockets_.push_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    static_cast<void>(connect(sockets_.back(), any, sizeof name));
    pollfd poll_one{sockets_.back(), POLLOUT, 0};
    connected = poll(&poll_one, 1, 100) == 1;
  }
}

FullListener::~FullListener() {
  for (const int fd : sockets_) {
    close(fd);
  }
}

}  // namespace ballast::support
