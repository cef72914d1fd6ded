#include "operator/sources/cloud/aws_signature.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string_view>

namespace ballast::sources {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

using Bytes = std::array<unsigned char, EVP_MAX_MD_SIZE>;

std::string Hmac(std::string_view key, std::string_view text) {
  Bytes out;
  unsigned length = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), out.data(), &length);
  return {reinterpret_cast<const char*>(out.data()), length};
}

std::string Sha256(std::string_view text) {
  Bytes out;
  unsigned length = 0;
  EVP_Digest(text.data(), text.size(), out.data(), &length, EVP_sha256(), nullptr);
  return {reinterpret_cast<const char*>(out.data()), length};
}

std::string Hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

// 20150830T123600Z
std::string Stamp(Time now) {
  std::string text = Print(Time(now.unix_seconds(), 0));
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text;
}

// Each segment of the path that is sent is escaped once more.
std::string CanonicalPath(std::string_view path) {
  std::string out;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    out += kube::Escape(path.substr(begin, end - begin));
    out += end < path.size() ? "/" : "";
    begin = end + 1;
  }
  return out.empty() ? "/" : out;
}

std::string CanonicalQuery(const kube::Request& request) {
  std::vector<std::string> pairs;
  for (const auto& [name, value] : request.query) {
    pairs.push_back(kube::Escape(name) + "=" + kube::Escape(value));
  }
  std::ranges::sort(pairs);
  std::string out;
  for (const std::string& pair : pairs) {
    out += (out.empty() ? "" : "&") + pair;
  }
  return out;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> AwsHeaders(const kube::Endpoint& endpoint,
                                                            const kube::Request& request,
                                                            const AwsKeys& keys,
                                                            const AwsScope& scope, Time now) {
  const std::string stamp = Stamp(now);
  const std::string day = stamp.substr(0, stamp.find('T'));
  std::map<std::string, std::string> headers = {{"host", endpoint.HostHeader()},
                                                {"x-amz-date", stamp}};
  if (!keys.session_token.empty()) {
    headers["x-amz-security-token"] = keys.session_token;
  }
  std::string names;
  std::string lines;
  for (const auto& [name, value] : headers) {
    names += (names.empty() ? "" : ";") + name;
    lines += name + ":" + value + "\n";
  }
  const std::string canonical = std::string(kube::Name(request.method)) + "\n" +
                                CanonicalPath(endpoint.prefix + request.path) + "\n" +
                                CanonicalQuery(request) + "\n" + lines + "\n" + names + "\n" +
                                Hex(Sha256(request.body));
  const std::string credential =
      day + "/" + scope.region + "/" + scope.service + "/" + "aws4_request";
  const std::string to_sign =
      std::string(kAlgorithm) + "\n" + stamp + "\n" + credential + "\n" + Hex(Sha256(canonical));
  std::string key = "AWS4" + keys.secret_access_key;
  for (const std::string_view part :
       {std::string_view(day), std::string_view(scope.region), std::string_view(scope.service),
        std::string_view("aws4_request")}) {
    key = Hmac(key, part);
  }
  headers.erase("host");  // the connection sets it
  headers["authorization"] = std::string(kAlgorithm) + " Credential=" + keys.access_key_id + "/" +
                             credential + ", SignedHeaders=" + names +
                             ", Signature=" + Hex(Hmac(key, to_sign));
  return {headers.begin(), headers.end()};
}

}  // namespace ballast::sources
