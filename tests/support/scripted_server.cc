#include "tests/support/scripted_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace ballast::support {
namespace {

SSL_CTX* ServerContext(const HttpServerTls& tls) {
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  BIO* bio = BIO_new_mem_buf(tls.identity.certificate.data(), -1);
  X509* certificate = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
  SSL_CTX_use_certificate(context, certificate);
  X509_free(certificate);
  BIO_free(bio);
  bio = BIO_new_mem_buf(tls.identity.key.data(), -1);
  EVP_PKEY* key = PEM_read_bio_PrivateKey(bio, nullptr, nullptr, nullptr);
  SSL_CTX_use_PrivateKey(context, key);
  EVP_PKEY_free(key);
  BIO_free(bio);
  if (!tls.client_ca.empty()) {
    bio = BIO_new_mem_buf(tls.client_ca.data(), -1);
    X509* ca = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), ca);
    X509_free(ca);
    BIO_free(bio);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  return context;
}

// A socket bound to the port of the address, or to a free one if that is 0; -1: this machine does
// not have the address.
int Bind(const std::string& address, int port) {
  sockaddr_storage any{};
  socklen_t size = sizeof(sockaddr_in);
  auto& four = reinterpret_cast<sockaddr_in&>(any);
  auto& six = reinterpret_cast<sockaddr_in6&>(any);
  if (inet_pton(AF_INET, address.c_str(), &four.sin_addr) == 1) {
    any.ss_family = AF_INET;
  } else if (inet_pton(AF_INET6, address.c_str(), &six.sin6_addr) == 1) {
    any.ss_family = AF_INET6;
    size = sizeof(sockaddr_in6);
  }
  four.sin_port = htons(static_cast<std::uint16_t>(port));  // sin6_port is at the same offset
  const int fd = socket(any.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && bind(fd, reinterpret_cast<sockaddr*>(&any), size) == 0) {
    return fd;
  }
  close(fd);
  return -1;
}

}  // namespace

std::string Unescape(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      out += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool HasAddress(const std::string& address) {
  const int fd = Bind(address, 0);
  close(fd);
  return fd >= 0;
}

HttpConnection::HttpConnection(int fd, ssl_ctx_st* tls) : fd_(fd), stream_(fd) {
  if (tls != nullptr && !stream_.Accept(tls)) {
    Break();
  }
}

std::optional<HttpRequest> HttpConnection::ReadRequest() {
  const auto received = stream_.ReadHead();
  if (!received) {
    return std::nullopt;
  }
  const std::string& head = *received;
  HttpRequest request;
  request.client = stream_.PeerSubject();
  request.server_name = stream_.ServerName();
  std::size_t at = head.find("\r\n");
  const std::string first = head.substr(0, at);
  request.method = first.substr(0, first.find(' '));
  request.target = first.substr(request.method.size() + 1);
  request.target.resize(request.target.find(' '));
  for (at += 2; at < head.size();) {
    const std::size_t line_end = head.find("\r\n", at);
    const std::string line = head.substr(at, line_end - at);
    std::string name = line.substr(0, line.find(':'));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const std::size_t value = line.find_first_not_of(' ', name.size() + 1);
    request.headers[name] = value == std::string::npos ? "" : line.substr(value);
    request.header_lines.emplace_back(name, request.headers[name]);
    at = line_end + 2;
  }
  const auto length = request.headers.find("content-length");
  auto body = stream_.ReadBody(
      length == request.headers.end() ? 0 : std::strtoul(length->second.c_str(), nullptr, 10));
  if (!body) {
    return std::nullopt;
  }
  request.body = std::move(*body);
  return request;
}

void HttpConnection::Respond(int status, std::string_view body, std::string_view headers) {
  Write("HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Length: " +
        std::to_string(body.size()) + "\r\n" + std::string(headers) + "\r\n" + std::string(body));
}

void HttpConnection::BeginStream() {
  Write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
}

void HttpConnection::Send(std::string_view part) {
  char size[24];
  std::snprintf(size, sizeof size, "%zx\r\n", part.size());
  Write(size + std::string(part) + "\r\n");
}

void HttpConnection::EndStream() { Write("0\r\n\r\n"); }

void HttpConnection::Tunnel(const std::string& target) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port =
      htons(static_cast<std::uint16_t>(std::atoi(target.c_str() + target.find(':') + 1)));
  const int other = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(other, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    Write("HTTP/1.1 502 X\r\nContent-Length: 0\r\n\r\n");
    close(other);
    return;
  }
  Write("HTTP/1.1 200 X\r\n\r\n");
  pollfd ends[2] = {{fd_, POLLIN, 0}, {other, POLLIN, 0}};
  bool open = true;
  while (open && poll(ends, 2, -1) > 0) {
    for (int i = 0; i < 2 && open; ++i) {
      char buffer[4096];
      if (ends[i].revents == 0) {
        continue;
      }
      const long size = recv(ends[i].fd, buffer, sizeof buffer, 0);
      open = size > 0 &&
             send(ends[1 - i].fd, buffer, static_cast<std::size_t>(size), MSG_NOSIGNAL) == size;
    }
  }
  close(other);
  Break();
}

bool HttpConnection::closed() const {
  char next = 0;
  return recv(fd_, &next, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

void HttpConnection::Break() { shutdown(fd_, SHUT_RDWR); }

HttpServer::HttpServer(Handler handler, const std::optional<HttpServerTls>& tls,
                       const std::string& address, int port)
    : handler_(std::move(handler)),
      tls_(tls ? ServerContext(*tls) : nullptr),
      host_(address.find(':') == std::string::npos ? address : "[" + address + "]"),
      listener_(Bind(address, port)) {
  signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without MSG_NOSIGNAL
  sockaddr_in6 bound{};      // sockaddr_in has its port at the same offset
  socklen_t size = sizeof bound;
  if (listener_ < 0 || listen(listener_, 64) != 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&bound), &size) != 0) {
    std::perror("HttpServer");
    std::abort();
  }
  port_ = ntohs(bound.sin6_port);
  acceptor_ = std::thread([this] { Accept(); });
}

HttpServer::~HttpServer() {
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  close(listener_);
  {
    const std::lock_guard lock(mutex_);
    for (const Peer& peer : peers_) {
      shutdown(peer.fd, SHUT_RDWR);
    }
  }
  for (Peer& peer : peers_) {
    peer.thread.join();
    close(peer.fd);
  }
  SSL_CTX_free(tls_);
}

std::string HttpServer::url(const std::string& host) const {
  return (tls_ != nullptr ? "https://" : "http://") + host + ":" + std::to_string(port_);
}

void HttpServer::Accept() {
  while (true) {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) {
      return;
    }
    const std::lock_guard lock(mutex_);
    peers_.push_back({fd, std::thread([this, fd] { Serve(fd); })});
  }
}

void HttpServer::Serve(int fd) {
  HttpConnection connection(fd, tls_);
  while (const auto request = connection.ReadRequest()) {
    handler_(*request, connection);
  }
  connection.Break();
}

}  // namespace ballast::support
