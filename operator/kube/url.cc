#include "operator/kube/url.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <vector>

#include "api/base/digit.h"

namespace ballast::kube {
namespace {

Error Invalid(std::string_view url, const char* why) {
  std::string shown(url);
  if (const std::size_t user_end = shown.rfind('@'); user_end != std::string::npos) {
    const std::size_t scheme_end = shown.find("://");
    const std::size_t user = scheme_end < user_end ? scheme_end + 3 : 0;
    shown.replace(user, user_end - user, "...");  // it may hold a password
  }
  return {Code::kInvalid, "\"" + shown + "\" is not a server's URL: " + why};
}

std::optional<std::uint16_t> ParsePort(std::string_view text) {
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, port);
  return problem == std::errc() && rest == end ? std::optional(port) : std::nullopt;
}

// All that RFC 3986 lets a host, a port and a path consist of, but for the "@" after a user.
constexpr std::string_view kCharacters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:/[]%";

bool IsIpv6Address(const std::string& text) {
  in6_addr address;
  return inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

// Whether each "%" begins an escape of two hexadecimal digits.
bool EscapesWell(std::string_view text) {
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    const std::string_view digits = text.substr(at + 1, 2);
    if (digits.size() < 2 ||
        !std::ranges::all_of(digits, [](unsigned char c) { return std::isxdigit(c) != 0; })) {
      return false;
    }
  }
  return true;
}

// Without empty and dot segments, as Go's clients send it: "/a//b/./c/../d/" is "/a/b/d".
std::string CleanPath(std::string_view path) {
  std::vector<std::string_view> segments;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    if (segment == ".." && !segments.empty()) {
      segments.pop_back();
    } else if (!segment.empty() && segment != "." && segment != "..") {
      segments.push_back(segment);
    }
  }
  std::string cleaned;
  for (const std::string_view segment : segments) {
    cleaned += '/';
    cleaned += segment;
  }
  return cleaned;
}

}  // namespace

std::string Endpoint::Authority() const {
  return (IsIpv6() ? "[" + host + "]" : host) + ":" + port;
}

std::string Endpoint::HostHeader() const {
  return port != (tls ? "443" : "80") ? Authority() : IsIpv6() ? "[" + host + "]" : host;
}

std::uint16_t Endpoint::PortNumber() const { return ParsePort(port).value_or(0); }

Result<Endpoint> ParseEndpoint(std::string_view url) {
  Endpoint endpoint;
  std::string_view rest = url;
  if (rest.starts_with("https://")) {
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    endpoint.tls = false;
    rest.remove_prefix(7);
  } else {
    return Invalid(url, "it must begin with https:// or http://");
  }
  endpoint.port = endpoint.tls ? "443" : "80";

  const std::size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view authority = rest.substr(0, slash);
  endpoint.prefix = CleanPath(rest.substr(slash));
  if (rest.find_first_not_of(kCharacters) != std::string_view::npos) {
    return Invalid(url, "user, query, fragment and what must be escaped do not belong there");
  }
  if (authority.find('%') != std::string_view::npos) {
    return Invalid(url, "neither an escape nor a zone belongs in the host");
  }
  if (!EscapesWell(endpoint.prefix)) {
    return Invalid(url, "a % must have two hexadecimal digits after it");
  }

  std::string_view after_host;
  const bool bracketed = authority.starts_with('[');
  if (bracketed) {
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos) {
      return Invalid(url, "a ']' is missing");
    }
    endpoint.host = authority.substr(1, close - 1);
    after_host = authority.substr(close + 1);
  } else {
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    endpoint.host = authority.substr(0, colon);
    after_host = authority.substr(colon);
  }
  if (bracketed ? !IsIpv6Address(endpoint.host)
                : endpoint.host.find_first_of("[]") != std::string::npos) {
    return Invalid(url, "brackets belong around an IPv6 address alone");
  }
  if (endpoint.host.empty()) {
    return Invalid(url, "the host is missing");
  }
  if (!after_host.empty() && after_host != ":") {
    if (after_host.front() != ':' || !ParsePort(after_host.substr(1))) {
      return Invalid(url,
                     "the port must be a number of at most 65535 (an IPv6 address stands in "
                     "brackets)");
    }
    endpoint.port = after_host.substr(1);
  }
  return endpoint;
}

std::string Escape(std::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const bool unreserved = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) ||
                            c == '-' || c == '.' || c == '_' || c == '~';
    if (unreserved) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out;
}

std::string PrintTarget(const Endpoint& endpoint, const Request& request) {
  std::string target = endpoint.prefix + request.path;
  char separator = '?';
  for (const auto& [name, value] : request.query) {
    target += separator + Escape(name) + "=" + Escape(value);
    separator = '&';
  }
  return target;
}

}  // namespace ballast::kube
