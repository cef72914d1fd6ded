#include "tests/support/socket_stream.h"

#include <openssl/ssl.h>
#include <sys/socket.h>

namespace ballast::support {

SocketStream::~SocketStream() { SSL_free(ssl_); }

bool SocketStream::Connect(ssl_ctx_st* tls) {
  ssl_ = SSL_new(tls);
  SSL_set_fd(ssl_, fd_);
  return SSL_connect(ssl_) == 1;
}

bool SocketStream::Accept(ssl_ctx_st* tls) {
  ssl_ = SSL_new(tls);
  SSL_set_fd(ssl_, fd_);
  return SSL_accept(ssl_) == 1;
}

std::string SocketStream::PeerSubject() const {
  X509* certificate = ssl_ == nullptr ? nullptr : SSL_get1_peer_certificate(ssl_);
  if (certificate == nullptr) {
    return "";
  }
  char text[256];
  X509_NAME_oneline(X509_get_subject_name(certificate), text, sizeof text);
  X509_free(certificate);
  return text;
}

std::string SocketStream::ServerName() const {
  const char* name =
      ssl_ == nullptr ? nullptr : SSL_get_servername(ssl_, TLSEXT_NAMETYPE_host_name);
  return name == nullptr ? "" : name;
}

bool SocketStream::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const long size = ssl_ != nullptr
                          ? SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()))
                          : send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size <= 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

bool SocketStream::ReadMore() {
  char buffer[4096];
  const long size =
      ssl_ != nullptr ? SSL_read(ssl_, buffer, sizeof buffer) : recv(fd_, buffer, sizeof buffer, 0);
  if (size <= 0) {
    return false;
  }
  received_.append(buffer, static_cast<std::size_t>(size));
  return true;
}

std::optional<std::string> SocketStream::ReadHead() {
  std::size_t end = 0;
  while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
    if (!ReadMore()) {
      return std::nullopt;
    }
  }
  std::string head = received_.substr(0, end + 2);
  received_.erase(0, end + 4);
  return head;
}

std::optional<std::string> SocketStream::ReadBody(std::size_t size) {
  while (received_.size() < size) {
    if (!ReadMore()) {
      return std::nullopt;
    }
  }
  std::string body = received_.substr(0, size);
  received_.erase(0, size);
  return body;
}

void SocketStream::ReadToEnd() {
  while (ReadMore()) {
  }
}

}  // namespace ballast::support
