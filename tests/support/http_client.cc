#include "tests/support/http_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace ballast::support {
namespace {

SSL_CTX* ClientContext(const std::string& ca) {
  SSL_CTX* context = SSL_CTX_new(TLS_client_method());
  BIO* bio = BIO_new_mem_buf(ca.data(), static_cast<int>(ca.size()));
  while (X509* certificate = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr)) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate);
    X509_free(certificate);
  }
  BIO_free(bio);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  return context;
}

}  // namespace

HttpClient::HttpClient(const std::string& address, const std::string& ca) {
  signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without MSG_NOSIGNAL
  fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval limit{.tv_sec = 10, .tv_usec = 0};
  setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  sockaddr_in peer{};
  peer.sin_family = AF_INET;
  peer.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  peer.sin_port =
      htons(static_cast<std::uint16_t>(std::atoi(address.c_str() + address.rfind(':') + 1)));
  connected_ = connect(fd_, reinterpret_cast<const sockaddr*>(&peer), sizeof peer) == 0;
  if (connected_ && !ca.empty()) {
    tls_ = ClientContext(ca);
    ssl_ = SSL_new(tls_);
    SSL_set_fd(ssl_, fd_);
    connected_ = SSL_connect(ssl_) == 1;
  }
}

HttpClient::~HttpClient() {
  SSL_free(ssl_);
  SSL_CTX_free(tls_);
  close(fd_);
}

std::string HttpClient::server() const {
  X509* certificate = ssl_ == nullptr ? nullptr : SSL_get1_peer_certificate(ssl_);
  if (certificate == nullptr) {
    return "";
  }
  char text[256];
  X509_NAME_oneline(X509_get_subject_name(certificate), text, sizeof text);
  X509_free(certificate);
  return text;
}

bool HttpClient::Send(std::string_view bytes) {
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

void HttpClient::EndSending() { shutdown(fd_, SHUT_WR); }

bool HttpClient::ReadMore() {
  char buffer[4096];
  const long size =
      ssl_ != nullptr ? SSL_read(ssl_, buffer, sizeof buffer) : recv(fd_, buffer, sizeof buffer, 0);
  if (size <= 0) {
    return false;
  }
  received_.append(buffer, static_cast<std::size_t>(size));
  return true;
}

std::optional<HttpAnswer> HttpClient::Receive() {
  std::size_t end = 0;
  while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
    if (!ReadMore()) {
      return std::nullopt;
    }
  }
  HttpAnswer answer;
  answer.head = received_.substr(0, end + 2);
  received_.erase(0, end + 4);
  answer.status = std::atoi(answer.head.c_str() + answer.head.find(' '));
  const std::string field = "Content-Length: ";
  const std::size_t length = answer.head.find(field);
  const std::size_t size =
      length == std::string::npos
          ? 0
          : std::strtoul(answer.head.c_str() + length + field.size(), nullptr, 10);
  while (received_.size() < size) {
    if (!ReadMore()) {
      return std::nullopt;
    }
  }
  answer.body = received_.substr(0, size);
  received_.erase(0, size);
  return answer;
}

std::optional<HttpAnswer> HttpClient::Post(const std::string& path, std::string_view body,
                                           const std::string& content_type) {
  if (!Send("POST " + path + " HTTP/1.1\r\nHost: test\r\nContent-Type: " + content_type +
            "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
            std::string(body))) {
    return std::nullopt;
  }
  return Receive();
}

std::optional<HttpAnswer> HttpClient::Get(const std::string& path) {
  return Send("GET " + path + " HTTP/1.1\r\nHost: test\r\n\r\n") ? Receive() : std::nullopt;
}

bool HttpClient::AwaitClose() {
  errno = 0;
  while (ReadMore()) {
  }
  return errno != EAGAIN;
}

}  // namespace ballast::support
