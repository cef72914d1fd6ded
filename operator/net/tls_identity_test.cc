#include "operator/net/tls_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include "tests/support/certificate_authority.h"

namespace ballast::net {
namespace {

TEST(TlsIdentity, TakesOnlyAPairThatFits) {
  const support::CertificateAuthority ca;
  const support::KeyPair one = ca.Issue("one");
  const support::KeyPair other = ca.Issue("other");
  TlsIdentity identity;
  EXPECT_EQ(identity.context(), nullptr);
  ASSERT_TRUE(identity.Set(one.certificate + ca.certificate(), one.key).ok());
  const auto good = identity.context();
  EXPECT_EQ(SSL_CTX_get_min_proto_version(good.get()), TLS1_2_VERSION);

  const struct {
    std::string chain;
    std::string key;
    const char* message;
  } kCases[] = {
      {"", one.key, "certificate: holds no PEM certificate"},
      {one.certificate, "garbage", "key: holds no PEM private key without a passphrase"},
      {one.certificate, other.key, "key: does not belong to the certificate"},
  };
  for (const auto& c : kCases) {
    const Status status = identity.Set(c.chain, c.key);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().message, c.message);
    EXPECT_EQ(identity.context(), good);
  }
}

}  // namespace
}  // namespace ballast::net
