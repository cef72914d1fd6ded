#include "operator/admission/certificate_secret.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "api/base/base64.h"
#include "tests/support/fake_transport.h"

namespace ballast::admission {
namespace {

using kube::Method;
using testing::HasSubstr;
using webhooks::CertificateBundle;

constexpr const char* kSecretPath = "/api/v1/namespaces/ballast/secrets/webhook";
constexpr const char* kMutating =
    "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/ballast";
constexpr const char* kValidating =
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/ballast";

class CertificateSecretTest : public testing::Test {
 protected:
  std::map<std::string, Result<kube::Response>> gets_;
  Result<kube::Response> write_ = kube::Response{200, "{}"};
  support::FakeTransport transport_{[this](const kube::Request& request) -> Result<kube::Response> {
    if (request.method != Method::kGet) {
      return write_;
    }
    const auto found = gets_.find(request.path);
    return found == gets_.end() ? Error{Code::kNotFound, "not found"} : found->second;
  }};
  kube::Client client_{transport_};
  CertificateSecret secret_{client_, {"ballast", "webhook"}, "ballast"};
};

TEST_F(CertificateSecretTest, ReadsWhatIsThere) {
  EXPECT_EQ(secret_.Read()->version, "");
  gets_.emplace(kSecretPath, kube::Response{200, R"({"metadata":{"resourceVersion":"7"}})"});
  EXPECT_EQ(secret_.Read()->version, "7");
  EXPECT_FALSE(secret_.Read()->bundle);
  gets_.insert_or_assign(
      kSecretPath,
      kube::Response{200, R"({"metadata":{"resourceVersion":"8"},"data":{"ca.crt":"YQ==",)"
                          R"("ca.key":"Yg==","tls.crt":"Yw==","tls.key":"!"}})"});
  const CertificateBundle expected{"a", "b", "c", ""};
  EXPECT_EQ(*secret_.Read()->bundle, expected);
}

TEST_F(CertificateSecretTest, WritesOnlyOverWhatItHasRead) {
  ASSERT_TRUE(secret_.Write({"a", "b", "c", "d"}, "7").ok());
  kube::Request request = transport_.requests().back();
  EXPECT_EQ(request.method, Method::kPatch);
  EXPECT_EQ(request.path, kSecretPath);
  EXPECT_EQ(request.body,
            R"({"metadata":{"name":"webhook","resourceVersion":"7"},)"
            R"("data":{"ca.crt":"YQ==","ca.key":"Yg==","tls.crt":"Yw==","tls.key":"ZA=="}})");
  ASSERT_TRUE(secret_.Write({"a", "b", "c", "d"}, "").ok());
  request = transport_.requests().back();
  EXPECT_EQ(request.method, Method::kPost);
  EXPECT_THAT(request.body, HasSubstr(R"("kind":"Secret")"));
  write_ = Error{Code::kConflict, "changed"};
  EXPECT_EQ(secret_.Write({}, "7").error().code, Code::kConflict);
  write_ = Error{Code::kForbidden, "no right"};
  EXPECT_THAT(secret_.Write({}, "7").error().message,
              testing::AllOf(HasSubstr("Secret ballast/webhook: no right"), HasSubstr("install")));
}

TEST_F(CertificateSecretTest, PublishesWhereItIsNotKnownYet) {
  const std::string bundle = EncodeBase64("authorities");
  const auto configuration = [](const std::string& first, const std::string& second) {
    return kube::Response{200, R"({"metadata":{"resourceVersion":"3"},"webhooks":[)"
                               R"({"name":"a","clientConfig":{)" +
                                   first + R"(}},{"name":"b","clientConfig":{)" + second + "}}]}"};
  };
  const std::string known = R"("caBundle":")" + bundle + "\"";
  gets_.emplace(kMutating, configuration(known, known));
  gets_.emplace(kValidating, configuration(known, R"("caBundle":"b2xk")"));
  ASSERT_TRUE(secret_.Publish("authorities").ok());
  const auto requests = transport_.requests();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[2].path, kValidating);
  EXPECT_EQ(requests[2].body,
            R"([{"op":"test","path":"/metadata/resourceVersion","value":"3"},)"
            R"({"op":"add","path":"/webhooks/1/clientConfig/caBundle","value":")" +
                bundle + "\"}]");
  gets_.erase(kMutating);
  EXPECT_THAT(secret_.Publish("authorities").error().message,
              testing::AllOf(HasSubstr("MutatingWebhookConfiguration ballast"),
                             HasSubstr("--webhook-address")));
}

}  // namespace
}  // namespace ballast::admission
