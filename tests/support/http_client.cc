#include "tests/support/http_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "tests/support/test_patience.h"

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

HttpClient::HttpClient(const std::string& address, const std::string& ca)
    : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), stream_(fd_) {
  signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without MSG_NOSIGNAL
  const timeval limit{
      .tv_sec = std::chrono::duration_cast<std::chrono::seconds>(Patience()).count(), .tv_usec = 0};
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
    connected_ = stream_.Connect(tls_);
  }
}

HttpClient::~HttpClient() {
  SSL_CTX_free(tls_);
  close(fd_);
}

void HttpClient::EndSending() { shutdown(fd_, SHUT_WR); }

std::optional<HttpAnswer> HttpClient::Receive() {
  auto head = stream_.ReadHead();
  if (!head) {
    return std::nullopt;
  }
  HttpAnswer answer{.head = std::move(*head)};
  answer.status = std::atoi(answer.head.c_str() + answer.head.find(' '));
  const std::string field = "Content-Length: ";
  const std::size_t length = answer.head.find(field);
  auto body = stream_.ReadBody(
      length == std::string::npos
          ? 0
          : std::strtoul(answer.head.c_str() + length + field.size(), nullptr, 10));
  if (!body) {
    return std::nullopt;
  }
  answer.body = std::move(*body);
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
  stream_.ReadToEnd();
  return errno != EAGAIN;
}

}  // namespace ballast::support
