// The signatures are those of AWS's own test suite, of requests whose headers are those that are
// sent here.
#include "operator/sources/cloud/aws_signature.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace ballast::sources {
namespace {

constexpr const char* kUnreserved =
    "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr const char* kSession =
    "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfI"
    "eoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
    "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNV"
    "XAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJ"
    "abIQwj2ICCR/oLxBA==";

TEST(AwsHeaders, SignAsAwsTestSuiteDoes) {
  const struct {
    const char* name;
    kube::Request request;
    const char* session;
    const char* signature;
  } kCases[] = {
      {"get-vanilla",
       {.path = "/"},
       "",
       "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
      {"post-vanilla",
       {.method = kube::Method::kPost, .path = "/"},
       "",
       "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
      {"get-utf8",
       {.path = "/\u1234"},
       "",
       "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"},
      {"get-vanilla-query-order-key-case",
       {.path = "/", .query = {{"Param2", "value2"}, {"Param1", "value1"}}},
       "",
       "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
      {"get-vanilla-query-order-value",
       {.path = "/", .query = {{"Param1", "value2"}, {"Param1", "value1"}}},
       "",
       "5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694"},
      {"get-vanilla-query-unreserved",
       {.path = "/", .query = {{kUnreserved, kUnreserved}}},
       "",
       "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"},
      {"get-vanilla-utf8-query",
       {.path = "/", .query = {{"\u1234", "bar"}}},
       "",
       "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"},
      {"post-sts-header-before",
       {.method = kube::Method::kPost, .path = "/"},
       kSession,
       "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"},
  };
  const auto endpoint = kube::ParseEndpoint("https://example.amazonaws.com");
  ASSERT_TRUE(endpoint.ok());
  for (const auto& c : kCases) {
    const auto made =
        AwsHeaders(*endpoint, c.request,
                   {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", c.session},
                   {"us-east-1", "service"}, Time(1'440'938'160, 0));
    const std::map<std::string, std::string> headers(made.begin(), made.end());
    const bool temporary = *c.session != '\0';
    EXPECT_EQ(headers.at("authorization"),
              std::string("AWS4-HMAC-SHA256 "
                          "Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
                          "SignedHeaders=host;x-amz-date") +
                  (temporary ? ";x-amz-security-token" : "") + ", Signature=" + c.signature)
        << c.name;
    EXPECT_EQ(headers.at("x-amz-date"), "20150830T123600Z");
    EXPECT_EQ(headers.contains("x-amz-security-token"), temporary);
    EXPECT_FALSE(headers.contains("host"));
  }
}

}  // namespace
}  // namespace ballast::sources
