#include "operator/kube/url.h"

#include <gtest/gtest.h>

#include <vector>

namespace ballast::kube {
namespace {

TEST(ParseEndpoint, TakesServersApart) {
  struct Case {
    const char* url;
    bool tls;
    const char* host;
    const char* port;
    const char* prefix;
    const char* authority;
    const char* host_header;
  };
  const Case cases[] = {
      {"https://api.example:6443", true, "api.example", "6443", "", "api.example:6443",
       "api.example:6443"},
      {"https://10.0.0.1", true, "10.0.0.1", "443", "", "10.0.0.1:443", "10.0.0.1"},
      {"http://localhost:8080/", false, "localhost", "8080", "", "localhost:8080",
       "localhost:8080"},
      {"https://[fd00::1]:6443", true, "fd00::1", "6443", "", "[fd00::1]:6443", "[fd00::1]:6443"},
      {"https://a:/", true, "a", "443", "", "a:443", "a"},
      {"https://[::1]", true, "::1", "443", "", "[::1]:443", "[::1]"},
      {"https://[::ffff:10.0.0.1]:", true, "::ffff:10.0.0.1", "443", "", "[::ffff:10.0.0.1]:443",
       "[::ffff:10.0.0.1]"},
      {"https://rancher/k8s/clusters/c-1/", true, "rancher", "443", "/k8s/clusters/c-1",
       "rancher:443", "rancher"},
      {"https://a//b/./c/../d//", true, "a", "443", "/b/d", "a:443", "a"},
      {"https://a/../b/.../..c", true, "a", "443", "/b/.../..c", "a:443", "a"},
      {"https://a/..", true, "a", "443", "", "a:443", "a"},
      {"https://a/%20b%C3/", true, "a", "443", "/%20b%C3", "a:443", "a"},
      {"http://plain:80", false, "plain", "80", "", "plain:80", "plain"},
      {"http://plain:443", false, "plain", "443", "", "plain:443", "plain:443"},
  };
  for (const Case& c : cases) {
    const auto endpoint = ParseEndpoint(c.url);
    ASSERT_TRUE(endpoint.ok()) << c.url << ": " << endpoint.error().message;
    EXPECT_EQ(endpoint->tls, c.tls) << c.url;
    EXPECT_EQ(endpoint->host, c.host) << c.url;
    EXPECT_EQ(endpoint->port, c.port) << c.url;
    EXPECT_EQ(endpoint->prefix, c.prefix) << c.url;
    EXPECT_EQ(endpoint->Authority(), c.authority) << c.url;
    EXPECT_EQ(endpoint->HostHeader(), c.host_header) << c.url;
  }
}

TEST(ParseEndpoint, ShowsNoPassword) {
  for (const char* url : {"https://u:s3cret@host", "u:s3cret@host", "https://u:s3@cret@host/"}) {
    const auto endpoint = ParseEndpoint(url);
    ASSERT_FALSE(endpoint.ok());
    EXPECT_EQ(endpoint.error().message.find("s3"), std::string::npos) << endpoint.error().message;
    EXPECT_NE(endpoint.error().message.find("@host"), std::string::npos);
  }
}

TEST(ParseEndpoint, RefusesWhatIsNone) {
  const struct {
    const char* why;
    std::vector<const char*> urls;
  } kCases[] = {
      {"it must begin with https:// or http://", {"", "api:6443", "ftp://api"}},
      {"the host is missing", {"https://", "https://:6443", "https:///a"}},
      {"the port must be a number of at most 65535 (an IPv6 address stands in brackets)",
       {"https://a:b", "https://a:65536", "https://a:-1", "https://a:1:2", "https://fd00::1",
        "https://[::1]6443", "https://[::1]x:1", "https://[::1]]:1", "https://[::1]:65536"}},
      {"a ']' is missing", {"https://[::1", "https://[::1:6443/a"}},
      {"brackets belong around an IPv6 address alone",
       {"https://[1]", "https://[]:1", "https://[a]:6443", "https://[10.0.0.1]", "https://[::g]",
        "https://[:]", "https://[:::1]", "https://[::1::2]", "https://[1:2:3:4:5:6:7:8:9]",
        "https://[12345::]", "https://[::00001]", "https://[::1.2.3]", "https://[v1.a]",
        "https://[[::1]]", "https://a[:1", "https://a]"}},
      {"neither an escape nor a zone belongs in the host",
       {"https://[fe80::1%25eth0]", "https://[fe80::1%eth0]:1", "https://a%41", "https://%C3%A4"}},
      {"user, query, fragment and what must be escaped do not belong there",
       {"https://u:p@host", "https://host?x=1", "https://a b", "https://a/b#c", "https://a/b@c",
        "https://[ ::1]"}},
  };
  for (const auto& c : kCases) {
    for (const char* url : c.urls) {
      const auto endpoint = ParseEndpoint(url);
      ASSERT_FALSE(endpoint.ok()) << url;
      EXPECT_TRUE(endpoint.error().message.ends_with(std::string(": ") + c.why))
          << url << ": " << endpoint.error().message;
    }
  }
}

TEST(ParseEndpoint, TakesNoEscapeThatIsNone) {
  for (const char* rest : {"/%zz", "/%2", "/%2g", "/%", "/%20%", "/\x7F", "/\xC3\xA4", "/{b}"}) {
    const std::string url = std::string("https://a") + rest;
    EXPECT_FALSE(ParseEndpoint(url).ok()) << url;
  }
}

TEST(PrintTarget, EscapesTheQuery) {
  const Endpoint endpoint{.prefix = "/p"};
  const Request request{.path = "/api/v1/pods",
                        .query = {{"labelSelector", "app in (a,b)"}, {"continue", "x+/=&"}}};
  EXPECT_EQ(PrintTarget(endpoint, request),
            "/p/api/v1/pods?labelSelector=app%20in%20%28a%2Cb%29&continue=x%2B%2F%3D%26");
}

}  // namespace
}  // namespace ballast::kube
